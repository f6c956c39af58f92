import { describe, expect, it } from '@jest/globals';
import { compilePhrase } from '../../../src/clinical-text/phrases/phrase-notation.ts';
import { LANGUAGES } from '../../../src/domain/language.ts';
import { CUE_KINDS } from '../../../src/rules/extraction/cue-kinds.ts';
import { fc } from '../../support/fast-check.ts';
import { SHIPPED_LANGUAGES } from '../knowledge/shipped-languages.ts';
import { extract, shortly, workOf } from './small-lexicon.ts';

const COMPLAINTS = {
  en: ['fever', 'cough', 'rash', 'headache', 'vomiting', 'shortness of breath', 'chest pain', 'diarrhea'],
  es: ['fiebre', 'tos', 'sarpullido', 'cefalea', 'vomitos', 'disnea', 'dolor toracico', 'diarrea'],
  pt: ['febre', 'tosse', 'manchas na pele', 'cefaleia', 'vomitos', 'dispneia', 'dor toracica', 'diarreia'],
} as const;
const IDS = ['fever', 'cough', 'rash', 'headache', 'vomiting', 'breathlessness', 'chest-pain', 'diarrhoea'];
const FRAMES = {
  en: [
    'The patient has §.',
    'No §.',
    'She denies § since yesterday.',
    'Possible §.',
    'Her mother had §.',
    'Last year he had §.',
    'Return if §.',
    'BP 120/80 and §.',
  ],
  es: [
    'El paciente tiene §.',
    'Sin §.',
    'La paciente niega § desde ayer.',
    'Posible §.',
    'Su madre tuvo §.',
    'El año pasado tuvo §.',
    'Volver si aparece §.',
    'TA 120/80 y §.',
  ],
  pt: [
    'O paciente tem §.',
    'Sem §.',
    'A paciente nega § desde ontem.',
    'Possível §.',
    'A mãe teve §.',
    'No ano passado teve §.',
    'Retornar se apresentar §.',
    'PA 120x80 e §.',
  ],
} as const;
const NEGATED = {
  en: ['No §.', 'Denies §.', 'without §', 'negative for §', 'never had §'],
  es: ['No §.', 'Niega §.', 'sin §', 'ausencia de §', 'nunca §'],
  pt: ['Não tem §.', 'Nega §.', 'sem §', 'ausência de §', 'nunca §'],
} as const;

const aComplaint = fc.integer({ min: 0, max: IDS.length - 1 });
const someSentences = fc.constantFrom(...LANGUAGES).chain((language) =>
  fc.array(
    fc
      .tuple(fc.constantFrom(...FRAMES[language]), aComplaint)
      .map(([frame, at]) => frame.replace('§', COMPLAINTS[language][at] ?? '')),
    { minLength: 1, maxLength: 8 },
  ),
);

function presentIn(text: string): string[] {
  return Array.from(extract(text).findings.values())
    .filter(({ presence: told }) => told === 'present')
    .map(({ id }) => id);
}

describe('Any history', () => {
  it('the order of the sentences does not change the findings', () => {
    fc.assert(
      fc.property(
        someSentences.chain((sentences) =>
          fc.tuple(fc.constant(sentences), fc.shuffledSubarray(sentences, { minLength: sentences.length })),
        ),
        ([sentences, shuffled]) => {
          const one = extract(sentences.join(' '));
          const other = extract(shuffled.join(' '));
          expect([...other.findings]).toEqual([...one.findings]);
          expect([other.family, other.past, other.language]).toEqual([one.family, one.past, one.language]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('a negation makes a present finding absent in each language', () => {
    for (const language of LANGUAGES) {
      for (const [at, complaint] of COMPLAINTS[language].entries()) {
        expect({ complaint, heard: shortly(extract(`${complaint}.`)) }).toEqual({ complaint, heard: IDS[at] });
        for (const frame of NEGATED[language]) {
          const text = frame.replace('§', complaint);
          expect({ text, heard: shortly(extract(text)) }).toEqual({ text, heard: `-${IDS[at]}` });
        }
      }
    }
  });

  it('more text never removes a present finding', () => {
    fc.assert(
      fc.property(
        fc
          .constantFrom(...LANGUAGES)
          .chain((language) =>
            fc.tuple(fc.constant(language), aComplaint, fc.constantFrom(...FRAMES[language]), aComplaint),
          ),
        ([language, first, frame, second]) => {
          const before = FRAMES[language][0].replace('§', COMPLAINTS[language][first] ?? '');
          const more = frame.replace('§', COMPLAINTS[language][second] ?? '');
          expect(presentIn(`${before} ${more}`)).toEqual(expect.arrayContaining(presentIn(before)));
          expect(presentIn(`${more} ${before}`)).toEqual(expect.arrayContaining(presentIn(before)));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('the same text always gives the same facts, and no text throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        expect(extract(text)).toEqual(extract(text));
      }),
      { numRuns: 200 },
    );
  });

  it('names of JavaScript object members are ordinary words', () => {
    for (const text of [
      'constructor',
      '__proto__ toString hasOwnProperty',
      'cough constructor 5 constructor',
      'valueOf fever',
    ]) {
      expect(() => extract(text)).not.toThrow();
    }
    expect(presentIn('valueOf fever')).toEqual(['fever']);
  });

  it('a quote has at most 80 characters', () => {
    const said = extract(`never had ${'a'.repeat(100)} headache like this`).findings.get('worst-headache')?.quote;
    expect(said).toHaveLength(80);
  });
});

describe('Long and hostile texts', () => {
  it.each([
    ['a list of denials', 'no fever, '],
    ['one word', 'fever '],
    ['words that begin phrases', 'pain in the chest pain '],
    ['relatives', 'mother had diabetes '],
    ['warnings', 'return if fever '],
    ['questions', 'fever? '],
    ['unknown long words', 'zwqtrplkion '],
    ['numbers', '120/80 '],
    ['years', 'in 2015 fever '],
    ['phrases that almost go on', 'cough with lots of '],
    ['dots', 'a.'],
    ['brackets', '([{'],
  ])('ten times the text of %s is at most eleven times the work', (_, piece) => {
    const small = workOf(piece.repeat(400));
    const large = workOf(piece.repeat(4000));
    expect(large).toBeLessThanOrEqual(small * 11 + 10);
    expect(large).toBeLessThanOrEqual(piece.length * 4000 * 12);
  });

  it('any text of 200 KB is read to the end', () => {
    const endless = [
      'fever and '.repeat(20_000),
      'a'.repeat(200_000),
      '?'.repeat(200_000),
      ' \n'.repeat(100_000),
      "a'".repeat(100_000),
      '38,5'.repeat(50_000),
    ];
    for (const text of endless) expect(extract(text).isHealth).toBe(text.includes('fever'));
  });
});

describe('The phrases of all cue words', () => {
  it('are valid phrases', () => {
    const broken = LANGUAGES.flatMap((language) =>
      CUE_KINDS.flatMap((kind) =>
        (SHIPPED_LANGUAGES.cues[language][kind] ?? []).filter((phrase) => 'problem' in compilePhrase(phrase)),
      ),
    );
    expect(broken).toEqual([]);
  });
});
