// The words of claims that a text was signed, reviewed, verified or approved, that it is final, or that consent was given. A bar is
// between the phrases; see phrase-set.ts.
import { makePhraseSet, type PhraseSet } from '../../../clinical-text/cues/phrase-set.ts';
import type { Language } from '../../language.ts';

export const ATTESTED_ACTS = ['signed', 'reviewed', 'verified', 'approved', 'final', 'consent'] as const;
export type AttestedAct = (typeof ATTESTED_ACTS)[number];
type Words = Readonly<Record<AttestedAct, string>>;

/** As a note claims it. */
const CLAIMED: Readonly<Record<Language, Words>> = {
  en: {
    signed:
      'signed|sgd|signatory|/ s /|electronically signed|digitally signed|e - signed|esigned|cosigned|co - signed|countersigned|signature|authenticated|undersigned|signed off',
    reviewed:
      'reviewed|reviews and confirms|reviews and signs|reviews the note|reviews this note|confirms the note|confirms the report|confirmed accurate|medical validation|clinical validation|read and agree|proofread|proof - read|checked by|supervised by|over - read by|seen and agreed|edited by',
    verified:
      'verified|validated by|note validated|record validated|validated record|validated and signed|attest|attests|attested|attestation|certify|certifies|certified|double checked',
    approved: 'approved|approves|signed off on|authorised|authorized|authorised by|endorsed by|accepted by',
    final:
      'finalized|finalised|docstatus final|completed and final|no further edits|no further edits needed|no further edits required|no further changes needed|status : completed|status completed|signed and final|final report|final version|final note|final document|final record|final copy|final transcript|status final|status : final|is final|are final|marked final|marked as final',
    consent:
      'consent*|permission obtained|permission given|permission granted|permission was|with permission|mothers permission|fathers permission|parents permission|patients permission|her permission|his permission|their permission|authorised by patient|authorised by the patient|authorised by mother|authorised by parent|authorized by patient|authorized by the patient|authorized by mother|authorized by parent|gave permission|gives permission|agreed to recording|agrees to recording|agreed to the recording|agrees to the recording|agreed to be recorded|agrees to be recorded|has given permission',
  },
  es: {
    signed:
      'firmado|( firma|firmada|firmados|firmadas|fdo|fda|firmo|firma :|firma electronica|firma digital|firmante|con firma|rubricado|suscrito|suscrita|suscribe|refrendado|refrenda|rubrica',
    reviewed:
      'revisado|revisada|revisados|revisadas|reviso|revisa y confirma|revisa y firma|revisa y aprueba|revisa el informe|revisa la nota|confirma el informe|confirma la nota|validacion medica|validacion clinica|supervisado|supervisada|cotejado|leido y conforme|corregido por|he revisado',
    verified:
      'verificado|verificada|verificados|verificadas|validado|validada|validados|certifico|certifica|doy fe|comprobado por el|confirmado por el dr|confirmado por la dra|confirmado por el medico|cotejado',
    approved:
      'aprobado|aprobada|aprobados|aprobadas|aprobo|aprobaron|aprueba|visto bueno|autorizado por|autorizada por|autorizado|autorizada|avalado',
    final:
      'informe final|docstatus final|documento completo|completo y definitivo|documento definitivo y|version final|nota final|documento final|registro final|texto final|informe definitivo|version definitiva|nota definitiva|documento definitivo|nota finalizada|informe finalizado|documento finalizado|estado final|estado : final|es definitivo|es definitiva|nota cerrada|informe cerrado',
    consent:
      'consentimiento*|firma el ci|firma ci|ci firmado|firmo el ci|da permiso para|dan permiso para|dio permiso para|dieron permiso para|cede sus datos|ceden sus datos|cede los datos|consiente|consintio|consienten|autorizado por paciente|autorizada por paciente|autorizado por el paciente|autorizada por el paciente|autorizado por la paciente|autorizada por la paciente|autorizado por la madre|autorizada por la madre|autorizado por el padre|autorizada por el padre|autorizado por la familia|autorizada por la familia|acepta la grabacion|acepto la grabacion|autoriza la grabacion|autorizo la grabacion|acepta ser grabad*|autoriza ser grabad*|da su permiso|dio su permiso|otorga permiso|permiso obtenido|con permiso|con su permiso|con el permiso|con permiso de',
  },
  pt: {
    signed:
      'assinado|assinada|assinados|assinadas|ass|assina :|assinou|assinatura|assinam|com assinatura|firmado|rubricado|subscrito|subscrita|subscreve|assinante|signatario|signataria|referendado|rubrica',
    reviewed:
      'revisado|revisada|revisados|revisadas|revisou|revisa e confirma|revisa e assina|revisa e aprova|revisa o relatorio|revisa a nota|confirma o relatorio|confirma a nota|validacao medica|validacao clinica|revisto|conferido|conferida|supervisionado|supervisionada|lido e conforme|corrigido por|revisei',
    verified:
      'verificado|verificada|verificados|verificadas|validado|validada|validados|certifico|certifica|atesto|atesta|dou fe|confirmado por dr|confirmado pelo dr|confirmado pelo medico|confirmada pelo medico',
    approved:
      'aprovado|aprovada|aprovados|aprovadas|aprovou|aprovaram|aprova|autorizado por|autorizada por|autorizado|autorizada|avalizado',
    final:
      'laudo final|docstatus final|documento completo|completo e definitivo|relatorio definitivo|versao final|nota final|documento final|relatorio final|registro final|texto final|versao definitiva|nota definitiva|documento definitivo|nota finalizada|relatorio finalizado|laudo finalizado|documento finalizado|prontuario finalizado|status final|status : final|nota fechada|prontuario fechado',
    consent:
      'consentimento*|da permissao para|deram permissao para|cede seus dados|cede os dados|consente|consentiu|consentem|autorizado pelo paciente|autorizada pelo paciente|autorizado pela paciente|autorizada pela paciente|autorizado pela mae|autorizada pela mae|autorizado pelo pai|autorizada pelo pai|autorizado pela familia|autorizada pela familia|tcle|aceita a gravacao|aceitou a gravacao|autoriza a gravacao|autorizou a gravacao|aceita ser gravad*|autoriza ser gravad*|deu permissao|permissao obtida|permissao concedida|com permissao|com a permissao|com sua permissao',
  },
};

/** As it is spoken, beside the words of the claims. Consent is read from questions and answers. */
const SPOKEN: Readonly<Record<Language, Words>> = {
  en: {
    signed: 'sign here|sign this|sign it|ive signed|i signed|you signed|signing',
    reviewed:
      'went over|gone over|go over|looked over|looked through|looked at your|been through|go through|going through',
    verified: 'checked it|checked this|confirmed it|confirmed this|ive confirmed|i confirmed|ive checked|i checked',
    approved: 'i approve|approv*|passed|he approved|she approved|was approved|got approved',
    final: 'final',
    consent:
      'i consent|i agree|i give permission|you have my permission|my permission|i give my permission|i signed the consent|i signed the form|ive signed the form|i signed it|where do i sign|ill sign',
  },
  es: {
    signed: 'firme aqui|firme esto|he firmado|firme el|firmarlo|firmo aqui',
    reviewed:
      'he revisado|revise|revisamos|repasamos|hemos revisado|vamos a revisar|vamos a ver la|vamos a ver los|ya vi',
    verified: 'he comprobado|comprobe|he verificado|lo he confirmado|confirme',
    approved: 'aprob*|aprueb*|lo aprobaron|me lo aprobaron|fue aprobado|lo autorizaron',
    final: 'definitivo|definitiva|final',
    consent:
      'doy mi consentimiento|doy permiso|le doy permiso|autorizo|acepto|consiento|firme el consentimiento|ya firme|firme la hoja|firme el papel|firme la autorizacion|firmo con|donde firmo|se lo firmo|lo firmo',
  },
  pt: {
    signed: 'assine aqui|assine isso|assinei|assina aqui|vou assinar',
    reviewed: 'revisei|revisamos|vamos rever|conferi|vamos ver os|ja vi os|olhei os|repassar',
    verified: 'conferi|verifiquei|confirmei|chequei',
    approved: 'aprov*|passou|foi aprovado|autorizaram',
    final: 'definitivo|definitiva|final',
    consent:
      'dou meu consentimento|dou permissao|autorizo|aceito|concordo|consinto|assinei o termo|assinei o papel|assinei a folha|assinei ali|ja assinei|onde assino|eu assino',
  },
};

/** Questions that ask for consent. */
const ASKED: Readonly<Record<Language, string>> = {
  en: 'do you agree|do you consent|are you happy for|are you ok with|are you okay with|are you comfortable|is it ok|is it okay|is it all right|is it alright|is that ok|is that okay|is that all right|okay with you|ok with you|all right with you|okay if|ok if|all right if|do i have your|may i|can i|could i|can we|would it be|do you mind|would you mind|any objection|give me permission|give permission|consent to|you agree',
  es: 'esta de acuerdo|estas de acuerdo|acepta|aceptas|consiente|autoriza|autorizas|me permite|me permites|me autoriza|le parece bien|te parece bien|le importa|te importa|puedo|podemos|podria|da su permiso|tiene inconveniente|da su consentimiento|de acuerdo en|de acuerdo con',
  pt: 'concorda|aceita|autoriza|permite|me permite|me autoriza|tudo bem se|tudo bem eu|esta bem se|posso|podemos|se importa|da permissao|da sua permissao|esta de acordo|algum problema|pode ser gravad*|tem algum problema|consente|de acordo',
};
/** Questions that ask for consent whatever they name. The others ask for it only beside a procedure or a recording: `Can I ask you something?` */
const ASKED_OPENLY: Readonly<Record<Language, string>> = {
  en: 'do you agree|do you consent|are you happy for|are you happy with|are you happy to|are you ok with|are you okay with|would you accept|is that ok|is that okay|is that all right|is that alright|would that be ok|would that be okay|would that be all right|would that be alright|okay with you|ok with you|all right with you|alright with you|do you mind if i|do you mind if we',
  es: 'esta de acuerdo|estas de acuerdo|acepta|aceptas|consiente|autoriza|autorizas|le parece bien|te parece bien|le importa si|te importa si|esta conforme',
  pt: 'concorda|aceita|autoriza|tudo bem para|tudo bem pra|esta de acordo|de acordo|se importa se|tudo bem se|tudo bem fazer|a senhora permite|o senhor permite|posso',
};
/** With these a `no` agrees: `Do you mind if I record this?` */
const OBJECTIONS: Readonly<Record<Language, string>> = {
  en: 'mind|objection',
  es: 'importa|inconveniente',
  pt: 'importa|problema',
};
/** Answers that agree, beside a plain yes. */
const AGREED: Readonly<Record<Language, string>> = {
  en: 'go ahead|thats fine|that is fine|fine|okay|ok|no problem|of course|be my guest|happy to|agreed|i agree|all right|alright|i dont mind|not at all|do it|please|if you have to|if you must|if you think|whatever you think|sure',
  es: 'adelante|de acuerdo|vale|esta bien|sin problema|claro|por supuesto|acepto|como no|ok|no hay problema|ningun problema|no me importa|orale|lo que usted diga|si hace falta|hagalo|si hay que|dale',
  pt: 'pode|tudo bem|claro|sem problema|esta bem|ta bom|ta bem|de acordo|aceito|concordo|ok|a vontade|pode sim|nao me importo|com certeza|pode fazer|faz|se precisar|se for preciso|se tiver que|o que a senhora achar',
};
/** Verbs of agreement. Behind one of them, what needs consent makes a claim of consent: see `AGREE_TO`. */
const AGREE: Readonly<Record<Language, string>> = {
  en: 'agree|agrees|agreed|agreeing|accepts|accepted|authori*|allows|allowed|permits|permitted|okayed|happy to|willing to|fine with|ok with|okay with|ok to|okay to|fine to|happy for',
  es: 'acept*|autoriz*|permit*|de acuerdo con|de acuerdo en|conforme con|conforme en|conforme a',
  pt: 'aceit*|autoriz*|permit*|concord*|de acordo com|de acordo em',
};
const AGREE_TO: Readonly<Record<Language, string>> = {
  en: 'recording|be recorded|being recorded|be filmed|being filmed|filmed|be taped|video recorded|photo|photos|photograph*|the data|her data|his data|their data|data sharing|share data|share the|share her|share his|share their|sharing|disclos*|release of information|release of records|research|clinical study|clinical trial|the study|in a study|in this study',
  es: 'grabacion|grabar|grabad*|filmar|filmad*|foto|fotos|fotograf*|ceder|cesion|sus datos|los datos|datos personales|compartir|comparta|compartan|se comparte|divulgar|investigacion|ensayo clinico|estudio clinico|participar en el estudio|participar en un estudio|participar en este estudio|participar en el ensayo',
  pt: 'gravacao|gravar|gravad*|filmar|filmad*|foto|fotos|fotograf*|ceder|cessao|seus dados|os dados|dados pessoais|compartilh*|divulgar|pesquisa|ensaio clinico|estudo clinico|participar do estudo|participar de um estudo|participar deste estudo|participar do ensaio',
};
const RECORDING = 'record*|tape|taping|transcri*|microphone|grab*|grav*|microfon*|audio|listen in|ai';
const PROCEDURE =
  'surg*|procedur*|operat*|operac*|treatment|inject*|vaccin*|anesth*|anaesth*|transfus*|biops*|cirug*|procedim*|intervenc*|operacion|tratamiento|vacuna*|anestes*|cirurg*|tratamento|vacina*|inject*|inyec*|injec*|exam*|colonosc*|endosc*';
const SHARING =
  'photo*|foto*|share|sharing|data|disclos*|research|study|studies|trial|compartir|ceder|cesion|cessao|dados|datos|compartilh*|divulg*|investigacion|pesquisa|estudio|estudo|ensayo|ensaio';
/** What is reviewed as a part of the visit. */
const DATA =
  'lab|labs|bloods|blood|results|result|imaging|scan|scans|xray|x|ct|mri|ecg|ekg|chart|records|medication*|meds|history|systems|ros|vitals|allergies|diary|technique|diet|wound|goals|tests|tsh|a1c|hba1c|analitic*|laborator*|resultado*|imagen*|imagens|imagem|radiograf*|rx|tac|historia|medicac*|tratamiento*|tratamento*|antecedente*|vacuna*|vacina*|herida|ferida|dieta|exames|exame|examen*|tomograf*|glicada|glicosilada|ecograf*|ultrasso*|receita*|receta*';
const DENIED =
  'not|no|never|pending|awaiting|without|needs|need|requires|will|must|should|to be|before|until|draft|declined|refused|unable|yet|if|sin|pendiente|falta|debe|deben|sera|seran|por|antes|borrador|rechaza|si|sem|pendente|aguarda|aguardando|deve|devem|rascunho|nao|nunca|recusa|caso|a ser|para ser';
const DENIED_BEHIND =
  'not|no|refused|declined|denied|withdrawn|pending|required|needed|to be|will|rechazad*|negad*|pendiente|retirad*|pendente|recusad*|nao|necesari*|necessari*|form|forms|off work|off sick|termo';

type Compiled = Readonly<Record<AttestedAct, PhraseSet>>;
export type AttestationWords = {
  readonly claimed: Compiled;
  readonly spoken: Compiled;
  readonly asked: PhraseSet;
  readonly askedOpenly: PhraseSet;
  readonly objections: PhraseSet;
  readonly agreed: PhraseSet;
  /** All words of claims, spoken acts and questions: most utterances have none. */
  readonly any: PhraseSet;
  readonly anyClaimed: PhraseSet;
};

const WORDS: Readonly<Record<Language, AttestationWords>> = { en: compile('en'), es: compile('es'), pt: compile('pt') };
export const RECORDING_WORDS = makePhraseSet(RECORDING);
export const SHARING_WORDS = makePhraseSet(SHARING);
export const PROCEDURE_WORDS = makePhraseSet(PROCEDURE);
export const AGREEING = compileEach(AGREE);
export const AGREED_MATTERS = compileEach(AGREE_TO);
export const DATA_WORDS = makePhraseSet(DATA);
export const DENIED_BEFORE = makePhraseSet(DENIED);
export const DENIED_AFTER = makePhraseSet(DENIED_BEHIND);

export function attestationWords(language: Language): AttestationWords {
  return WORDS[language];
}

function compileEach(words: Readonly<Record<Language, string>>): Readonly<Record<Language, PhraseSet>> {
  return { en: makePhraseSet(words.en), es: makePhraseSet(words.es), pt: makePhraseSet(words.pt) };
}

function compile(language: Language): AttestationWords {
  const sets = (words: Words): Compiled =>
    Object.fromEntries(ATTESTED_ACTS.map((act) => [act, makePhraseSet(words[act])])) as Compiled;
  return {
    claimed: sets(CLAIMED[language]),
    spoken: sets(SPOKEN[language]),
    asked: makePhraseSet(ASKED[language]),
    askedOpenly: makePhraseSet(ASKED_OPENLY[language]),
    objections: makePhraseSet(OBJECTIONS[language]),
    agreed: makePhraseSet(AGREED[language]),
    any: makePhraseSet(
      [
        ...Object.values(CLAIMED[language]),
        ...Object.values(SPOKEN[language]),
        ASKED[language],
        ASKED_OPENLY[language],
      ].join('|'),
    ),
    anyClaimed: makePhraseSet(Object.values(CLAIMED[language]).join('|')),
  };
}
