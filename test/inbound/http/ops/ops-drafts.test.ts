// /ops/reviews and the claims of drafts: what a reviewer sees, gets and hands on, and how two people at one draft learn of each other.
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { OpenedEncounter } from '../../../../src/domain/people/caller.ts';
import type { Grant } from '../../../../src/domain/people/role.ts';
import {
  claimResponse,
  draftListResponse,
  nextDraftResponse,
  reviewFiguresResponse,
  signedResponse,
} from '../../../../src/wire/drafts.ts';
import { aKeptRun, HELD, knownRun, RESULTS, WRITTEN } from '../../../support/stored-runs.ts';
import { type Ask, askOps } from './ops-asking.ts';
import { type OpsEngine, startOpsEngine } from './ops-engine.ts';

let engine: OpsEngine;
let count = 0;
beforeEach(async () => {
  engine = await startOpsEngine();
  count = 0;
});
afterEach(() => engine.stop());

const ask = (request: string, how?: Ask) => askOps(engine, request, how);
const SECRET = 'a'.repeat(43);
const REVIEWS = { role: 'reviewer', site: 'mercy', practitioner: 'Practitioner/7' } as const;
const REVIEWS_TOO = { ...REVIEWS, practitioner: 'Practitioner/8' };

type PersonParts = { readonly grants?: readonly Grant[]; readonly opened?: OpenedEncounter; readonly email?: string };

/** A person who has signed in and said why. */
async function aPerson(name: string, { grants = [REVIEWS], opened, email }: PersonParts = {}) {
  count += 1;
  const id = count.toString(16).padStart(16, '0');
  const held = grants.map((grant) => ({ ...grant, origin: 'admin' as const }));
  await engine.people.create({ id, name, origin: 'local', grants: held, ...(email !== undefined && { email }) });
  const secretDigest = new Uint8Array(createHash('sha256').update(SECRET).digest());
  await engine.personSessions.create({
    id,
    person: id,
    kind: 'cli',
    way: 'link',
    address: '127.0.0.1',
    secretDigest,
    idleMs: 86_400_000,
    totalMs: 86_400_000,
    ...(opened && { opened }),
  });
  await engine.personSessions.setPurpose(id, 'TREAT');
  return { id, key: `ps_${id}_${SECRET}` };
}

let drafts = 0;
function aDraft({ site = 'mercy', end = HELD } = {}) {
  drafts += 1;
  const names = { encounter: `Encounter/d-${drafts}`, patient: `Patient/d-${drafts}`, session: `s-${drafts}` };
  return aKeptRun(engine.stores, { site, ...names, results: RESULTS, end });
}

const idsOf = ({ answer }: { readonly answer: { readonly runs: readonly { readonly id: string }[] } }) =>
  answer.runs.map(({ id }) => id);

describe('GET /ops/reviews', () => {
  it('lists the drafts of the sites of a reviewer, as runs with facts and without patient data', async () => {
    const [ana, mine, written] = [await aPerson('Ana'), await aDraft(), await aDraft({ end: WRITTEN })];
    await aDraft({ site: 'general' });
    const listed = await ask('GET /reviews', { key: ana.key });
    expect(draftListResponse.strict().safeParse(listed.answer).error?.issues).toBeUndefined();
    expect(idsOf(listed)).toEqual([mine.id, written.id]);
    expect(listed.answer.runs[0]).toMatchObject({ status: 'held', reason: 'review', draft: { ageSeconds: 0 } });
    expect(JSON.stringify(listed.answer)).not.toMatch(/Cough|X-ray|transcript|utterance/);
  });

  it('lists nothing of another site, whatever the request names', async () => {
    const ana = await aPerson('Ana');
    await aDraft({ site: 'general' });
    expect(idsOf(await ask('GET /reviews?site=general', { key: ana.key }))).toEqual([]);
  });

  it('lists the drafts of all sites for which the caller is a reviewer, or of one of them', async () => {
    const both = await aPerson('Ana', { grants: [REVIEWS, { ...REVIEWS, site: 'general' }] });
    const [mercy, general] = [await aDraft(), await aDraft({ site: 'general' })];
    expect(idsOf(await ask('GET /reviews', { key: both.key }))).toEqual([mercy.id, general.id]);
    expect(idsOf(await ask('GET /reviews?site=general', { key: both.key }))).toEqual([general.id]);
    expect(idsOf(await ask('GET /reviews'))).toEqual([mercy.id, general.id]);
  });

  it('lists for a person who came from the EHR only the drafts of the opened encounter', async () => {
    const [open] = [await aDraft(), await aDraft()];
    const opened = { site: 'mercy', encounter: open.encounter };
    const ana = await aPerson('Ana', { opened });
    expect(idsOf(await ask('GET /reviews', { key: ana.key }))).toEqual([open.id]);
    const { answer } = await ask('POST /reviews/next', { key: ana.key });
    expect(answer.run.id).toBe(open.id);
    expect((await ask('POST /reviews/next', { key: ana.key })).answer).toEqual({});
  });

  it('filters by reason and claim, and pages', async () => {
    const [ana, ben] = [await aPerson('Ana'), await aPerson('Ben', { grants: [REVIEWS_TOO] })];
    const unsupported = { ...HELD, reason: 'unsupported' } as typeof HELD;
    const [one, two, three] = [await aDraft(), await aDraft({ end: unsupported }), await aDraft()];
    await ask(`POST /runs/${one.id}/claim`, { key: ana.key });
    await ask(`POST /runs/${two.id}/claim`, { key: ben.key });
    expect(idsOf(await ask('GET /reviews?claimed=me', { key: ana.key }))).toEqual([one.id]);
    expect(idsOf(await ask('GET /reviews?claimed=free', { key: ana.key }))).toEqual([three.id]);
    expect(idsOf(await ask('GET /reviews?reason=unsupported', { key: ana.key }))).toEqual([two.id]);
    const first = await ask('GET /reviews?limit=2', { key: ana.key });
    const second = await ask(`GET /reviews?limit=2&cursor=${first.answer.next}`, { key: ana.key });
    expect([...idsOf(first), ...idsOf(second)]).toEqual([one.id, two.id, three.id]);
    expect(second.answer).not.toHaveProperty('next');
  });

  it.each(['reason=consent', 'urgent=yes', 'claimed=mine', 'page=2'])('refuses the query %s', async (query) => {
    expect((await ask(`GET /reviews?${query}`)).status).toBe(400);
  });
});

describe('a claim', () => {
  it('is made for the first free draft, and never twice for the same', async () => {
    const [ana, ben] = [await aPerson('Ana'), await aPerson('Ben', { grants: [REVIEWS_TOO] })];
    const runs = [await aDraft(), await aDraft(), await aDraft()];
    const answers = await Promise.all([ana, ben, ana, ben].map(({ key }) => ask('POST /reviews/next', { key })));
    for (const { answer } of answers) expect(nextDraftResponse.safeParse(answer).error?.issues).toBeUndefined();
    const got = answers.flatMap(({ answer }) => answer.run?.id ?? []);
    expect(got.toSorted()).toEqual(runs.map(({ id }) => id).toSorted());
  });

  it('of another person is named to the second, who may take over', async () => {
    const [ana, ben, run] = [
      await aPerson('Dr. Ana Example'),
      await aPerson('Ben', { grants: [REVIEWS_TOO] }),
      await aDraft(),
    ];
    const claimed = await ask(`POST /runs/${run.id}/claim`, { key: ana.key });
    expect(claimResponse.safeParse(claimed.answer).error?.issues).toBeUndefined();
    expect(claimed.answer.claim).toMatchObject({ by: 'Dr. Ana Example', isMine: true, isDelegated: false });
    const [shown] = (await ask('GET /reviews', { key: ben.key })).answer.runs;
    expect(shown.draft.claim).toMatchObject({ by: 'Dr. Ana Example', isMine: false });
    const refused = await ask(`POST /runs/${run.id}/claim`, { key: ben.key });
    expect([refused.status, refused.answer.message]).toEqual([
      409,
      expect.stringMatching(/^Dr\. Ana Example has this draft \(since .*takeOver: true$/),
    ]);
    const taken = await ask(`POST /runs/${run.id}/claim`, { key: ben.key, body: { takeOver: true } });
    expect(taken.answer.claim).toMatchObject({ by: 'Ben', isMine: true });
    expect((await ask(`POST /runs/${run.id}/unclaim`, { key: ana.key })).answer).toEqual({ released: false });
    expect((await ask(`POST /runs/${run.id}/unclaim`, { key: ben.key })).answer).toEqual({ released: true });
    expect(engine.audit.entries.map(({ action, actor }) => [action, actor])).toEqual([
      ['review.claim', `person/${ana.id}`],
      ['review.claim', `person/${ben.id}`],
      ['review.release', `person/${ben.id}`],
    ]);
  });

  it('ends 30 minutes after its holder has last read the draft', async () => {
    const [ana, run] = [await aPerson('Ana'), await aDraft()];
    await ask(`POST /runs/${run.id}/claim`, { key: ana.key });
    engine.setTime('2026-11-21T08:20:00Z');
    expect((await ask(`GET /runs/${run.id}`, { key: ana.key })).status).toBe(200);
    engine.setTime('2026-11-21T08:49:59Z');
    expect(idsOf(await ask('GET /reviews?claimed=me', { key: ana.key }))).toEqual([run.id]);
    engine.setTime('2026-11-21T08:50:00Z');
    expect(idsOf(await ask('GET /reviews?claimed=free', { key: ana.key }))).toEqual([run.id]);
  });

  it('does not keep others from deciding, who learn of it first, and it ends with the decision', async () => {
    const [ana, ben, run] = [await aPerson('Ana'), await aPerson('Ben', { grants: [REVIEWS_TOO] }), await aDraft()];
    await ask(`POST /runs/${run.id}/claim`, { key: ana.key });
    const approve = { decision: 'approve' };
    const refused = await ask(`POST /runs/${run.id}/review`, { key: ben.key, body: approve });
    expect([refused.status, refused.answer.message]).toEqual([409, expect.stringMatching(/^Ana has this draft/)]);
    expect(await knownRun(engine.stores, run.id)).toEqual(run);
    const body = { ...approve, takeOver: true };
    const { status, answer } = await ask(`POST /runs/${run.id}/review`, { key: ben.key, body });
    expect([status, answer.review.reviewer]).toEqual([200, 'Practitioner/8']);
    expect(await engine.stores.drafts.findClaim(run.id)).toBeUndefined();
    const late = await ask(`POST /runs/${run.id}/claim`, { key: ana.key });
    expect([late.status, late.answer.message]).toEqual([
      409,
      'Practitioner/8 decided about this draft already (approve)',
    ]);
  });

  it('is not stored if the audit trail cannot be written', async () => {
    const [ana, run] = [await aPerson('Ana'), await aDraft()];
    engine.loseTrail();
    expect((await ask(`POST /runs/${run.id}/claim`, { key: ana.key })).status).toBe(503);
    expect((await ask('POST /reviews/next', { key: ana.key })).status).toBe(503);
    expect(await engine.stores.drafts.findClaim(run.id)).toBeUndefined();
  });

  it.each(['claim', 'unclaim', 'delegate'])(
    'of a run of another site is answered by %s as for an unknown run',
    async (act) => {
      const [ana, run] = [await aPerson('Ana'), await aDraft({ site: 'general' })];
      const body = act === 'delegate' ? { to: ana.id } : {};
      for (const id of [run.id, '0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a77']) {
        const { status, answer } = await ask(`POST /runs/${id}/${act}`, { key: ana.key, body });
        expect([status, answer.message]).toEqual([404, 'There is no run with this id']);
      }
    },
  );

  it('of a run of another encounter than the one that was opened in the EHR is answered as for an unknown run', async () => {
    const run = await aDraft();
    const ana = await aPerson('Ana', { opened: { site: 'mercy', encounter: 'Encounter/other' } });
    expect((await ask(`POST /runs/${run.id}/claim`, { key: ana.key })).status).toBe(404);
  });
});

describe('a draft that is handed to another reviewer', () => {
  const notices = () => engine.notices.all().map(({ kind, channel, site, run }) => ({ kind, channel, site, run }));

  it('is theirs, and they get a notice without patient data', async () => {
    const ben = await aPerson('Ben', { grants: [REVIEWS_TOO], email: 'ben@example.org' });
    const [ana, run] = [await aPerson('Ana'), await aDraft()];
    await ask(`POST /runs/${run.id}/claim`, { key: ana.key });
    const { status, answer } = await ask(`POST /runs/${run.id}/delegate`, {
      key: ana.key,
      body: { to: 'Practitioner/8' },
    });
    expect([status, answer.claim]).toMatchObject([200, { by: 'Ben', isMine: false, isDelegated: true }]);
    expect(idsOf(await ask('GET /reviews?claimed=me', { key: ben.key }))).toEqual([run.id]);
    const channel = { kind: 'mail', to: 'ben@example.org' };
    expect(notices()).toEqual([{ kind: 'delegated', channel, site: 'mercy', run: run.id }]);
    expect(engine.audit.entries.at(-1)).toMatchObject({
      action: 'review.delegate',
      actor: `person/${ana.id}`,
      details: { to: `person/${ben.id}` },
    });
  });

  it('goes to no one who is not a reviewer of the site, in the same words for all', async () => {
    const [ana, run] = [await aPerson('Ana'), await aDraft()];
    const elsewhere = await aPerson('Cem', {
      grants: [{ ...REVIEWS, site: 'general', practitioner: 'Practitioner/9' }],
    });
    const gone = await aPerson('Dana', { grants: [REVIEWS_TOO] });
    await engine.people.disable(gone.id);
    for (const to of [elsewhere.id, gone.id, 'ffffffffffffffff', 'Practitioner/9', 'Practitioner/99']) {
      const { status, answer } = await ask(`POST /runs/${run.id}/delegate`, { key: ana.key, body: { to } });
      expect([status, answer.message]).toEqual([400, expect.stringMatching(/^to must name a reviewer of mercy/)]);
    }
    expect([await engine.stores.drafts.findClaim(run.id), notices()]).toEqual([undefined, []]);
  });
});

describe('what was decided', () => {
  const edit = { decision: 'edit', sections: { PLAN: 'Chest X-ray tomorrow.' } };

  it('is listed for who signed it, and counted without text for others', async () => {
    const ana = await aPerson('Ana');
    const ben = await aPerson('Ben', { grants: [REVIEWS_TOO] });
    const auditor = await aPerson('Cem', { grants: [{ role: 'auditor', site: 'mercy' }] });
    const [one, two, three] = [await aDraft(), await aDraft(), await aDraft()];
    await ask(`POST /runs/${one.id}/review`, { key: ana.key, body: { decision: 'approve' } });
    await ask(`POST /runs/${two.id}/review`, { key: ana.key, body: edit });
    const reject = { decision: 'reject', reason: 'It is about another visit.', category: 'wrong-encounter' };
    await ask(`POST /runs/${three.id}/review`, { key: ana.key, body: reject });
    const signed = await ask('GET /reviews/signed', { key: ana.key });
    expect(signedResponse.safeParse(signed.answer).error?.issues).toBeUndefined();
    expect(signed.answer.signed.map(({ run, decision }: Record<string, string>) => [run, decision])).toEqual([
      [two.id, 'edit'],
      [one.id, 'approve'],
    ]);
    expect((await ask('GET /reviews/signed', { key: ben.key })).answer).toEqual({ signed: [] });
    const figures = await ask('GET /reviews/figures', { key: auditor.key });
    expect(reviewFiguresResponse.safeParse(figures.answer).error?.issues).toBeUndefined();
    expect(figures.answer.noteTypes).toEqual([
      {
        noteType: 'unknown',
        decisions: { approve: 1, edit: 1, reject: 1, correct: 0 },
        shareApprovedUnchanged: expect.closeTo(1 / 3),
      },
    ]);
    expect(figures.answer.categories).toEqual([{ category: 'wrong-encounter', count: 1 }]);
    expect(figures.answer.sections).toMatchObject([
      { section: 'PLAN', count: 2, shareUnchanged: 0.5 },
      { section: 'SUBJECTIVE', count: 2, shareUnchanged: 1, medianShareChanged: 0 },
    ]);
    expect(JSON.stringify(figures.answer)).not.toMatch(/X-ray|another visit/);
    expect((await ask('GET /reviews/figures?site=general', { key: auditor.key })).answer).toEqual({
      noteTypes: [],
      sections: [],
      categories: [],
    });
  });

  it('has figures for those who work on quality, not for reviewers', async () => {
    const ana = await aPerson('Ana');
    expect((await ask('GET /reviews/figures', { key: ana.key })).status).toBe(403);
  });

  it('starts another run of the session if a correction was asked for, and the draft stays', async () => {
    const [ana, run] = [await aPerson('Ana'), await aDraft()];
    const body = { decision: 'correct', reason: 'Leave out the X-ray.', category: 'not-usable' };
    const { status, answer } = await ask(`POST /runs/${run.id}/review`, { key: ana.key, body });
    expect([status, answer.replayOf, answer.status, answer.site]).toEqual([200, run.id, 'queued', 'mercy']);
    expect(JSON.stringify(answer)).not.toContain('X-ray');
    expect(await knownRun(engine.stores, run.id)).toEqual(run);
    const again = await ask(`POST /runs/${run.id}/review`, { key: ana.key, body });
    expect([again.status, again.answer.message]).toEqual([409, expect.stringContaining(answer.id)]);
  });

  it.each([
    [{ decision: 'correct' }, 'reason is required to correct'],
    [{ decision: 'approve', category: 'duplicate' }, 'category is only for reject and correct'],
    [{ decision: 'reject', reason: 'No.', category: 'bad' }, expect.stringMatching(/^category must be one of/)],
  ])('is refused as %j', async (body, problem) => {
    const [ana, run] = [await aPerson('Ana'), await aDraft()];
    const { status, answer } = await ask(`POST /runs/${run.id}/review`, { key: ana.key, body });
    expect([status, answer.message]).toEqual([400, [problem]]);
  });
});
