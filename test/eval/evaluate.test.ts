import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../src/domain/errors.ts';
import type { DiagnosisRequest, Reasoner } from '../../src/ports/reasoner.ts';
import { evaluate } from './evaluate.ts';
import { aDiagnosis, aNote, aTalk, aVignette } from './made-up-cases.ts';
import { someAtOnce } from './some-at-once.ts';

const { signal } = new AbortController();
const cases = {
  vignettes: [
    aVignette({ id: 'one', expect: { first: 'A09' } }),
    aVignette({ id: 'two', language: 'pt', text: 'Dor de barriga.', expect: { triage: 'RED' } }),
  ],
  talks: [aTalk({ sections: { PLAN: { holds: ['rest'], lacks: [], silent: false } } })],
};

function aReasoner(parts: Partial<Reasoner> = {}): Pick<Reasoner, 'diagnose' | 'writeNote'> {
  return { diagnose: async () => aDiagnosis(['A09']), writeNote: async () => aNote({ PLAN: 'Rest.' }), ...parts };
}

describe('An evaluation', () => {
  it('asks with the text of each case in its language, and scores what is answered', async () => {
    const asked: DiagnosisRequest[] = [];
    const diagnose = async (request: DiagnosisRequest) => {
      asked.push(request);
      return aDiagnosis(['A09']);
    };
    const { vignettes, talks } = await evaluate({ reasoner: aReasoner({ diagnose }), cases, signal });
    expect(asked.map(({ clinicalHistory, language }) => [clinicalHistory, language])).toEqual([
      [cases.vignettes[0]?.text, 'en'],
      ['Dor de barriga.', 'pt'],
    ]);
    expect(vignettes).toMatchObject([
      { id: 'one', isFirst: true },
      { id: 'two', triage: 'under' },
    ]);
    expect(talks).toMatchObject([{ wanted: 1, placed: 1 }]);
  });

  it('goes on behind a case that fails, and counts it with its code', async () => {
    const diagnose = async ({ language }: DiagnosisRequest) => {
      if (language === 'en') throw new AppError('vendorUnavailable', 'busy');
      return aDiagnosis(['A09'], 'RED');
    };
    const writeNote = () => Promise.reject(new Error('a mistake'));
    const { vignettes, talks } = await evaluate({ reasoner: aReasoner({ diagnose, writeNote }), cases, signal });
    expect(vignettes).toMatchObject([
      { isFirst: false, error: 'vendorUnavailable' },
      { triage: 'right', error: undefined },
    ]);
    expect(talks).toMatchObject([{ wanted: 1, placed: 0, error: 'internal' }]);
  });

  it('ends when it is aborted', async () => {
    const stopped = AbortSignal.abort();
    const diagnose = () => Promise.reject(new AppError('cancelled', 'gone'));
    await expect(evaluate({ reasoner: aReasoner({ diagnose }), cases, signal: stopped })).rejects.toThrow('gone');
  });

  it('says how far it is after each case', async () => {
    const told: string[] = [];
    await evaluate({ reasoner: aReasoner(), cases, signal, onDone: (done, of) => told.push(`${done}/${of}`) });
    expect(told).toEqual(['1/3', '2/3', '3/3']);
  });
});

describe('Calls, some at once', () => {
  it('are never more than that, and give what they gave in order', async () => {
    let open = 0;
    let most = 0;
    const call = async (value: number) => {
      most = Math.max(most, ++open);
      for (let turn = 0; turn < 5 - value; turn++) await Promise.resolve();
      open -= 1;
      return value * 10;
    };
    expect(await someAtOnce([1, 2, 3, 4, 5], 2, call)).toEqual([10, 20, 30, 40, 50]);
    expect(most).toBe(2);
  });
});
