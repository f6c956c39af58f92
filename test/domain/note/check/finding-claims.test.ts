import { describe, expect, it } from '@jest/globals';
import type { Language } from '../../../../src/domain/language.ts';
import type { ChartToCheck } from '../../../../src/domain/note/chart-to-check.ts';
import { checkNote } from '../../../../src/domain/note/check-note.ts';
import type { FindingMention, Lexicon } from '../../../../src/domain/note/lexicon.ts';

const NAMES: Readonly<Record<string, RegExp>> = {
  'bad-breath': /bad breath|halitosis|mal aliento|mau hálito|halitose/gi,
  'wet-cough': /bringing up muck/gi,
  cough: /cough\w*/gi,
};
const KIN: Readonly<Record<string, readonly string[]>> = { cough: ['cough', 'wet-cough'] };

const LEXICON: Lexicon = {
  mentionsIn: (text) =>
    Object.entries(NAMES).flatMap(([id, name]) =>
      [...text.matchAll(name)].map(({ 0: found, index }): FindingMention => {
        return { id, kind: 'complaint', from: index, to: index + found.length };
      }),
    ),
  kinOf: (id) => new Set(KIN[id] ?? [id]),
  nameOf: (id) => id,
};

type Parts = { readonly section?: string; readonly chart?: ChartToCheck; readonly lexicon?: Lexicon | undefined };

/** Utterances have a bar between them; the clinician (`C:`), the patient and a relative (`R:`) speak. */
function verdicts(language: Language, talk: string, note: string, parts: Parts = {}): string[] {
  const { section = 'SUBJECTIVE', chart, lexicon = LEXICON } = parts;
  const utterances = talk.split(' | ').map((line, index) => {
    const [, who = 'P', text = ''] = /^(?:([CPR]): )?(.*)$/s.exec(line) ?? [];
    const speaker = 'CPR'.indexOf(who);
    return { speaker, text, startSeconds: index, endSeconds: index + 1, confidence: 0.9 };
  });
  const report = checkNote(
    {
      note: { note: { title: '', sections: [{ key: section, title: '', text: note }] } },
      transcript: { language, durationSeconds: utterances.length, utterances },
      language,
      maxUnsupported: {},
      ...(chart && { chart }),
    },
    lexicon,
  );
  return report.statements
    .filter(({ kind }) => ['finding', 'history', 'family', 'social'].includes(kind))
    .map(({ kind, from, to, verdict }) => `${verdict} ${kind} ${note.slice(from, to)}`);
}

describe('Affirmed findings of a note', () => {
  it.each([
    ['en', 'C: Fever? | I did not measure it.', 'Fever not measured.'],
    ['es', 'C: ¿Fiebre? | No la medí.', 'Fiebre no medida.'],
    ['pt', 'C: Febre? | Não medi.', 'Febre não aferida.'],
    ['es', 'C: Le duele aquí. La otra rodilla no duele. | Bueno.', 'Dolor.'],
  ] as const)('in %s after “%s”, “%s” is nothing to contradict', (language, talk, note) => {
    expect(verdicts(language, talk, note).filter((one) => !one.startsWith('supported'))).toEqual([]);
  });

  it.each([
    ['en', 'C: What is wrong? | My breath is foul, bad breath all day.', 'Halitosis.', 'supported finding Halitosis'],
    ['es', 'C: ¿Qué pasa? | Tengo mal aliento todo el día.', 'Halitosis.', 'supported finding Halitosis'],
    ['pt', 'C: O que houve? | Estou com mau hálito.', 'Halitose.', 'supported finding Halitose'],
    ['en', 'C: Any cough? | No, none.', 'Cough.', 'contradicted finding Cough'],
    ['es', 'C: ¿Tiene tos? | No, nada.', 'Tos.', 'contradicted finding Tos'],
    ['pt', 'C: Tem tosse? | Não, nada.', 'Tosse.', 'contradicted finding Tosse'],
    ['en', 'C: Any cough? | Yes, at night.', 'Cough.', 'supported finding Cough'],
    ['en', 'C: Hello. | I itch. My husband has a cough.', 'Cough.', 'contradicted finding Cough'],
    ['es', 'C: Hola. | Yo tengo ronchas. Mi esposo tiene tos.', 'Tos.', 'contradicted finding Tos'],
    ['pt', 'C: Oi. | Eu tenho coceira. Meu marido está com tosse.', 'Tosse.', 'contradicted finding Tosse'],
    ['en', 'C: If you get a fever, call us. | I will.', 'Fever.', 'unsupported finding Fever'],
    ['es', 'C: Si tiene fiebre, llame. | Bueno.', 'Fiebre.', 'unsupported finding Fiebre'],
    ['pt', 'C: Se tiver febre, ligue. | Está bem.', 'Febre.', 'unsupported finding Febre'],
    ['en', 'C: Hello. | I am bringing up muck.', 'Cough.', 'supported finding Cough'],
    ['en', 'C: Hello. | I had a cough every winter as a kid.', 'Cough.', 'supported finding Cough'],
    ['es', 'C: Hola. | De niña tenía tos.', 'Tos.', 'supported finding Tos'],
    ['es', 'C: Las amígdalas están rojas y tiene tos. | Bueno.', 'Tos.', 'supported finding Tos'],
    ['pt', 'C: A perna já não está inchada. | Que bom.', 'Edema.', 'supported finding Edema'],
  ] as const)('in %s after “%s”, “%s” is %s', (language, talk, note, expected) => {
    expect(verdicts(language, talk, note)).toEqual([expected]);
  });

  it.each([
    ['a denial', 'No cough.', 'SUBJECTIVE'],
    ['a doubt', 'Possible cough.', 'SUBJECTIVE'],
    ['a plan', 'Return if cough.', 'PLAN'],
    ['an assessment', 'Cough.', 'ASSESSMENT'],
    ['a syncope that nearly happened', 'Near-syncope.', 'SUBJECTIVE'],
    ['an empty note', '', 'SUBJECTIVE'],
  ])('%s states none', (_, note, section) => {
    expect(verdicts('en', 'C: Hello. | My knee is stiff.', note, { section })).toEqual([]);
  });

  it('a complaint that was not named may have been described', () => {
    expect(verdicts('en', 'C: Hello. | My mouth smells.', 'Halitosis.')).toEqual([]);
  });

  it('what is examined is not unsupported if it was not named', () => {
    expect(verdicts('en', 'C: Hello. | My knee is stiff.', 'Pterygium, cough.', { section: 'OBJECTIVE' })).toEqual([]);
  });

  it('without a lexicon, or in another language than the talk, none is compared', () => {
    const note = 'Cough.';
    expect(verdicts('en', 'C: Any cough? | No.', note)).toHaveLength(1);
    expect(checkNoteOf(undefined)).toEqual([]);
    expect(checkNoteOf(LEXICON, 'fr')).toEqual([]);
  });
});

function checkNoteOf(lexicon: Lexicon | undefined, spoken = 'en') {
  const utterance = { speaker: 0, text: 'No cough.', startSeconds: 0, endSeconds: 1, confidence: 0.9 };
  const { statements } = checkNote(
    {
      note: { note: { title: '', sections: [{ key: 'SUBJECTIVE', title: '', text: 'Cough.' }] } },
      transcript: { language: spoken, durationSeconds: 1, utterances: [utterance] },
      language: 'en',
      maxUnsupported: {},
    },
    lexicon,
  );
  return statements;
}

describe('Histories, families and habits of a note', () => {
  it.each([
    ['en', 'C: Health? | High blood pressure.', 'PMHx: HTN.', 'supported history HTN'],
    ['es', 'C: ¿Salud? | La presión alta.', 'AP: HTA.', 'supported history HTA'],
    ['pt', 'C: Saúde? | Pressão alta.', 'AP: HAS.', 'supported history HAS'],
    ['en', 'C: Ever had a stroke? | Me, no. My aunt had one.', 'Hx CVA.', 'contradicted history CVA'],
    ['es', 'C: ¿Algún derrame? | No. Mi tía sí tuvo uno.', 'Antecedente de ACV.', 'contradicted history ACV'],
    ['pt', 'C: Já teve derrame? | Não. Minha tia teve.', 'Antecedente de AVC.', 'contradicted history AVC'],
    [
      'en',
      'C: Anyone with gallbladder trouble? | My gran had hers out.',
      'S/p cholecystectomy.',
      'contradicted history cholecystectomy',
    ],
    ['en', 'C: Diabetes in the family? | My uncle.', 'FHx: uncle DM.', 'supported family DM'],
    ['es', 'C: ¿Diabetes en la familia? | Mi tío.', 'AF: tío DM.', 'supported family DM'],
    ['pt', 'C: Diabetes na família? | Meu tio.', 'HF: tio DM.', 'supported family DM'],
    ['en', 'C: Diabetes in the family? | My uncle.', 'FHx: mother DM.', 'contradicted family DM'],
    ['es', 'C: ¿Diabetes en la familia? | Mi tío.', 'AF: madre DM.', 'contradicted family DM'],
    ['pt', 'C: Diabetes na família? | Meu tio.', 'HF: mãe DM.', 'contradicted family DM'],
    ['pt', 'C: Asma na família? | Uma tia por parte de mãe.', 'HF: mãe com asma.', 'contradicted family asma'],
    ['en', 'C: Do you smoke? | Ten a day.', 'Smoker.', 'supported social Smoker'],
    ['en', 'C: Do you smoke? | I never did. My wife smokes a lot.', 'Smoker.', 'contradicted social Smoker'],
    ['es', 'C: ¿Fuma? | Yo no. El que fuma es mi hermano.', 'Fumador.', 'contradicted social Fumador'],
    ['pt', 'C: Fuma? | Eu não. Quem fuma é meu irmão.', 'Tabagista.', 'contradicted social Tabagista'],
    ['en', 'C: Do you smoke? | I quit last year.', 'Ex-smoker.', 'supported social smoker'],
    ['es', 'C: ¿Fuma? | Lo dejé hace un año.', 'Fumador activo.', 'contradicted social Fumador'],
    ['pt', 'C: Fuma? | Parei faz um ano.', 'Tabagista.', 'contradicted social Tabagista'],
    ['en', 'C: Do you smoke? | Ten a day. It used to be twenty.', 'Smoker.', 'supported social Smoker'],
    ['en', 'C: Any drink? | No, just at weddings.', 'Occasional EtOH.', 'supported social EtOH'],
  ] as const)('in %s after “%s”, “%s” is %s', (language, talk, note, expected) => {
    expect(verdicts(language, talk, note)).toEqual([expected]);
  });

  it('words of a sentence that were said leave open how its history was called', () => {
    const talk = 'C: Hello. | They took something out in the summer.';
    expect(verdicts('en', talk, 'S/p appendicectomy in summer.')).toEqual([]);
    expect(verdicts('en', 'C: Hello. | I am well.', 'S/p appendicectomy in summer.')).toHaveLength(1);
  });

  it('what was not said is supported by the chart', () => {
    const chart = { allergies: [], drugs: [], problems: [{ text: 'Type 2 diabetes' }] };
    expect(verdicts('en', 'C: Hello.', 'PMHx: T2DM, asthma.', { chart })).toEqual([
      'supported history DM',
      'unsupported history asthma',
    ]);
  });

  it('who brings the patient and speaks of herself is another person', () => {
    const talk = 'C: How is she? | R: She sleeps a lot. I had a stroke myself. | P: I am well. | C: Good?';
    expect(verdicts('en', talk, 'Hx stroke.')).toEqual(['contradicted history stroke']);
  });

  it('a relative who only reports owns nothing', () => {
    expect(verdicts('en', 'C: Hello. | I have asthma.', 'Wife reports asthma.')).toEqual(['supported history asthma']);
  });

  it('a talk or a note of hostile length or form is read', () => {
    const long = 'my mother my father cough smoke ? no '.repeat(3_000);
    expect(() => verdicts('en', long, 'Cough. '.repeat(500))).not.toThrow();
    expect(() => verdicts('es', '¿¿¿', '((( : - s/')).not.toThrow();
  });
});
