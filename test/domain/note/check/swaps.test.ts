import { describe, expect, it } from '@jest/globals';
import { LANGUAGES, type Language } from '../../../../src/domain/language.ts';
import { statementsOf } from './check-cases.ts';

// Pairs of drugs that hospitals have confused, because they look or sound alike.
const LOOK_ALIKES = `
hydroxyzine hydralazine|clonidine klonopin|clonidine clonazepam|celebrex celexa|lamictal lamisil|lamotrigine lamivudine|zantac xanax
prednisone prednisolone|metformin metronidazole|tramadol trazodone|bupropion buspirone|glipizide glyburide|novolog novolin|humalog humulin
vinblastine vincristine|dopamine dobutamine|cefazolin ceftriaxone|sulfadiazine sulfasalazine|amlodipine amiloride|cycloserine cyclosporine
chlorpromazine chlorpropamide|fluoxetine paroxetine|duloxetine fluoxetine|hydrocodone oxycodone|medroxyprogesterone methylprednisolone
risperidone ropinirole|atenolol albuterol|zyprexa zyrtec|quinine quinidine|ephedrine epinephrine|metoprolol misoprostol|cefuroxime cefotaxime
levetiracetam levofloxacin|penicillin penicillamine|losartan valsartan|omeprazole pantoprazole|esomeprazole omeprazole|citalopram escitalopram
ranitidine rimantadine|nifedipine felodipine|carvedilol captopril|ceftazidime cefotaxime|diazepam lorazepam|alprazolam lorazepam
fentanyl sufentanil|morphine hydromorphone|oxycodone oxycontin-free|tolterodine tizanidine|valacyclovir valganciclovir|rifampin rifaximin
mesalamine mercaptopurine|propranolol propafenone|pioglitazone rosiglitazone|sitagliptin saxagliptin|empagliflozin dapagliflozin
ketorolac ketamine|doxycycline dicyclomine|methimazole metolazone|spironolactone sotalol|tamoxifen tamsulosin|venlafaxine desvenlafaxine
cetirizine sertraline|loratadine lorazepam|warfarin coumadin-free|lantus latuda|januvia jantoven-free|plavix paxil|lasix luvox
`;
const PAIRS = LOOK_ALIKES.split(/[|\n]/)
  .map((pair) => pair.trim().split(' '))
  .filter(([one, other]) => one && other && !other.endsWith('-free'))
  .flatMap(([one = '', other = '']) => [
    [one, other],
    [other, one],
  ]);

const BODY: Readonly<Record<Language, string>> = {
  en: 'knee shoulder ear eye hand foot hip ankle wrist elbow arm leg lung kidney breast thigh hand finger toe ovary',
  es: 'rodilla hombro oído ojo mano pie cadera tobillo muñeca codo brazo pierna pulmón riñón mama muslo dedo ovario',
  pt: 'joelho ombro ouvido olho mão pé quadril tornozelo punho cotovelo braço perna pulmão rim mama coxa dedo ovário',
};
const SIDES: Readonly<Record<Language, (side: 'left' | 'right', part: string) => string>> = {
  en: (side, part) => `${side} ${part}`,
  es: (side, part) => `${part} ${side === 'left' ? 'izquierdo' : 'derecho'}`,
  pt: (side, part) => `${part} ${side === 'left' ? 'esquerdo' : 'direito'}`,
};
const SIDED = LANGUAGES.flatMap((language) =>
  BODY[language]
    .split(' ')
    .flatMap((part) => [
      [language, SIDES[language]('left', part), SIDES[language]('right', part)] as const,
      [language, SIDES[language]('right', part), SIDES[language]('left', part)] as const,
    ]),
);

const FINDINGS: Readonly<Record<Language, readonly [have: string, without: string, findings: string]>> = {
  en: [
    'I have',
    'Denies',
    'fever|chills|cough|nausea|vomiting|diarrhea|constipation|headache|dizziness|palpitations|chest pain|abdominal pain|back pain|rash|itching|swelling|shortness of breath|wheezing|fatigue|night sweats|weight loss|numbness|weakness|blurred vision|sore throat|dysuria|hematuria|bleeding|seizures|hallucinations|anxiety|insomnia',
  ],
  es: [
    'Tengo',
    'Niega',
    'fiebre|escalofríos|tos|náuseas|vómitos|diarrea|estreñimiento|dolor de cabeza|mareo|palpitaciones|dolor en el pecho|dolor abdominal|dolor de espalda|erupción|picazón|hinchazón|falta de aire|fatiga|sudores|hormigueo|debilidad|visión borrosa|dolor de garganta|disuria|hematuria|sangrado|convulsiones|ansiedad|insomnio',
  ],
  pt: [
    'Tenho',
    'Nega',
    'febre|calafrios|tosse|náusea|vômitos|diarreia|constipação|dor de cabeça|tontura|palpitações|dor no peito|dor abdominal|dor nas costas|erupção|coceira|inchaço|falta de ar|fadiga|sudorese|formigamento|fraqueza|visão turva|dor de garganta|disúria|hematúria|sangramento|convulsões|ansiedade|insônia',
  ],
};
const FLIPS = LANGUAGES.flatMap((language) => {
  const [have, without, findings] = FINDINGS[language];
  return findings.split('|').map((finding) => [language, `${have} ${finding}.`, `${without} ${finding}.`] as const);
});

const DOSED: readonly (readonly [language: Language, said: string, note: string])[] = [
  ['en', 'Take metformin 500 milligrams and glipizide 10 milligrams.', 'Glipizide 500 mg, metformin 10 mg.'],
  ['en', 'Take metformin five hundred and glipizide ten.', 'Glipizide 500 mg, metformin 10 mg.'],
  ['en', '500 of metformin and 10 of glipizide', 'Glipizide 500 mg, metformin 10 mg.'],
  ['en', 'Metformin 500. | Okay. | And glipizide 10.', 'Glipizide 500 mg, metformin 10 mg.'],
  ['es', 'Tome metformina de 500 miligramos y enalapril de 10.', 'Enalapril 500 mg, metformina 10 mg.'],
  ['es', 'quinientos de metformina y diez de enalapril', 'Enalapril 500 mg, metformina 10 mg.'],
  ['pt', 'Tome metformina de 500 miligramas e enalapril de 10.', 'Enalapril 500 mg, metformina 10 mg.'],
  ['pt', 'quinhentos de metformina e dez de enalapril', 'Enalapril 500 mg, metformina 10 mg.'],
];

describe('a note that confuses drugs, sides, denials or doses', () => {
  it.each(PAIRS)('a spoken %s does not support a written %s', (said, written) => {
    expect(statementsOf(`I take ${said}.`, `Takes ${written}.`, 'en')).toContain(`-drug ${written}`);
    expect(statementsOf(`I take ${said}.`, `Takes ${said}.`, 'en')).toEqual([`+drug ${said}`]);
  });

  it.each(SIDED)('in %s, “%s” does not support “%s”', (language, said, written) => {
    expect(statementsOf(`${said}.`, `${written}.`, language)).toEqual([`-laterality ${written}`]);
    expect(statementsOf(`${said}.`, `${said}.`, language)).toEqual([`+laterality ${said}`]);
  });

  it.each(FLIPS)('in %s, “%s” does not support the denial “%s”', (language, said, written) => {
    const statements = statementsOf(said, written, language);
    expect(statements).toEqual([expect.stringMatching(/^-negation/)]);
    const denied = statementsOf(written, written, language);
    expect(denied).toEqual([expect.stringMatching(/^\+negation/)]);
  });

  it.each(DOSED)('in %s, the doses of “%s” do not support “%s”', (language, said, note) => {
    expect(statementsOf(said, note, language).filter((statement) => /dose/.test(statement))).toEqual([
      '-dose 500 mg',
      '-dose 10 mg',
    ]);
  });
});
