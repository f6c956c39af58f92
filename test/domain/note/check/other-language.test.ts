// A note in another language than the conversation: drugs and doses that were said in the one are found in the other.
import { describe, expect, it } from '@jest/globals';
import { LANGUAGES, type Language } from '../../../../src/domain/language.ts';
import { statementsOf } from './check-cases.ts';

type Texts = Readonly<Record<Language, string>>;

/** The same in each language; as it is said, and as it is written. */
const CASES: readonly { readonly said: Texts; readonly written: Texts }[] = [
  {
    said: {
      en: 'I take five hundred milligrams of amoxicillin three times a day for seven days.',
      es: 'Tomo quinientos miligramos de amoxicilina tres veces al día durante siete días.',
      pt: 'Tomo quinhentos miligramas de amoxicilina três vezes ao dia por sete dias.',
    },
    written: {
      en: 'Amoxicillin 500 mg three times daily for 7 days.',
      es: 'Amoxicilina 500 mg tres veces al día por 7 días.',
      pt: 'Amoxicilina 500 mg três vezes ao dia por 7 dias.',
    },
  },
  {
    said: {
      en: 'Diphenhydramine, one and a half tablets at bedtime.',
      es: 'Difenhidramina, una tableta y media al acostarse.',
      pt: 'Difenidramina, um comprimido e meio ao deitar.',
    },
    written: {
      en: 'Diphenhydramine 1.5 tablets at bedtime.',
      es: 'Difenhidramina 1,5 tabletas al acostarse.',
      pt: 'Difenidramina 1,5 comprimidos ao deitar.',
    },
  },
  {
    said: {
      en: 'Acenocoumarol two milligrams every other day.',
      es: 'Acenocumarol dos miligramos día por medio.',
      pt: 'Acenocumarol dois miligramas dia sim, dia não.',
    },
    written: {
      en: 'Acenocoumarol 2 mg every other day.',
      es: 'Acenocumarol 2 mg día por medio.',
      pt: 'Acenocumarol 2 mg dia sim, dia não.',
    },
  },
  {
    said: {
      en: 'Mometasone two sprays in each nostril.',
      es: 'Mometasona dos pulverizaciones en cada fosa nasal.',
      pt: 'Mometasona dois jatos em cada narina.',
    },
    written: {
      en: 'Mometasone 2 sprays in each nostril.',
      es: 'Mometasona 2 pulverizaciones en cada fosa nasal.',
      pt: 'Mometasona 2 jatos em cada narina.',
    },
  },
  {
    said: {
      en: 'Erythropoietin two thousand units weekly.',
      es: 'Eritropoyetina dos mil unidades semanales.',
      pt: 'Eritropoetina duas mil unidades semanais.',
    },
    written: {
      en: 'Erythropoietin 2000 units weekly.',
      es: 'Eritropoyetina 2000 unidades semanales.',
      pt: 'Eritropoetina 2000 unidades por semana.',
    },
  },
  {
    said: {
      en: 'Tacrolimus and tamsulosin, each one milligram.',
      es: 'Tacrolimus y tamsulosina, un miligramo cada una.',
      pt: 'Tacrolimo e tansulosina, um miligrama cada.',
    },
    written: { en: 'Tacrolimus, tamsulosin.', es: 'Tacrolimus, tamsulosina.', pt: 'Tacrolimo, tansulosina.' },
  },
  {
    said: {
      en: 'The temperature is thirty eight point five degrees, the pressure one forty over ninety.',
      es: 'La temperatura es de treinta y ocho coma cinco grados, la presión ciento cuarenta sobre noventa.',
      pt: 'A temperatura é de trinta e oito vírgula cinco graus, a pressão cento e quarenta por noventa.',
    },
    written: {
      en: 'Temperature 38.5 °C, BP 140/90.',
      es: 'Temperatura 38,5 °C, PA 140/90.',
      pt: 'Temperatura 38,5 °C, PA 140/90.',
    },
  },
];

const PAIRS = LANGUAGES.flatMap((spoken) => LANGUAGES.map((note) => [spoken, note] as const));

describe.each(PAIRS)('a conversation in %s and a note in %s', (spoken, language) => {
  it.each(CASES)('support each other: $said.en', ({ said, written }) => {
    const statements = statementsOf(said[spoken], written[language], language, spoken);
    expect(statements.length).toBeGreaterThan(0);
    expect(statements.filter((statement) => statement.startsWith('-'))).toEqual([]);
  });

  it('do not support another dose or another drug', () => {
    const [first] = CASES;
    const wrong = first?.written[language].replace('500', '850') ?? '';
    expect(statementsOf(first?.said[spoken] ?? '', wrong, language, spoken)).toContain('-dose 850 mg');
    const other = { en: 'Azithromycin', es: 'Azitromicina', pt: 'Azitromicina' }[language];
    expect(statementsOf(first?.said[spoken] ?? '', `${other}.`, language, spoken)).toEqual([`-drug ${other}`]);
  });
});
