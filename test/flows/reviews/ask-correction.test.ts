// A reviewer asks for another draft, with an instruction: the model gets it, the new note is checked as any other, and the first draft stays until
// the new one is there.
import { describe, expect, it } from '@jest/globals';
import type { Run } from '../../../src/domain/run/run.ts';
import { makeReviewRun } from '../../../src/flows/reviews/review-run.ts';
import { aReviewersAccess, asIfOpen } from '../../support/access.ts';
import { clinicianOf, NO_CLAIMS } from '../../support/clinician.ts';
import { aRunTestbed } from '../../support/run-testbed.ts';

const REVIEWER = { id: '0123456789abcdef', site: 'mercy', practitioner: 'Practitioner/7', name: 'Dr. Example' };
const CORRECT = { kind: 'correct', instruction: 'Leave out the family history.', category: 'not-usable' } as const;

async function aRoom({ engine = 'openai:example-model' } = {}) {
  const testbed = aRunTestbed();
  testbed.change({ write: { ...testbed.site.settings.write, review: 'hold' } }, '1');
  const { retractSession } = testbed.startEngine();
  const reasoner = { engine };
  const review = makeReviewRun({
    ...testbed,
    reasoner,
    drafts: NO_CLAIMS,
    requireOpenChart: asIfOpen,
    retractSession,
    onDecided: () => undefined,
  });
  await testbed.accept();
  await testbed.drain();
  const draft = await testbed.onlyRun();
  const decide = (run: Run, decision: Parameters<typeof review>[0]['decision'] = CORRECT) =>
    review(
      {
        id: run.id,
        access: aReviewersAccess(REVIEWER),
        decider: clinicianOf(REVIEWER),
        decision,
        revision: run.revision,
      },
      new AbortController().signal,
    );
  const find = async (id: string): Promise<Run | undefined> => testbed.runs.find(id, 'all');
  return { testbed, draft, decide, find };
}

it('the run of a draft has its facts, which are made with its documents', async () => {
  const { draft } = await aRoom();
  expect(draft.draft).toEqual({ triage: 'WHITE', marks: expect.any(Array), missing: expect.any(Number) });
});

describe('a correction', () => {
  it('gives the instruction to the model, which writes the note anew, and its draft is checked and held', async () => {
    const { testbed, draft, decide, find } = await aRoom();
    const again = await decide(draft);
    await testbed.drain();
    expect(testbed.reasoner.noteRequests.map(({ instruction }) => instruction)).toEqual([
      undefined,
      CORRECT.instruction,
    ]);
    expect(await find(again.id)).toMatchObject({ status: 'held', reason: 'review', revision: 1, replayOf: draft.id });
    expect((await testbed.runs.results(again.id)).check?.report).toBeDefined();
    expect(testbed.chart()).toEqual([]);
  });

  it('leaves the draft to decide about until the new one is there, and then only the new one', async () => {
    const { testbed, draft, decide, find } = await aRoom();
    const again = await decide(draft);
    expect(await find(draft.id)).toEqual(draft);
    await testbed.drain();
    await expect(decide(draft, { kind: 'approve' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(again.id),
    });
    const [, made] = await testbed.allRuns();
    if (made !== undefined) await decide(made, { kind: 'approve' });
    await testbed.drain();
    expect((await find(again.id))?.status).toBe('written');
  });

  it('is kept by a further replay of the note, and forgotten when the chart is read anew', async () => {
    const { testbed, draft, decide } = await aRoom();
    const again = await decide(draft);
    await testbed.drain();
    const more = await testbed.runs.replay({ id: again.id, from: 'write-note', isDry: false });
    await testbed.drain();
    await testbed.runs.replay({ id: more.id, from: 'read-chart', isDry: false });
    await testbed.drain();
    expect(testbed.reasoner.noteRequests.map(({ instruction }) => instruction)).toEqual([
      undefined,
      CORRECT.instruction,
      CORRECT.instruction,
      undefined,
    ]);
  });

  it('is in the audit trail by its hash, never by its text', async () => {
    const { testbed, draft, decide } = await aRoom();
    await decide(draft);
    expect(testbed.audit.entries.at(-1)).toMatchObject({
      action: 'run.review',
      actor: 'reviewer/0123456789abcdef',
      details: { decision: 'correct', category: 'not-usable', reasonSha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(JSON.stringify(testbed.audit.entries)).not.toContain('family history');
  });

  it('is refused by an engine without a model, with what to do instead', async () => {
    const { testbed, draft, decide } = await aRoom({ engine: 'builtin:rules@1' });
    await expect(decide(draft)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('edit the draft, or reject it'),
    });
    expect(await testbed.allRuns()).toHaveLength(1);
  });

  it('is refused while another draft of the session is being made', async () => {
    const { testbed, draft, decide } = await aRoom();
    const again = await decide(draft);
    await expect(decide(draft)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(again.id),
    });
    expect(await testbed.allRuns()).toHaveLength(2);
  });
});
