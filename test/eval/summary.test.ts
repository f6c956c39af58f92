import { describe, expect, it } from '@jest/globals';
import { aDiagnosis, aNote, aTalk, aVignette } from './made-up-cases.ts';
import { scoreTalk } from './score-talk.ts';
import { scoreVignette } from './score-vignette.ts';
import type { Vignette } from './sets.ts';
import { pointsBelow, summarise } from './summary.ts';

const INFARCTION: Partial<Vignette['expect']> = {
  first: 'I21',
  among3: ['I21'],
  mustNotMiss: ['I21', 'I71'],
  triage: 'RED',
};

describe('A summary of diagnoses', () => {
  const right = scoreVignette(aVignette({ expect: INFARCTION }), aDiagnosis(['I21.9', 'I71.00'], 'RED'));
  const late = scoreVignette(aVignette({ expect: INFARCTION }), aDiagnosis(['K21.9', 'I21.9'], 'WHITE'));
  const wrong = scoreVignette(aVignette({ language: 'es', expect: { not3: ['J18'] } }), aDiagnosis(['J18.9'], 'RED'));
  const absent = scoreVignette(aVignette({ language: 'es', expect: INFARCTION }), { error: 'vendorAnswer' });
  const unseen = scoreVignette(aVignette({ part: 'unseen', expect: INFARCTION }), aDiagnosis([], 'WHITE'));
  const { vignettes, notes, errors } = summarise({ vignettes: [right, late, wrong, absent, unseen], talks: [] });
  const of = (part: string, language: string) =>
    vignettes.find((summary) => summary.part === part && summary.language === language);

  it('counts what is met of what was wanted, and an absent answer as not met', () => {
    expect(of('seen', 'all')).toEqual({
      part: 'seen',
      language: 'all',
      count: 4,
      top1: { met: 1, of: 3 },
      top3: { met: 2, of: 3 },
      top5: { met: 2, of: 3 },
      mustNotMiss: { met: 3, of: 6 },
      asCandidate: { met: 3, of: 6 },
      underCalls: { met: 2, of: 3 },
      overCalls: { met: 1, of: 1 },
      wrong: 1,
      unanswered: 1,
    });
  });

  it('has each language for itself', () => {
    expect(of('seen', 'en')).toMatchObject({ count: 2, top1: { met: 1, of: 2 }, underCalls: { met: 1, of: 2 } });
    expect(of('seen', 'es')).toMatchObject({ count: 2, top1: { met: 0, of: 1 }, unanswered: 1 });
    expect(of('seen', 'pt')).toMatchObject({ count: 0, top1: { met: 0, of: 0 } });
  });

  it('keeps apart what was looked at and what was not', () => {
    expect(of('unseen', 'all')).toMatchObject({ count: 1, top1: { met: 0, of: 1 }, underCalls: { met: 1, of: 1 } });
  });

  it('counts errors by their code, and says nothing of what was not asked for', () => {
    expect(errors).toEqual({ vendorAnswer: 1 });
    expect(notes).toEqual([]);
  });
});

describe('A summary of notes', () => {
  it('counts phrases in their place, right judgements and inventions', () => {
    const talk = aTalk({
      sections: { PLAN: { holds: ['rest', 'water'], lacks: [], silent: false } },
      invented: ['flu'],
    });
    const scores = [
      scoreTalk(talk, aNote({ PLAN: 'Rest.' })),
      scoreTalk({ ...talk, language: 'pt' }, aNote({ PLAN: 'Rest, water, flu.' })),
      scoreTalk({ ...talk, language: 'pt' }, { error: 'vendorUnavailable' }),
    ];
    const { notes, vignettes, errors } = summarise({ vignettes: [], talks: scores });
    const of = (language: string) => notes.find((summary) => summary.language === language);
    expect(of('all')).toEqual({
      language: 'all',
      count: 3,
      placed: { met: 3, of: 6 },
      judged: { met: 2, of: 3 },
      invented: 1,
      unanswered: 1,
    });
    expect(of('pt')).toMatchObject({ placed: { met: 2, of: 4 }, invented: 1, unanswered: 1 });
    expect([vignettes, errors]).toEqual([[], { vendorUnavailable: 1 }]);
  });
});

describe('The gap between languages', () => {
  it('is given in points, above zero if the other is worse', () => {
    expect(pointsBelow({ met: 9, of: 10 }, { met: 8, of: 10 })).toBeCloseTo(10);
    expect(pointsBelow({ met: 8, of: 10 }, { met: 9, of: 10 })).toBeCloseTo(-10);
    expect(pointsBelow({ met: 8, of: 10 }, { met: 0, of: 0 })).toBeUndefined();
  });
});
