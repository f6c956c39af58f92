import { describe, expect, it } from '@jest/globals';
import type { Diagnosis, PartialDiagnosis } from '../../../src/domain/diagnosis/diagnosis.ts';
import type { DiagnosisEvent } from '../../../src/ports/reasoner.ts';
import { buildDiagnosis } from '../../../src/rules/answers/build-diagnosis.ts';
import { streamDiagnosis } from '../../../src/rules/answers/stream-diagnosis.ts';
import { isExtension } from '../../contracts/reasoner-contract.ts';
import { fc } from '../../support/fast-check.ts';
import { anyHeard, anyKnowledge } from '../reasoning/arbitrary-knowledge.ts';
import { hearClauses, LUNGS } from '../reasoning/made-up-knowledge.ts';

/** Fixed, so that each run tests the same cases. */

const unseen = { images: 0, documents: 0, parts: 0 };
const isWanted = () => undefined;

async function eventsOf(diagnosis: Diagnosis): Promise<readonly DiagnosisEvent[]> {
  const events: DiagnosisEvent[] = [];
  for await (const event of streamDiagnosis(diagnosis, isWanted)) events.push(event);
  return events;
}

function showingsOf(events: readonly DiagnosisEvent[]): readonly PartialDiagnosis[] {
  return events.flatMap((event) => (event.kind === 'progress' ? [event.snapshot()] : []));
}

/** The step in which each field first appears. */
function firstSeen(showings: readonly PartialDiagnosis[], isSeen: (shown: PartialDiagnosis) => boolean): number {
  return showings.findIndex(isSeen);
}

describe('A streamed diagnosis', () => {
  const facts = hearClauses('cough, fever, chest pain');
  const diagnosis = buildDiagnosis({ knowledge: LUNGS, facts, unseen, language: 'en' });

  it('shows diseases one by one, field by field, and then the triage, its level first', async () => {
    const showings = showingsOf(await eventsOf(diagnosis));
    const { length } = diagnosis.diagnosis.diseases;
    expect(length).toBe(3);
    const order = [
      (shown: PartialDiagnosis) => shown.diagnosis?.diseases?.[0]?.name,
      (shown: PartialDiagnosis) => shown.diagnosis?.diseases?.[0]?.probability,
      (shown: PartialDiagnosis) => shown.diagnosis?.diseases?.[0]?.why,
      (shown: PartialDiagnosis) => shown.diagnosis?.diseases?.[0]?.diagnostic_tests,
      (shown: PartialDiagnosis) => shown.diagnosis?.diseases?.[0]?.standard_care,
      (shown: PartialDiagnosis) => shown.diagnosis?.diseases?.[1]?.name,
      (shown: PartialDiagnosis) => shown.diagnosis?.diseases?.[length - 1]?.standard_care,
      (shown: PartialDiagnosis) => shown.triage?.triage_level,
      (shown: PartialDiagnosis) => shown.triage?.triage_justification,
      (shown: PartialDiagnosis) => shown.triage?.triage_recommendation,
    ].map((field) => firstSeen(showings, (shown) => field(shown) !== undefined));
    expect(order).not.toContain(-1);
    expect(order).toEqual([...new Set(order)].sort((one, other) => one - other));
  });

  it('only grows, and ends with the whole once', async () => {
    await fc.assert(
      fc.asyncProperty(anyKnowledge, anyHeard, async (knowledge, said) => {
        const whole = buildDiagnosis({ knowledge, facts: said, unseen, language: 'en' });
        const events = await eventsOf(whole);
        expect(events.at(-1)).toEqual({ kind: 'final', diagnosis: whole });
        expect(events.filter(({ kind }) => kind === 'final')).toHaveLength(1);
        const showings = [...showingsOf(events), whole];
        for (const [index, shown] of showings.slice(1).entries())
          expect(isExtension(showings[index], shown)).toBe(true);
        expect(showings.at(-2)).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });

  it('returns the same snapshot of a step when it is read later', async () => {
    const events = await eventsOf(diagnosis);
    expect(showingsOf(events)[0]).toEqual({ diagnosis: { diseases: [{ name: 'Pneumonia' }] } });
  });

  it('lets the event loop run between two steps', async () => {
    let turns = 0;
    const others = setInterval(() => {
      turns += 1;
    }, 0);
    let isOver = false;
    setImmediate(function count() {
      turns += 1;
      if (!isOver) setImmediate(count);
    });
    const events = await eventsOf(diagnosis);
    isOver = true;
    clearInterval(others);
    expect(turns).toBeGreaterThanOrEqual(events.length - 1);
  });

  it('ends when the caller has gone', async () => {
    const gone = new Error('gone');
    let asked = 0;
    const events = streamDiagnosis(diagnosis, () => {
      asked += 1;
      if (asked > 2) throw gone;
    });
    expect(await events.next()).toMatchObject({ done: false });
    expect(await events.next()).toMatchObject({ done: false });
    await expect(events.next()).rejects.toBe(gone);
  });
});
