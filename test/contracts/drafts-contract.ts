// The contract of the drafts that wait for a decision: their order, their claims, and what is kept of each decision.
import { describe, expect, it } from '@jest/globals';
import type { DecisionRecord } from '../../src/domain/run/draft-decision.ts';
import type { DraftFacts } from '../../src/domain/run/draft-facts.ts';
import { REVIEWABLE_REASONS } from '../../src/domain/run/reviewable.ts';
import type { RunReview } from '../../src/domain/run/run.ts';
import type { RunEnd } from '../../src/domain/run/run-end.ts';
import type { DraftDecisions } from '../../src/ports/draft-decisions.ts';
import type { DraftQuery, Drafts } from '../../src/ports/drafts.ts';
import { aResult, claimOne, determined, finished, found, type RunsSubject, SITE, WRITTEN } from './queue-contract.ts';

type DraftsSubject = RunsSubject & {
  readonly drafts: Drafts;
  /** The same, as another engine sees it. */
  readonly otherDrafts: Drafts;
  readonly draftDecisions: DraftDecisions;
};
type MakeDraftsSubject = () => Promise<DraftsSubject>;

const MINUTE_MS = 60_000;
const FOR_REVIEW: RunEnd = { status: 'held', reason: 'review', message: 'It waits for a review.' };
const UNSUPPORTED: RunEnd = { status: 'held', reason: 'unsupported', message: 'It has statements without support.' };
const CONSENT: RunEnd = { status: 'held', reason: 'consent', message: 'There is no consent.' };
const PLAIN: DraftFacts = { triage: 'WHITE', marks: [], missing: 0 };
const RED: DraftFacts = { triage: 'RED', marks: [], missing: 2 };
const MARKED: DraftFacts = { ...PLAIN, marks: [{ verdict: 'unsupported', effect: 'mark', count: 3 }] };
const HOLDING: DraftFacts = { ...PLAIN, marks: [{ verdict: 'conflict', effect: 'hold', count: 1 }] };
const ANA = { holder: 'person/a', name: 'Ana Example' };
const BEN = { holder: 'person/b', name: 'Ben Example' };
const LENGTH = { characters: 100, words: 20 };
const NONE = { characters: 0, words: 0 };

export function draftsContract(name: string, makeSubject: MakeDraftsSubject): void {
  describe(`the drafts of ${name}`, () => {
    listContract(makeSubject);
    claimContract(makeSubject);
    decisionContract(makeSubject);
  });
}

let drafts = 0;
async function aDraft(subject: DraftsSubject, parts: { readonly facts?: DraftFacts; readonly end?: RunEnd } = {}) {
  drafts += 1;
  const { facts, end = FOR_REVIEW } = parts;
  const claim = await determined(subject, `Encounter/draft-${drafts}`, `Patient/draft-${drafts}`);
  const times = { startedAt: subject.now(), finishedAt: subject.now() };
  await finished(subject, claim, 'read-chart', 'map');
  const map = { name: 'map', ...times, result: aResult<never>('map'), ...(facts && { draft: facts }) } as const;
  await subject.queue.finishStep(claim, map, 'map');
  await subject.queue.leave(claim, end);
  return claim.run.id;
}

function aQuery(parts: Partial<DraftQuery> = {}): DraftQuery {
  const places = [
    { site: SITE, status: 'held' },
    { site: SITE, status: 'written' },
  ] as const;
  return { places, reasons: REVIEWABLE_REASONS, limit: 10, ...parts };
}

async function listed(subject: DraftsSubject, parts: Partial<DraftQuery> = {}): Promise<readonly string[]> {
  return (await subject.drafts.list(aQuery(parts))).drafts.map(({ run }) => run.id);
}

function listContract(makeSubject: MakeDraftsSubject): void {
  it('are listed RED first, then by the severity of their marks, then the oldest first, with their facts', async () => {
    const subject = await makeSubject();
    const plain = await aDraft(subject, { facts: PLAIN, end: WRITTEN });
    const older = await aDraft(subject);
    const marked = await aDraft(subject, { facts: MARKED });
    const holding = await aDraft(subject, { facts: HOLDING, end: UNSUPPORTED });
    const red = await aDraft(subject, { facts: RED, end: WRITTEN });
    const { drafts: all } = await subject.drafts.list(aQuery());
    expect(all.map(({ run }) => run.id)).toEqual([red, holding, marked, plain, older]);
    expect(all.map(({ run }) => run.draft)).toEqual([RED, HOLDING, MARKED, PLAIN, undefined]);
    expect(all.map(({ claim }) => claim)).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  it('are read page by page, each once', async () => {
    const subject = await makeSubject();
    for (const facts of [PLAIN, RED, MARKED, RED, PLAIN]) await aDraft(subject, { facts });
    const all = await listed(subject);
    const seen: string[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await subject.drafts.list(aQuery({ limit: 2, ...(cursor !== undefined && { cursor }) }));
      seen.push(...page.drafts.map(({ run }) => run.id));
      cursor = page.next;
    }
    expect(seen).toEqual(all);
    expect(new Set(seen).size).toBe(5);
  });

  it('are only those of the places, encounters, reasons and urgency that are asked for', async () => {
    const subject = await makeSubject();
    const written = await aDraft(subject, { facts: RED, end: WRITTEN });
    const unsupported = await aDraft(subject, { facts: PLAIN, end: UNSUPPORTED });
    await aDraft(subject, { end: CONSENT });
    await aDraft(subject, { end: { status: 'skipped', reason: 'shadow', message: 'Not written.' } });
    expect(await listed(subject)).toEqual([written, unsupported]);
    expect(await listed(subject, { places: [{ site: SITE, status: 'held' }] })).toEqual([unsupported]);
    expect(await listed(subject, { places: [{ site: 'elsewhere', status: 'held' }] })).toEqual([]);
    expect(await listed(subject, { places: [] })).toEqual([]);
    expect(await listed(subject, { reasons: ['review'] })).toEqual([written]);
    expect(await listed(subject, { isUrgent: true })).toEqual([written]);
    const { encounter } = await found(subject, unsupported);
    expect(await listed(subject, { encounter })).toEqual([unsupported]);
  });

  it('are not listed once they were decided about, or once a replay of the session made another', async () => {
    const subject = await makeSubject();
    const [decided, replaced] = [await aDraft(subject, { end: WRITTEN }), await aDraft(subject)];
    await subject.runs.review({ id: decided, review: aReview() });
    const again = await subject.runs.replay({ id: replaced, from: 'map', isDry: false });
    expect(await listed(subject)).toEqual([replaced]);
    for (let left = 2; left > 0; left -= 1) {
      const claim = await claimOne(subject);
      await subject.queue.leave(claim, claim.run.id === decided ? WRITTEN : FOR_REVIEW);
    }
    expect(await listed(subject)).toEqual([again.id]);
  });

  it('lose their facts with their results', async () => {
    const subject = await makeSubject();
    const id = await aDraft(subject, { facts: RED, end: WRITTEN });
    subject.pass(2 * MINUTE_MS);
    const never = 1_000 * MINUTE_MS;
    await subject.runs.purge({ audioMs: never, resultsMs: 1, heldMs: never, quarantineMs: never, keysMs: never });
    expect(await found(subject, id)).not.toHaveProperty('draft');
  });
}

function claimContract(makeSubject: MakeDraftsSubject): void {
  const claim = (on: Drafts, run: string, who: typeof ANA, takesOver = false) =>
    on.claim({ run, site: SITE, ...who, lastsMs: 30 * MINUTE_MS, takesOver });

  it('are claimed by one person at a time, whichever engine is asked', async () => {
    const subject = await makeSubject();
    const id = await aDraft(subject);
    const claims = await Promise.all([claim(subject.drafts, id, ANA), claim(subject.otherDrafts, id, BEN)]);
    const [first, second] = claims;
    expect(first.holder).toBe(second.holder);
    expect(await subject.drafts.findClaim(id)).toEqual(first);
    expect((await subject.drafts.list(aQuery())).drafts[0]?.claim).toEqual(first);
  });

  it('are listed by who has them', async () => {
    const subject = await makeSubject();
    const [mine, theirs, free] = [await aDraft(subject), await aDraft(subject), await aDraft(subject)];
    await claim(subject.drafts, mine, ANA);
    await claim(subject.drafts, theirs, BEN);
    expect(await listed(subject, { claimed: { by: ANA.holder } })).toEqual([mine]);
    expect(await listed(subject, { claimed: 'free' })).toEqual([free]);
  });

  it('are free again when a claim has ended, unless its holder has used it meanwhile', async () => {
    const subject = await makeSubject();
    const id = await aDraft(subject);
    const first = await claim(subject.drafts, id, ANA);
    expect(first.endsAt.getTime() - subject.now().getTime()).toBe(30 * MINUTE_MS);
    subject.pass(20 * MINUTE_MS);
    await subject.drafts.keep({ run: id, holder: BEN.holder, lastsMs: 60 * MINUTE_MS });
    await subject.drafts.keep({ run: id, holder: ANA.holder, lastsMs: 30 * MINUTE_MS });
    subject.pass(20 * MINUTE_MS);
    expect((await claim(subject.drafts, id, BEN)).holder).toBe(ANA.holder);
    subject.pass(10 * MINUTE_MS);
    expect(await subject.drafts.findClaim(id)).toBeUndefined();
    expect(await listed(subject, { claimed: 'free' })).toEqual([id]);
    const second = await claim(subject.drafts, id, BEN);
    expect([second.holder, second.name, second.claimedAt]).toEqual([BEN.holder, BEN.name, subject.now()]);
  });

  it('are taken over, handed on and released', async () => {
    const subject = await makeSubject();
    const id = await aDraft(subject);
    await claim(subject.drafts, id, ANA);
    const taken = await claim(subject.drafts, id, BEN, true);
    expect(taken.holder).toBe(BEN.holder);
    const order = { run: id, site: SITE, ...ANA, lastsMs: MINUTE_MS, takesOver: true, delegatedBy: BEN.holder };
    expect((await subject.drafts.claim(order)).delegatedBy).toBe(BEN.holder);
    expect(await subject.drafts.release(id, BEN.holder)).toBe(false);
    expect(await subject.drafts.release(id, ANA.holder)).toBe(true);
    expect(await subject.drafts.release(id)).toBe(false);
    expect(await subject.drafts.findClaim(id)).toBeUndefined();
  });
}

function aReview(parts: Partial<RunReview> = {}): RunReview {
  const time = '2026-03-02T10:00:00.000Z';
  return { decision: 'approve', reviewer: 'Practitioner/7', time, revision: 1, ...parts };
}

function aRecord(decision: DecisionRecord['decision'], parts: Partial<DecisionRecord> = {}): DecisionRecord {
  const changes = [{ section: 'PLAN', draft: LENGTH, inserted: NONE, deleted: NONE }];
  return { decision, actor: 'person/a', practitioner: 'Practitioner/7', noteType: 'progress', changes, ...parts };
}

function decisionContract(makeSubject: MakeDraftsSubject): void {
  const edited = (characters: number) => [
    { section: 'PLAN', draft: LENGTH, inserted: { characters, words: 2 }, deleted: { characters, words: 1 } },
  ];
  const me = [{ site: SITE, practitioner: 'Practitioner/7' }];

  it('that were signed are listed for who signed them, the newest first', async () => {
    const subject = await makeSubject();
    const [first, second, third] = [await aDraft(subject), await aDraft(subject), await aDraft(subject)];
    await subject.runs.review({ id: first, review: aReview(), record: aRecord('approve') });
    subject.pass(MINUTE_MS);
    await subject.runs.review({ id: second, review: aReview({ decision: 'edit' }), record: aRecord('edit') });
    const other = aRecord('approve', { practitioner: 'Practitioner/8' });
    await subject.runs.review({ id: third, review: aReview({ reviewer: 'Practitioner/8' }), record: other });
    const { signed } = await subject.draftDecisions.signed({ signers: me, limit: 10 });
    expect(signed.map(({ run, decision, decidedAt }) => [run, decision, decidedAt])).toEqual([
      [second, 'edit', subject.now()],
      [first, 'approve', new Date(subject.now().getTime() - MINUTE_MS)],
    ]);
    expect(signed[0]).toMatchObject({ site: SITE, status: 'queued', resources: [], noteType: 'progress', revision: 1 });
    const page = await subject.draftDecisions.signed({ signers: me, limit: 1 });
    expect(page.signed.map(({ run }) => run)).toEqual([second]);
    const rest = await subject.draftDecisions.signed({ signers: me, limit: 1, cursor: page.next ?? '' });
    expect([rest.signed.map(({ run }) => run), rest.next]).toEqual([[first], undefined]);
    const elsewhere = [{ site: 'elsewhere', practitioner: 'Practitioner/7' }];
    expect((await subject.draftDecisions.signed({ signers: elsewhere, limit: 10 })).signed).toEqual([]);
    const { encounter } = await found(subject, first);
    const ofOne = await subject.draftDecisions.signed({ signers: me, encounter, limit: 10 });
    expect(ofOne.signed.map(({ run }) => run)).toEqual([first]);
  });

  it('are counted by note type and section, without what is not signed', async () => {
    const subject = await makeSubject();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push(await aDraft(subject));
    const [one = '', two = '', three = '', four = '', five = ''] = ids;
    await subject.runs.review({ id: one, review: aReview(), record: aRecord('approve') });
    await subject.runs.review({ id: two, review: aReview(), record: aRecord('edit', { changes: edited(25) }) });
    await subject.runs.review({ id: three, review: aReview(), record: aRecord('edit', { changes: edited(100) }) });
    const words = { message: 'Rejected.', advice: 'Nothing.' };
    const rejected = aRecord('reject', { category: 'wrong-patient' });
    await subject.runs.reject({ id: four, revision: 1, ...words, record: rejected });
    const correction = {
      revision: 1,
      instruction: 'Leave out the second drug.',
      record: aRecord('correct', { category: 'invented-content' }),
    };
    const again = await subject.runs.replay({ id: five, from: 'map', isDry: false, correction });
    const { 'read-chart': read } = await subject.runs.results(again.id);
    expect(read?.wanted).toEqual({ instruction: 'Leave out the second drug.' });
    const figures = await subject.draftDecisions.figures({ scope: [SITE] });
    expect(figures).toEqual({
      noteTypes: [{ noteType: 'progress', decisions: { approve: 1, edit: 2, reject: 1, correct: 1 } }],
      sections: [
        {
          noteType: 'progress',
          section: 'PLAN',
          count: 3,
          medianShareChanged: 0.4,
          shareUnchanged: expect.closeTo(1 / 3),
        },
      ],
      categories: expect.arrayContaining([
        { category: 'wrong-patient', count: 1 },
        { category: 'invented-content', count: 1 },
      ]),
    });
    const nothing = { noteTypes: [], sections: [], categories: [] };
    expect(await subject.draftDecisions.figures({ scope: ['elsewhere'] })).toEqual(nothing);
    expect(await subject.draftDecisions.figures({ scope: 'all', to: subject.now() })).toEqual(nothing);
    expect(await subject.draftDecisions.figures({ scope: 'all', from: subject.now() })).toEqual(figures);
  });

  it('are not stored if the decision is refused', async () => {
    const subject = await makeSubject();
    const id = await aDraft(subject);
    const stale = { revision: 7, instruction: 'Shorter.', record: aRecord('correct') };
    await expect(
      subject.runs.review({ id, review: aReview({ revision: 7 }), record: aRecord('approve') }),
    ).rejects.toMatchObject({ code: 'conflict' });
    await expect(subject.runs.replay({ id, from: 'map', isDry: false, correction: stale })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await subject.draftDecisions.figures({ scope: 'all' })).noteTypes).toEqual([]);
  });
}
