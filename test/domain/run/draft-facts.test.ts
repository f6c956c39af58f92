// What a list of drafts shows of each, and in which order they come.
import { describe, expect, it } from '@jest/globals';
import type { CheckedStatement, CheckReport } from '../../../src/domain/note/check-report.ts';
import { draftFacts, draftRank, LOWEST_RED_RANK } from '../../../src/domain/run/draft-facts.ts';
import { RESULTS } from '../../support/stored-runs.ts';

const { diagnosis } = RESULTS.diagnose;
const RED = { ...diagnosis, triage: { ...diagnosis.triage, triage_level: 'RED' } } as const;

function aStatement(parts: Partial<CheckedStatement>): CheckedStatement {
  return { kind: 'drug', section: 'PLAN', from: 0, to: 4, ...parts };
}

function aReport(statements: readonly CheckedStatement[], parts: Partial<CheckReport> = {}): CheckReport {
  return { statements, unsupported: {}, exceeded: [], overSilence: [], ...parts };
}

describe('the facts of a draft', () => {
  it('are the triage, the marks by verdict and severity, and the number of missing statements', () => {
    const statements = [
      aStatement({ verdict: 'supported', effect: 'none' }),
      aStatement({ verdict: 'unsupported', effect: 'mark' }),
      aStatement({ verdict: 'conflict', effect: 'hold' }),
      aStatement({ verdict: 'unsupported', effect: 'mark' }),
    ];
    const missing = [{ kind: 'drug', text: 'I take aspirin.', utterance: 0, startSeconds: 0 }] as const;
    expect(draftFacts(aReport(statements, { missing }), RED)).toEqual({
      triage: 'RED',
      marks: [
        { verdict: 'conflict', effect: 'hold', count: 1 },
        { verdict: 'unsupported', effect: 'mark', count: 2 },
      ],
      missing: 1,
    });
  });

  it('count the statements of reports of earlier versions as marked', () => {
    const said = { utterance: 0, startSeconds: 0 };
    expect(draftFacts(aReport([aStatement({}), aStatement({ said })]), undefined)).toEqual({
      marks: [{ verdict: 'unsupported', effect: 'mark', count: 1 }],
      missing: 0,
    });
  });

  it('hold no text of the note or of the recording', () => {
    const missing = [{ kind: 'drug', text: 'I take aspirin.', utterance: 0, startSeconds: 0 }] as const;
    const chart = { list: 'allergies', text: 'Penicillin: rash' } as const;
    const facts = draftFacts(aReport([aStatement({ verdict: 'conflict', chart })], { missing }), RED);
    expect(JSON.stringify(facts)).not.toMatch(/aspirin|Penicillin|PLAN|sign/);
  });
});

describe('the rank of a draft', () => {
  const marks = (effect: 'mark' | 'hold', count = 1) => [{ verdict: 'unsupported', effect, count } as const];

  it('is higher for RED than for any severity, and then by severity', () => {
    const plain = draftRank({ triage: 'WHITE', marks: [], missing: 9 });
    const marked = draftRank({ triage: 'WHITE', marks: marks('mark', 50), missing: 0 });
    const held = draftRank({ marks: [...marks('mark'), ...marks('hold')], missing: 0 });
    const red = draftRank({ triage: 'RED', marks: [], missing: 0 });
    const redHeld = draftRank({ triage: 'RED', marks: marks('hold'), missing: 0 });
    const ranks = [plain, marked, held, red, redHeld];
    expect(ranks).toEqual(ranks.toSorted((one, other) => one - other));
    expect(new Set(ranks).size).toBe(ranks.length);
    expect(red).toBe(LOWEST_RED_RANK);
  });
});
