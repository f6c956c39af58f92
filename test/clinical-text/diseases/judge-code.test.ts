import { describe, expect, it } from '@jest/globals';
import { judgeCode } from '../../../src/clinical-text/diseases/judge-code.ts';
import { fc } from '../../support/fast-check.ts';
import { type Pair, readPairs } from './pairs.ts';

const RIGHT = readPairs('right-pairs.yaml');
const WRONG = readPairs('wrong-pairs.yaml');
const ALL_RIGHT = Object.values(RIGHT).flat();
const ALL_WRONG = Object.values(WRONG).flat();
/** Every so many pairs is enough: all of them together are over half a million. */
const CROSS_STEP = 97;

function shareOf(pairs: readonly Pair[], verdict: string): number {
  return pairs.filter((pair) => judgeCode(pair) === verdict).length / pairs.length;
}

describe('A right name of a code', () => {
  it('at least 600 right pairs are written by hand', () => {
    expect(ALL_RIGHT.length).toBeGreaterThanOrEqual(600);
  });

  it.each(Object.entries(RIGHT))('none of the right pairs in %s contradicts', (_language, pairs) => {
    expect(pairs.filter((pair) => judgeCode(pair) === 'contradicts')).toEqual([]);
  });

  it.each(Object.entries(RIGHT))('fewer than one in ten of the right pairs in %s is unknown', (_language, pairs) => {
    expect(shareOf(pairs, 'unknown')).toBeLessThan(0.1);
  });

  const words = [
    'acute',
    'suspected',
    'possible',
    'unspecified',
    'rule out',
    'severe',
    'history of',
    'right',
    'in pregnancy',
  ];
  const palabras = [
    'aguda',
    'sospecha de',
    'posible',
    'no especificada',
    'grave',
    'izquierda',
    'en remisión',
    'en el embarazo',
  ];
  const palavras = [
    'agudo',
    'suspeita de',
    'provável',
    'não especificada',
    'leve',
    'direita',
    'em remissão',
    'na gravidez',
  ];
  it.each([...words, ...palabras, ...palavras])(
    '"%s" before or behind a right name never makes it contradict',
    (word) => {
      const longer = ALL_RIGHT.flatMap(({ code, name }) => [
        { code, name: `${word} ${name}` },
        { code, name: `${name}, ${word}` },
      ]);
      expect(longer.filter((pair) => judgeCode(pair) === 'contradicts')).toEqual([]);
    },
  );

  it.each([
    ['R51', 'Migraine', 'fits'],
    ['R07.4', 'Migraine', 'contradicts'],
    ['G43.9', 'Migraine with vertigo', 'fits'],
    ['R42', 'Migraine with vertigo', 'fits'],
    ['J18.9', 'Pneumonia due to influenza', 'fits'],
    ['J11.0', 'Pneumonia due to influenza', 'fits'],
    ['L97.5', 'Diabetic foot ulcer', 'fits'],
    ['I50.9', 'Hypertensive heart failure', 'fits'],
    ['E10.9', 'Type 2 diabetes', 'contradicts'],
    ['G43.909', 'migraine', 'fits'],
    ['g43', 'MIGRAINE', 'fits'],
  ])('%s with "%s" %s', (code, name, verdict) => {
    expect(judgeCode({ code, name })).toBe(verdict);
  });

  it.each([
    ['Z85.3', 'History of breast cancer'],
    ['Z86.7', 'Antecedente de ictus'],
    ['Z87.0', 'História de pneumonia'],
    ['I69.3', 'Sequelae of stroke'],
    ['I69.4', 'Hemiplejía como secuela de un ictus'],
    ['O98.5', 'Hepatitis B in pregnancy'],
    ['O99.3', 'Epilepsia en el embarazo'],
    ['O99.8', 'Apendicite na gravidez'],
    ['P37.8', 'Neonatal listeriosis'],
    ['P23.9', 'Neumonía del recién nacido'],
    ['Q12.0', 'Congenital cataract'],
    ['R07.4', 'Suspected appendicitis'],
    ['Z03.8', 'Rule out pulmonary embolism'],
    ['C85.9', 'Lymphoma in remission'],
    ['F32.5', 'Depressão em remissão'],
    ['T81.4', 'Cellulitis after surgery'],
    ['B96.2', 'Urinary tract infection by E. coli'],
  ])('%s with "%s" is not refused: the context of a disease may have a code of its own', (code, name) => {
    expect(judgeCode({ code, name })).not.toBe('contradicts');
  });
});

describe('A name with the code of another disease', () => {
  it.each(Object.entries(WRONG))('97 % of the wrong pairs in %s contradict', (_language, pairs) => {
    expect(pairs.length).toBeGreaterThanOrEqual(100);
    expect(shareOf(pairs, 'contradicts')).toBeGreaterThanOrEqual(0.97);
  });

  it('none of the wrong pairs fits', () => {
    expect(ALL_WRONG.filter((pair) => judgeCode(pair) === 'fits')).toEqual([]);
  });

  it('90 % of right names contradict a code of another chapter', () => {
    const own = ALL_RIGHT.filter(({ code }) => !/^[RZ]/.test(code));
    const crossed = own.flatMap(({ name, code }, index) =>
      own
        .filter((other, place) => (index + place) % CROSS_STEP === 0 && other.code[0] !== code[0])
        .map((other) => ({ name, code: other.code })),
    );
    expect(crossed.length).toBeGreaterThan(5000);
    expect(shareOf(crossed, 'contradicts')).toBeGreaterThanOrEqual(0.9);
  });
});

describe('A name that the table does not know', () => {
  it.each(['', '   ', 'Patient', 'Blorbification of the snark', '头痛', 'мигрень', '<b></b>', '🤕'])(
    '"%s" is unknown with any code',
    (name) => {
      expect(judgeCode({ name, code: 'G43.9' })).toBe('unknown');
    },
  );

  it.each(['', 'migraine', 'G4', '43.9', 'G43.9; DROP', 'G'.repeat(100_000), '٣٤'])(
    '"%s" is no code, so that a name with it is unknown',
    (code) => {
      expect(judgeCode({ name: 'Migraine', code })).toBe('unknown');
    },
  );

  it('a word that is shared with the official name of the code fits', () => {
    const name = 'Blorbification syndrome';
    expect(judgeCode({ name, code: 'Q87.8', display: 'Congenital blorbification' })).toBe('fits');
    expect(judgeCode({ name, code: 'Q87.8', display: 'Other specified syndromes' })).toBe('unknown');
  });

  it('a part of the body that is shared with the official name of the code is not enough', () => {
    const kidney = { name: 'Kidney stone', code: 'S37.0' };
    expect(judgeCode({ ...kidney, display: 'Injury of kidney' })).toBe(judgeCode(kidney));
  });
});

describe('A hostile name', () => {
  const long = 100_000;
  it.each([
    ['letters without an end', 'a'.repeat(long)],
    ['words without an end', 'pain '.repeat(long / 5)],
    ['accents without an end', `e${'\u0301'.repeat(long)}`],
    ['dots and letters', 'a.'.repeat(long / 2)],
    ['markup', `${'<script>'.repeat(long / 8)}migraine`],
    ['marks', '|*{2}[<pain>]'.repeat(long / 13)],
    ['zero width', '\u200b'.repeat(long)],
    ['half a character', '\ud83e'.repeat(long)],
  ])('%s is answered without an error', (_kind, name) => {
    expect(judgeCode({ name, code: 'G43.9', display: name })).toMatch(/^(fits|unknown|contradicts)$/);
  });

  it('only the beginning of a name counts, so that the work is bounded', () => {
    expect(judgeCode({ name: `Migraine ${' '.repeat(long)}`, code: 'G43.9' })).toBe('fits');
    expect(judgeCode({ name: `${' '.repeat(long)}Migraine`, code: 'G43.9' })).toBe('unknown');
  });

  it('any text as name, code and display is answered without an error', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string(),
        fc.string({ unit: 'grapheme' }),
        (name, code, display) => {
          expect(judgeCode({ name, code, display })).toMatch(/^(fits|unknown|contradicts)$/);
        },
      ),
    );
  });
});

describe('too little and too much of the same', () => {
  it.each([
    ['Hypothyroidism', 'E05.90'],
    ['Hipotiroidismo', 'E05.9'],
    ['Hipotireoidismo', 'E05.9'],
    ['Hyperthyroidism', 'E03.9'],
    ['Hipertireoidismo', 'E03.9'],
    ['Hypotension', 'I10'],
    ['Hipertensión', 'I95.9'],
  ])('%s is not %s', (name, code) => {
    expect(judgeCode({ name, code })).toBe('contradicts');
  });

  it.each([
    ['Hypothyroidism', 'E03.9'],
    ['Hyperkalemia', 'E87.5'],
    ['Hipotensão', 'I95.9'],
    ['Bradycardia', 'R00.1'],
    ['Taquicardia', 'R00.0'],
    ['Diabetic hypoglycemia', 'E11.649'],
    ['Hyperparathyroidism', 'E21.3'],
  ])('%s is %s', (name, code) => {
    expect(judgeCode({ name, code })).not.toBe('contradicts');
  });

  it.each([
    ['Hyperkalemia', 'E87.6', 'Hypokalemia', 'contradicts'],
    ['Hiponatremia', 'E87.0', 'Hyperosmolality and hypernatremia', 'contradicts'],
    ['Hiperpotasemia', 'E87.6', 'Hipopotasemia', 'contradicts'],
    ['Hypokalemia', 'E87.6', 'Hypokalemia', 'fits'],
    ['Hyponatremia', 'E87.1', 'Hypo-osmolality and hyponatremia', 'fits'],
  ])('%s with %s, officially "%s", is: %s', (name, code, display, verdict) => {
    expect(judgeCode({ name, code, display })).toBe(verdict);
  });
});
