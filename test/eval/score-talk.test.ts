import { describe, expect, it } from '@jest/globals';
import { aNote, aTalk } from './made-up-cases.ts';
import { scoreTalk } from './score-talk.ts';

const COUGH = {
  sections: {
    SUBJECTIVE: { holds: ['cough', 'three days|3 days'], lacks: ['amoxicillin'], silent: false },
    OBJECTIVE: { holds: [], lacks: [], silent: true },
  },
};

describe('A note', () => {
  it('has everything in its place', () => {
    const note = aNote({ SUBJECTIVE: 'Cough for 3 days.', OBJECTIVE: 'Not discussed.' });
    expect(scoreTalk(aTalk(COUGH), note)).toMatchObject({ wanted: 4, placed: 4, missed: [], isJudgedRight: true });
  });

  it('reports what is missing, what is in a wrong section, and what was never said', () => {
    const note = aNote({ SUBJECTIVE: 'Cough. Amoxicillin.', OBJECTIVE: 'Lungs clear.' });
    expect(scoreTalk(aTalk(COUGH), note)).toMatchObject({
      wanted: 4,
      placed: 1,
      missed: ['SUBJECTIVE holds "three days|3 days"', 'SUBJECTIVE lacks "amoxicillin"', 'OBJECTIVE is silent'],
    });
  });

  it('without a section has nothing of it in its place, not even silence', () => {
    expect(scoreTalk(aTalk(COUGH), aNote({ SUBJECTIVE: 'Cough for three days.' })).missed).toEqual([
      'OBJECTIVE is silent',
    ]);
  });

  it.each(['Not discussed', 'No se trató.', 'Não abordado.', ''])('says with “%s” that nothing was said', (words) => {
    const talk = aTalk({ sections: { PLAN: { holds: [], lacks: [], silent: true } } });
    expect(scoreTalk(talk, aNote({ PLAN: words })).missed).toEqual([]);
  });

  it('is compared without case and accents', () => {
    const talk = aTalk({ sections: { PLAN: { holds: ['reposição'], lacks: [], silent: false } } });
    expect(scoreTalk(talk, aNote({ PLAN: 'REPOSICAO de líquidos' })).placed).toBe(1);
  });

  it('may invent nothing, in its sections, its title or its fields', () => {
    const talk = aTalk({ invented: ['hypertension', 'ibuprofen|advil', 'flu', 'cough'] });
    const note = aNote({ PLAN: 'Advil at night.' }, { history: 'Hypertension' });
    expect(scoreTalk(talk, note).invented).toEqual(['hypertension', 'ibuprofen|advil', 'cough']);
  });
});

describe('A dynamic field', () => {
  const talk = aTalk({ fields: { blood_pressure: '120/80', next_visit: '' } });

  it('holds what was said, and is empty if nothing was said', () => {
    expect(scoreTalk(talk, aNote({}, { blood_pressure: '120/80 mmHg', next_visit: '' })).missed).toEqual([]);
  });

  it('is missed where it holds something else, or is not there', () => {
    expect(scoreTalk(talk, aNote({}, { blood_pressure: '130/80', next_visit: 'Monday' })).placed).toBe(0);
    expect(scoreTalk(talk, aNote({})).placed).toBe(0);
  });
});

describe('A talk without a note', () => {
  it('has nothing in its place, where it is medical', () => {
    const score = scoreTalk(aTalk({ ...COUGH, fields: { next_visit: '' } }), { isMedical: false });
    expect(score).toMatchObject({ isJudgedRight: false, wanted: 5, placed: 0, invented: [] });
  });

  it('is judged right, where it is not medical', () => {
    const talk = aTalk({ medical: false });
    expect(scoreTalk(talk, { isMedical: false })).toMatchObject({ isJudgedRight: true, wanted: 0 });
    expect(scoreTalk(talk, aNote({ PLAN: 'Rest.' })).isJudgedRight).toBe(false);
  });

  it('because the answer failed is never judged right', () => {
    const error = { error: 'vendorAnswer' } as const;
    expect(scoreTalk(aTalk({ medical: false }), error)).toMatchObject({ isJudgedRight: false, error: 'vendorAnswer' });
    expect(scoreTalk(aTalk(COUGH), error)).toMatchObject({ wanted: 4, placed: 0, error: 'vendorAnswer' });
  });
});
