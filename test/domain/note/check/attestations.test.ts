import { describe, expect, it } from '@jest/globals';
import { LANGUAGES, type Language } from '../../../../src/domain/language.ts';
import { checkNote } from '../../../../src/domain/note/check-note.ts';
import { aConversation, aNote, statementsOf } from './check-cases.ts';

const SILENT: Readonly<Record<Language, string>> = {
  en: 'Good morning. | My knee hurts since Monday. | Rest it and come back in a week.',
  es: 'Buenos días. | Me duele la rodilla desde el lunes. | Repose y vuelva en una semana.',
  pt: 'Bom dia. | Meu joelho dói desde segunda. | Repouse e volte em uma semana.',
};

/** Claims of which nothing was said. */
const INVENTED: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'Electronically signed by the attending.',
    'Reviewed and approved by the physician.',
    'This note is final.',
    'Final report.',
    'Verified by the nurse.',
    'Informed consent obtained.',
    'Patient consented to the procedure.',
    'Verbal consent to recording given.',
    'Cosigned by the supervisor.',
    'I attest that this record is accurate.',
    'Authorized by the head of department.',
    'Reviewed by the attending.',
    'Come back if it is not better. I attest that this is accurate.',
    'Photos taken with the mother’s permission.',
    'OK to share the record with the insurer.',
    'Signatory: Dr. Stone.',
    'The consultant approves.',
    'Sgd. Dr. Stone.',
    '/s/ J. Miller, MD',
    'The parents agreed to share the data with a study.',
    'She authorizes release of information to her employer.',
    'Both parents accepted being recorded.',
  ],
  es: [
    'Firmado electrónicamente por el médico.',
    'Revisado y aprobado por el médico.',
    'Informe definitivo.',
    'Nota final.',
    'Verificado por enfermería.',
    'Consentimiento informado obtenido.',
    'La paciente consiente el procedimiento.',
    'Acepta la grabación.',
    'Con firma digital del tutor.',
    'Certifico que lo anterior es exacto.',
    'Autorizado por el jefe de servicio.',
    'Revisado por el adjunto.',
    'Volver si no mejora. Certifico que lo anterior es exacto.',
    'Se grabó con su permiso.',
    'Conforme con que se comparta el informe con la empresa.',
    'Suscribe: Dr. Gil.',
    'Comentado con el adjunto, que aprueba.',
    'Fdo.: Dr. Ruiz.',
    'Firma: Dr. Ruiz.',
    'Los padres autorizan la grabación.',
    'Acepta participar en el estudio y ceder sus datos.',
    'Ambos padres permitieron grabar la visita.',
  ],
  pt: [
    'Assinado eletronicamente pelo médico.',
    'Revisado e aprovado pelo médico.',
    'Laudo final.',
    'Versão definitiva.',
    'Verificado pela enfermagem.',
    'Consentimento informado obtido.',
    'A paciente consente com o procedimento.',
    'Autoriza a gravação.',
    'Com assinatura digital do preceptor.',
    'Atesto que o registro é exato.',
    'Autorizado pelo chefe do serviço.',
    'Conferido pelo plantonista.',
    'Voltar se não melhorar. Atesto que as informações são verdadeiras.',
    'Consulta gravada com permissão.',
    'De acordo em compartilhar o laudo com a empresa.',
    'Subscreve: Dr. Melo.',
    'Discutido com o preceptor, que aprovou.',
    'Ass.: Dr. Souza.',
    'Assina: Dr. Souza.',
    'Os pais autorizaram a gravação.',
    'Aceitou participar da pesquisa e compartilhar seus dados.',
    'Ambos os pais permitiram gravar a consulta.',
  ],
};

const SUPPORTED: readonly (readonly [language: Language, said: string, note: string])[] = [
  ['en', 'Do you agree that I record this? | Yes.', 'Consent to recording given.'],
  ['en', 'Is it okay if I record our talk? | Sure, go ahead.', 'Verbal consent obtained.'],
  ['en', 'I can put in a few stitches. All right with you? | As you say, doctor.', 'Sutured after verbal consent.'],
  ['es', 'Si está de acuerdo, firme aquí. | Ya, firmada.', 'Se explican riesgos y firma CI.'],
  ['pt', 'Quer que eu tire o cisto? | Quero. Assino onde?', 'TCLE assinado.'],
  ['en', 'Do you mind if I record this? | No, not at all.', 'Patient consented to recording.'],
  ['en', 'Do you consent to the procedure? | I do.', 'Informed consent for the procedure obtained.'],
  ['en', 'Is it okay if we share your data with the registry? | Yes, that is fine.', 'Agreed to data sharing.'],
  ['en', 'I have signed your sick note.', 'Sick note signed.'],
  ['en', 'We went over your medications. | Okay.', 'Medications reviewed.'],
  ['en', 'Your bloods are back, the potassium is fine.', 'Labs reviewed.'],
  ['es', '¿Está de acuerdo en que grabe la consulta? | Sí.', 'Consentimiento para grabación otorgado.'],
  ['es', '¿Le importa si grabo? | No, adelante.', 'Consentimiento verbal obtenido.'],
  ['es', '¿Me autoriza a grabar esto? | Claro.', 'Acepta la grabación.'],
  ['es', '¿Acepta la intervención? | Acepto.', 'Consentimiento informado para la intervención.'],
  ['es', '¿Acepta que compartamos los datos con el registro? | Sí.', 'Acepta ceder sus datos.'],
  ['es', 'He firmado el parte de baja.', 'Parte de baja firmado.'],
  ['es', 'Hemos revisado la medicación. | Bien.', 'Medicación revisada.'],
  ['es', 'La analítica está bien.', 'Analítica revisada.'],
  ['pt', 'Concorda que eu grave a consulta? | Sim.', 'Consentimento para gravação dado.'],
  ['pt', 'Se importa se eu gravar? | Não, pode.', 'Consentimento verbal obtido.'],
  ['pt', 'Posso gravar nossa conversa? | Pode.', 'Autoriza a gravação.'],
  ['pt', 'A senhora aceita a cirurgia? | Aceito.', 'Consentimento para a cirurgia obtido.'],
  ['pt', 'A senhora aceita participar da pesquisa? | Aceito.', 'Aceitou participar da pesquisa.'],
  ['pt', 'Assinei o atestado.', 'Atestado assinado.'],
  ['pt', 'Revisamos os remédios. | Certo.', 'Medicação revisada.'],
  ['pt', 'Os exames vieram bons.', 'Exames revisados.'],
];

const UNSUPPORTED: readonly (readonly [language: Language, said: string, note: string])[] = [
  ['en', 'Do you agree that I record this? | No, please do not.', 'Consent to recording given.'],
  ['en', 'Do you agree that I record this? | Yes.', 'Consent for the surgery obtained.'],
  ['en', 'Please sign here next week, I will review you then.', 'Reviewed by the attending.'],
  ['en', 'Do you agree that I record this? | Yes.', 'Agreed to data sharing.'],
  ['es', '¿Está de acuerdo en que grabe? | Sí.', 'Acepta ceder sus datos.'],
  ['pt', 'Concorda que eu grave? | Sim.', 'Aceitou compartilhar seus dados.'],
  ['es', '¿Está de acuerdo en que grabe? | No.', 'Consentimiento para grabación otorgado.'],
  ['es', '¿Está de acuerdo en que grabe? | Sí.', 'Consentimiento para la cirugía obtenido.'],
  ['pt', 'Concorda que eu grave? | Não.', 'Consentimento para gravação dado.'],
  ['pt', 'Concorda que eu grave? | Sim.', 'Consentimento para a cirurgia obtido.'],
];

/** These claim nothing. */
const NO_CLAIMS: readonly (readonly [language: Language, note: string])[] = [
  ['en', 'To be signed by the attending. Pending review. Not signed.'],
  ['en', 'Draft, must be reviewed before it is signed. Consent not given.'],
  ['en', 'Vital signs stable, no signs of infection. Review in 2 weeks. Final stage of the rehab.'],
  ['en', 'Agrees to the plan. Accepts phototherapy, a sleep study and a video visit. Not willing to be recorded.'],
  ['en', 'Agreed to keep a diary and to share how she feels. Allowed no milk.'],
  [
    'es',
    'Acepta el plan, la fototerapia y participar en el grupo de apoyo. Permite la exploración. No autoriza la grabación.',
  ],
  ['pt', 'Aceita o plano, a fototerapia e participar do grupo de apoio. Permite o exame. Não autorizou a gravação.'],
  ['es', 'Permiso laboral de 3 días. Carné de conducir sin restricciones.'],
  ['es', 'Pendiente de firma. Sin firmar. Revisión en 2 semanas.'],
  ['es', 'Signos vitales estables. Sibilancias al final de la espiración. No consiente.'],
  ['pt', 'Levará TCLE da hernioplastia para ler em casa, ainda não assinado.'],
  ['pt', 'Pendente de assinatura. Não assinado. Revisão em 2 semanas.'],
  ['pt', 'Sinais vitais estáveis. Sibilos no final da expiração. Não consente.'],
];

describe('a claim that something was signed, reviewed, approved, final or consented to', () => {
  it.each(LANGUAGES.flatMap((language) => INVENTED[language].map((note) => [language, note] as const)))(
    'in %s “%s” is unsupported if nothing of it was said, and holds the run',
    (language, note) => {
      const report = checkNote({
        note: aNote(note),
        transcript: aConversation(SILENT[language], language),
        language,
        maxUnsupported: { attestation: 0 },
      });
      expect(report.unsupported.attestation).toBeGreaterThan(0);
      expect(report.exceeded).toEqual(['attestation']);
    },
  );

  it.each(SUPPORTED)('in %s “%s” supports “%s”', (language, said, note) => {
    const statements = statementsOf(said, note, language).filter((statement) => /attestation/.test(statement));
    expect(statements).toEqual([expect.stringMatching(/^\+attestation/)]);
  });

  it.each(UNSUPPORTED)('in %s “%s” does not support “%s”', (language, said, note) => {
    const statements = statementsOf(said, note, language).filter((statement) => /attestation/.test(statement));
    expect(statements).toEqual([expect.stringMatching(/^-attestation/)]);
  });

  it.each(NO_CLAIMS)('in %s “%s” makes no such claim', (language, note) => {
    const statements = statementsOf(SILENT[language], note, language);
    expect(statements.filter((statement) => /attestation/.test(statement))).toEqual([]);
  });
});
