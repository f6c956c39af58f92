// Made-up answers of a model: a diagnosis and notes in three languages, in the requested form.
import type { Language } from '../../src/domain/language.ts';

/** The parts of a request that decide the answer. */
export type ModelRequest = {
  readonly language: Language;
  /** The value is `differential_diagnosis`, `clinical_note` or `statement_verdicts`. */
  readonly schemaName: string;
  readonly schema: JsonSchema;
  /** The messages with data, as text. */
  readonly data: readonly string[];
};
export type JsonSchema = {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly enum?: readonly string[];
};

type DiagnosisTexts = {
  readonly names: readonly [string, string, string];
  readonly why: readonly [string, string, string];
  readonly tests: readonly [string, string];
  readonly care: string;
  readonly drug: {
    readonly name: string;
    readonly class: string;
    readonly dosage: string;
    readonly considerations: string;
  };
  readonly justification: string;
  readonly recommendation: string;
  readonly nothing: string;
};

const DIAGNOSIS_TEXTS: Record<Language, DiagnosisTexts> = {
  en: {
    names: ['Community-acquired pneumonia', 'Acute bronchitis', 'Pulmonary embolism'],
    why: [
      'Fever, productive cough and “crackles” at the right base for four days speak for it.',
      'Cough after a cold speaks for it; the height of the fever speaks against it.',
      'Pleuritic pain and a fast pulse: must not be missed, although there is no leg swelling.',
    ],
    tests: ['Chest radiograph', 'C-reactive protein'],
    care: 'Assess severity with CRB-65',
    drug: {
      name: 'Amoxicillin',
      class: 'Aminopenicillin',
      dosage: '500 mg to 1 g three times a day',
      considerations: 'Not with penicillin allergy; adjust in renal failure.',
    },
    justification: 'Shortness of breath at rest together with pleuritic pain.',
    recommendation: 'To be seen by a clinician today, with pulse oximetry.',
    nothing: 'No health content was found.',
  },
  es: {
    names: ['Neumonía adquirida en la comunidad', 'Bronquitis aguda', 'Embolia pulmonar'],
    why: [
      'Fiebre, tos productiva y «crepitantes» en la base derecha desde hace cuatro días.',
      'La tos tras un resfriado la apoya; la fiebre alta habla en contra.',
      'Dolor pleurítico y pulso rápido: no debe pasarse por alto, aunque no hay edema.',
    ],
    tests: ['Radiografía de tórax', 'Proteína C reactiva'],
    care: 'Valorar la gravedad con CRB-65',
    drug: {
      name: 'Amoxicilina',
      class: 'Aminopenicilina',
      dosage: 'De 500 mg a 1 g tres veces al día',
      considerations: 'No con alergia a la penicilina; ajustar en insuficiencia renal.',
    },
    justification: 'Dificultad respiratoria en reposo junto con dolor pleurítico.',
    recommendation: 'Valoración clínica hoy mismo, con pulsioximetría.',
    nothing: 'No se encontró contenido de salud.',
  },
  pt: {
    names: ['Pneumonia adquirida na comunidade', 'Bronquite aguda', 'Embolia pulmonar'],
    why: [
      'Febre, tosse produtiva e «crepitações» na base direita há quatro dias.',
      'A tosse após um resfriado apoia; a febre alta fala contra.',
      'Dor pleurítica e pulso rápido: não pode passar despercebida, embora não haja edema.',
    ],
    tests: ['Radiografia de tórax', 'Proteína C-reativa'],
    care: 'Avaliar a gravidade com CRB-65',
    drug: {
      name: 'Amoxicilina',
      class: 'Aminopenicilina',
      dosage: 'De 500 mg a 1 g três vezes ao dia',
      considerations: 'Não usar com alergia à penicilina; ajustar na insuficiência renal.',
    },
    justification: 'Falta de ar em repouso com dor pleurítica.',
    recommendation: 'Avaliação clínica ainda hoje, com oximetria.',
    nothing: 'Nenhum conteúdo de saúde foi encontrado.',
  },
};

const NOTE_TEXTS: Record<Language, { readonly title: string; readonly section: string; readonly field: string }> = {
  en: { title: 'Visit for cough', section: 'Cough for three days, no fever, no known allergies', field: 'three days' },
  es: {
    title: 'Consulta por tos',
    section: 'Tos desde hace tres días, sin fiebre ni alergias conocidas',
    field: 'tres días',
  },
  pt: {
    title: 'Consulta por tosse',
    section: 'Tosse há três dias, sem febre, sem alergias conhecidas',
    field: 'três dias',
  },
};

/** The form on the wire: names of the interface, and null for absent values. */
export function diagnosisAnswer(language: Language) {
  const texts = DIAGNOSIS_TEXTS[language];
  const disease = (index: 0 | 1 | 2, icd10_code: string, probability: number, category: string) => ({
    name: texts.names[index],
    icd10_code,
    probability,
    category,
    why: texts.why[index],
    diagnostic_tests: [...texts.tests],
  });
  return {
    diagnosis: {
      diseases: [
        {
          ...disease(0, 'J18.9', 0.62, 'most-likely'),
          standard_care: [{ name: texts.care, url: 'https://www.nice.org.uk/guidance/cg191' }],
          drugs: [{ ...texts.drug, first_line: true }],
        },
        { ...disease(1, 'J20.9', 0.25, 'expanded'), standard_care: [], drugs: [] },
        { ...disease(2, 'I26.9', 0.07, 'cant-miss'), standard_care: [{ name: texts.care, url: null }], drugs: null },
      ],
    },
    triage: {
      triage_level: 'RED',
      triage_justification: texts.justification,
      triage_recommendation: texts.recommendation,
    },
  };
}

/** Returns the answer to a text without health content. */
export function nothingFoundAnswer(language: Language) {
  const { nothing } = DIAGNOSIS_TEXTS[language];
  return {
    diagnosis: { diseases: [] },
    triage: { triage_level: 'WHITE', triage_justification: nothing, triage_recommendation: nothing },
  };
}

export function noteAnswer({ language, schema }: Pick<ModelRequest, 'language' | 'schema'>) {
  const texts = NOTE_TEXTS[language];
  const keys = schema.properties?.['sections']?.items?.properties?.['key']?.enum ?? [];
  const fields = schema.properties?.['dynamic_fields']?.properties;
  return {
    is_medical: true,
    title: texts.title,
    sections: keys.map((key) => ({ key, statements: [{ text: `${texts.section} (${key}).`, utterances: [1] }] })),
    ...(fields && {
      dynamic_fields: Object.fromEntries(Object.keys(fields).map((name) => [name, `${texts.field} (${name})`])),
    }),
  };
}

export function notMedicalAnswer() {
  return { is_medical: false, title: '', sections: [] };
}

export type PlayedVerdict = {
  readonly id: string;
  readonly verdict: string;
  readonly utterances: readonly number[];
  readonly words: string;
};

/** Judges each statement by `judge`; without it every statement is supported by the first utterance of the talk. */
export function verdictsAnswer(
  { data }: Pick<ModelRequest, 'data'>,
  judge: (text: string) => Partial<PlayedVerdict> = () => ({}),
): { readonly verdicts: readonly PlayedVerdict[] } {
  const [talk = '', , statements = ''] = data.map((text) => text.split('\n').slice(1, -1).join('\n'));
  const words = /^1 Speaker \d+: (.*)$/m.exec(talk)?.[1] ?? '';
  const supported = { verdict: 'supported', utterances: [1], words };
  const asked = statements
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly id: string; readonly text: string });
  return { verdicts: asked.map(({ id, text }) => ({ id, ...supported, ...judge(text) })) };
}

/** Returns an answer in the requested form. */
export function usualAnswer(asked: ModelRequest): unknown {
  if (asked.schemaName === 'statement_verdicts') return verdictsAnswer(asked);
  return asked.schemaName === 'clinical_note' ? noteAnswer(asked) : diagnosisAnswer(asked.language);
}
