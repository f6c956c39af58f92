import { describe, expect, it } from '@jest/globals';
import { aDiagnosis, aVignette } from './made-up-cases.ts';
import { scoreVignette } from './score-vignette.ts';
import type { Vignette } from './sets.ts';

function score(wanted: Partial<Vignette['expect']>, answer: Parameters<typeof scoreVignette>[1]) {
  return scoreVignette(aVignette({ expect: wanted }), answer);
}

describe('A diagnosis that was wanted first', () => {
  it('counts where it is first, also with more digits or as an alternative', () => {
    expect(score({ first: 'I21|I20.0' }, aDiagnosis(['I21.9', 'K21.9'])).isFirst).toBe(true);
    expect(score({ first: 'I21|I20.0' }, aDiagnosis(['I20.0'])).isFirst).toBe(true);
  });

  it('does not count as the second', () => {
    expect(score({ first: 'I21' }, aDiagnosis(['K21.9', 'I21.9'])).isFirst).toBe(false);
  });

  it('is not judged where none was wanted', () => {
    expect(score({}, aDiagnosis(['I21.9'])).isFirst).toBeUndefined();
  });
});

describe('Diagnoses that were wanted among the first', () => {
  it('count among three as the third, and not as the fourth', () => {
    expect(score({ among3: ['J18'] }, aDiagnosis(['A09', 'B34.9', 'J18.9'])).isAmong3).toBe(true);
    expect(score({ among3: ['J18'] }, aDiagnosis(['A09', 'B34.9', 'K21.9', 'J18.9'])).isAmong3).toBe(false);
  });

  it('count only all together', () => {
    expect(score({ among3: ['J18', 'K21'] }, aDiagnosis(['J18.9', 'A09', 'B34.9'])).isAmong3).toBe(false);
  });

  it('count among five with those that were wanted among three', () => {
    const wanted = { among3: ['J18'], among5: ['K21'] };
    expect(score(wanted, aDiagnosis(['A09', 'B34.9', 'R05.1', 'J18.9', 'K21.9'])).isAmong5).toBe(true);
    expect(score(wanted, aDiagnosis(['A09', 'B34.9', 'R05.1', 'K21.9'])).isAmong5).toBe(false);
  });
});

describe('What must not be missed', () => {
  it('counts at any place, each for itself', () => {
    const answer = aDiagnosis(['A09', 'B34.9', 'R05.1', 'J18.9', 'K21.9', 'I26.99']);
    expect(score({ mustNotMiss: ['I26', 'I71'] }, answer)).toMatchObject({ mustNotMiss: 2, found: 1 });
  });

  it('counts where the rules name it as not to be overlooked, but not as a candidate', () => {
    const { diagnosis, triage } = aDiagnosis(['K21.9']);
    const why =
      'Speaks for it: heartburn. To be excluded beside it, although little or nothing of what was said points to it in particular: ' +
      'Pulmonary embolism; Acute aortic dissection.';
    const answer = { diagnosis: { diseases: diagnosis.diseases.map((one) => ({ ...one, why })) }, triage };
    expect(score({ mustNotMiss: ['I26', 'I71', 'I21'] }, answer)).toMatchObject({ found: 2, foundAsCandidate: 0 });
  });

  it('counts where the rules ask for the pregnancy on which it depends', () => {
    const { diagnosis, triage } = aDiagnosis(['K35.80']);
    const triage_recommendation =
      'See this person now. Not stated, and to be asked or tested: whether there is a pregnancy (pregnancy test).';
    const answer = { diagnosis, triage: { ...triage, triage_recommendation } };
    expect(score({ mustNotMiss: ['O00', 'K35'] }, answer)).toMatchObject({ found: 2, foundAsCandidate: 1 });
  });

  it('does not count where a text only mentions it', () => {
    const { diagnosis, triage } = aDiagnosis(['K21.9']);
    const why = 'Unlike a pulmonary embolism, this burns.';
    const answer = { diagnosis: { diseases: diagnosis.diseases.map((one) => ({ ...one, why })) }, triage };
    expect(score({ mustNotMiss: ['I26'] }, answer)).toMatchObject({ found: 0, foundAsCandidate: 0 });
  });
});

describe('Triage', () => {
  it.each([
    ['RED', 'RED', 'right'],
    ['WHITE', 'WHITE', 'right'],
    ['RED', 'WHITE', 'under'],
    ['WHITE', 'RED', 'over'],
  ] as const)('that should be %s and is %s is %s', (wanted, given, judged) => {
    expect(score({ triage: wanted }, aDiagnosis(['A09'], given)).triage).toBe(judged);
  });

  it('that should be RED and was not given at all is an under-call', () => {
    expect(score({ triage: 'RED' }, { error: 'vendorAnswer' }).triage).toBe('under');
    expect(score({ triage: 'WHITE' }, { error: 'vendorAnswer' }).triage).toBe('none');
  });
});

describe('A disease in a forbidden place', () => {
  it('is reported if it is among the first three', () => {
    expect(score({ not3: ['J18'] }, aDiagnosis(['J18.9'])).wrong).toEqual(['J18']);
    expect(score({ not3: ['J18'] }, aDiagnosis(['A09', 'B34.9', 'R05.1', 'J18.9'])).wrong).toEqual([]);
  });

  it('is any disease that is put forward where there is none', () => {
    expect(
      score(
        { nothing: true },
        aDiagnosis([
          ['A09', 0.6],
          ['B34.9', 0.4],
        ]),
      ).wrong,
    ).toEqual(['A09']);
    expect(score({}, aDiagnosis([['A09', 0.6]])).wrong).toEqual([]);
  });
});

describe('A case without an answer', () => {
  it('counts as if the answer had been empty', () => {
    const wanted = { first: 'I21', among3: ['I21'], mustNotMiss: ['I21'] };
    expect(score(wanted, { error: 'vendorUnavailable' })).toMatchObject({
      isFirst: false,
      isAmong3: false,
      isAmong5: false,
      mustNotMiss: 1,
      found: 0,
      wrong: [],
      error: 'vendorUnavailable',
    });
  });
});
