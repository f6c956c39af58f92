// The built-in reasoner and note writer, scored by all made-up cases as `npm run eval` does it.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { makeUrgencyFile, URGENCY_PATH } from '../../src/rules/training/urgency-file.ts';
import { chooseReasoner } from './choose-reasoner.ts';
import { evaluate } from './evaluate.ts';
import { type Floor, judgeFloors } from './judge-floors.ts';
import { readCases } from './sets.ts';
import { type Summary, summarise } from './summary.ts';
import { PAGE, pageWith } from './write-page.ts';

const WHATS = [
  'seen: among the first three',
  'seen: must not be missed',
  'seen: RED called WHITE or nothing',
  'seen: WHITE called RED',
  'seen: among the first three, es and en',
  'seen: must not be missed, es and en',
  'seen: among the first three, pt and en',
  'seen: must not be missed, pt and en',
  'unseen: among the first three',
  'unseen: must not be missed',
  'unseen: RED called WHITE or nothing',
  'unseen: WHITE called RED',
  'unseen: among the first three, es and en',
  'unseen: must not be missed, es and en',
  'unseen: among the first three, pt and en',
  'unseen: must not be missed, pt and en',
  'late: among the first three',
  'late: must not be missed',
  'late: RED called WHITE or nothing',
  'late: WHITE called RED',
  'late: among the first three, es and en',
  'late: must not be missed, es and en',
  'late: among the first three, pt and en',
  'late: must not be missed, pt and en',
  'notes: invented facts',
];

const { reasoner } = await chooseReasoner('builtin', {});
let summary: Summary;
let floors: ReadonlyMap<string, Floor>;

beforeAll(async () => {
  const { signal } = new AbortController();
  summary = summarise(await evaluate({ reasoner, cases: await readCases(), signal }));
  floors = new Map(judgeFloors(summary).map((floor) => [`${floor.group}: ${floor.what}`, floor]));
  // Some thousand cases: on a busy machine they take longer than other tests may.
}, 300_000);

describe('The built-in reasoner', () => {
  it('gives an answer to every case', () => {
    expect(summary.errors).toEqual({});
  });

  it('is held to these floors', () => {
    expect([...floors.keys()].toSorted()).toEqual(WHATS.toSorted());
  });

  it.each(WHATS)('keeps the floor of %s, or is not worse than what is known', (what) => {
    const { wanted, given, isKept, isKnown } = floors.get(what) ?? {};
    expect({ wanted, given, isKept: isKept === true || isKnown === true }).toEqual({ wanted, given, isKept: true });
  });
});

describe('The urgency model', () => {
  it('is learnt from the cases as they are: npm run eval -- --write', async () => {
    const { vignettes } = await readCases(['seen']);
    expect(readFileSync(URGENCY_PATH, 'utf8')).toBe(makeUrgencyFile(vignettes));
  });
});

describe('docs/evaluation.md', () => {
  it('is what npm run eval -- --write makes of it', () => {
    const page = readFileSync(PAGE, 'utf8');
    expect(page).toBe(pageWith(reasoner, summary, [...floors.values()]));
  });
});
