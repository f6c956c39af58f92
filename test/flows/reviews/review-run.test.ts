// A clinician's decision about a draft: who may decide, about which revision, and what comes of it in run, chart and trail.
import { describe, expect, it } from '@jest/globals';
import type { Provenance } from '@medplum/fhirtypes';
import { AppError } from '../../../src/domain/errors.ts';
import type { Access } from '../../../src/domain/people/caller.ts';
import type { Run } from '../../../src/domain/run/run.ts';
import type { RunEnd } from '../../../src/domain/run/run-end.ts';
import { makeRetractSession } from '../../../src/flows/chart-writing/retract-session.ts';
import { type Decider, type Decision, makeReviewRun, type ReviewOrder } from '../../../src/flows/reviews/review-run.ts';
import type { Reviewer } from '../../../src/ports/reviewers.ts';
import { makeFakeAudit } from '../../fakes/audit.ts';
import { makeFakeRuns } from '../../fakes/runs.ts';
import { aPersonsAccess, asIfOpen, OPERATOR } from '../../support/access.ts';
import { isRetired } from '../../support/chart-invariants.ts';
import { aHospital, aLiveSite } from '../../support/chart-writing.ts';
import { clinicianOf } from '../../support/clinician.ts';
import { aKeptRun, HELD, knownRun, NOTE, RESULTS, WRITTEN } from '../../support/stored-runs.ts';

const APPROVE: Decision = { kind: 'approve' };
const REJECT: Decision = { kind: 'reject', reason: 'Mrs. Example never said that.' };
const MERCYS: Reviewer = {
  id: '0123456789abcdef',
  site: 'mercy',
  practitioner: 'Practitioner/7',
  name: 'Dr. Example',
  createdAt: new Date('2026-03-01T00:00:00Z'),
};

const SIGNED = { acceptedBy: 'Dr. Example', role: 'CMIO', date: '2026-01-01', until: '2026-12-31', reason: 'Trial.' };

function aReviewRoom({
  review = 'preliminary' as 'preliminary' | 'hold' | 'final',
  site: name = 'mercy',
  isTrial = false,
  baseUrl = 'https://ehr.example.org/fhir',
  engine = 'openai:example-model',
} = {}) {
  const write = { review, ...(review === 'final' && { signedWithoutReview: SIGNED }) };
  const site = { ...aLiveSite({ name, baseUrl, write }), isTrial };
  const hospital = aHospital({ site });
  const stores = makeFakeRuns({ now: hospital.runtime.now });
  const audit = makeFakeAudit({ now: hospital.runtime.now });
  const trail = { isAway: false };
  const decideAs = makeReviewRun({
    requireOpenChart: asIfOpen,
    runs: stores.runs,
    drafts: stores.drafts,
    reasoner: { engine },
    sites: {
      current: () => ({ sites: new Map([[name, site]]), problems: [], stale: new Set(), unavailable: new Set() }),
    },
    retractSession: makeRetractSession(hospital.parts),
    audit: {
      append: (entry) =>
        trail.isAway ? Promise.reject(new AppError('overloaded', 'The database is away')) : audit.append(entry),
    },
    onDecided: () => undefined,
    runtime: hospital.runtime,
  });
  const decide = (run: Pick<Run, 'id'>, decision: Decision, rest: Partial<ReviewOrder> = {}) => {
    const decider = clinicianOf({ ...MERCYS, site: name });
    const access = rest.decider?.kind === 'operator' ? OPERATOR : accessAs(rest.decider ?? decider);
    return decideAs({ id: run.id, access, decider, decision, ...rest }, new AbortController().signal);
  };
  const aDraft = (end: typeof HELD = HELD) =>
    aKeptRun(stores, { site: name, session: 'session-1', results: RESULTS, end });
  return { hospital, stores, audit, trail, decide, aDraft };
}

/** With the key of that clinician, for every site, so that the decider's sites decide. */
function accessAs({ actor }: Exclude<Decider, { readonly kind: 'operator' }>): Access {
  return aPersonsAccess('all', { kind: 'reviewer-key', actor, role: 'reviewer' });
}

describe('an approval', () => {
  it.each(['review', 'drafts', 'unsupported', 'coverage', 'language'] as const)(
    'a run that is held for %s goes on after an approval in the name of the practitioner',
    async (reason) => {
      const { decide, aDraft, stores } = aReviewRoom();
      const run = await aDraft({ status: 'held', reason, message: 'It is held.' });
      await decide(run, APPROVE);
      expect(await knownRun(stores, run.id)).toMatchObject({
        status: 'queued',
        step: 'map',
        review: { decision: 'approve', reviewer: 'Practitioner/7', name: 'Dr. Example', revision: 1 },
      });
    },
  );

  it('an approval of a draft in the chart makes its run go on', async () => {
    const { decide, aDraft, stores } = aReviewRoom();
    const run = await aDraft(WRITTEN);
    await decide(run, APPROVE);
    expect(await knownRun(stores, run.id)).toMatchObject({ status: 'queued', step: 'map' });
  });

  it('an approval is recorded in the audit trail with reviewer, decision and revision', async () => {
    const { decide, aDraft, audit } = aReviewRoom();
    const run = await aDraft();
    await decide(run, APPROVE);
    expect(audit.entries).toMatchObject([
      {
        action: 'run.review',
        actor: 'reviewer/0123456789abcdef',
        site: 'mercy',
        run: run.id,
        details: { decision: 'approve', revision: 1, practitioner: 'Practitioner/7' },
      },
    ]);
  });

  it('an approval that cannot be recorded in the audit trail has no effect', async () => {
    const { decide, aDraft, stores, trail } = aReviewRoom();
    const run = await aDraft();
    trail.isAway = true;
    for (const decision of [APPROVE, REJECT, { kind: 'edit', sections: { PLAN: 'Rest.' } } as const]) {
      await expect(decide(run, decision)).rejects.toMatchObject({ code: 'overloaded' });
    }
    expect(await knownRun(stores, run.id)).toEqual(run);
  });
});

describe('an edit', () => {
  it('an edit replaces the texts of the named sections only', async () => {
    const { decide, aDraft, stores } = aReviewRoom();
    const run = await aDraft();
    await decide(run, { kind: 'edit', sections: { PLAN: 'Chest X-ray tomorrow.' } });
    const { check } = await stores.runs.results(run.id);
    expect(check?.note.note.sections.map(({ text }) => text)).toEqual([
      'Cough for three days.',
      'Chest X-ray tomorrow.',
    ]);
    expect(check?.note.note.title).toBe(NOTE.note.title);
    expect((await knownRun(stores, run.id)).review?.decision).toBe('edit');
  });

  it('an edit is recorded in the audit trail by its hash, never by its text', async () => {
    const { decide, aDraft, audit } = aReviewRoom();
    await decide(await aDraft(), { kind: 'edit', sections: { PLAN: 'Chest X-ray tomorrow.' } });
    expect(audit.entries[0]?.details?.['editSha256']).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(audit.entries)).not.toContain('tomorrow');
  });

  it.each([
    ['names a section that the note does not have', { ASSESSMENT: 'Pneumonia.' }, /SUBJECTIVE, PLAN/],
    ['changes nothing', { PLAN: 'Chest X-ray today.' }, /approve it instead/],
  ])('an edit that %s is refused', async (_, sections, message) => {
    const { decide, aDraft, stores, audit } = aReviewRoom();
    const run = await aDraft();
    await expect(decide(run, { kind: 'edit', sections })).rejects.toMatchObject({
      code: 'invalidRequest',
      message: expect.stringMatching(message),
    });
    expect([await knownRun(stores, run.id), audit.entries]).toEqual([run, []]);
  });
});

describe('a rejection', () => {
  it('a rejection ends the run as rejected and retracts the draft from the chart', async () => {
    const { hospital, decide, aDraft, stores, audit } = aReviewRoom();
    await hospital.write();
    const run = await aDraft(WRITTEN);
    await decide(run, REJECT);
    expect(await knownRun(stores, run.id)).toMatchObject({
      status: 'rejected',
      message: 'Practitioner/7 rejected the draft.',
    });
    expect((await knownRun(stores, run.id)).reason).toBeUndefined();
    expect(hospital.written('Condition').every(isRetired)).toBe(true);
    expect(audit.entries.map(({ action }) => action)).toEqual(['run.review', 'run.retract']);
  });

  it('an engine that is killed before the retraction leaves a run that asks to reject it again', async () => {
    const { hospital, decide, aDraft, stores } = aReviewRoom();
    await hospital.write();
    const run = await aDraft(WRITTEN);
    const words = { message: 'It may still be in the chart.', advice: 'Reject it again.' };
    await stores.runs.reject({ id: run.id, revision: 1, ...words });
    expect(await knownRun(stores, run.id)).toMatchObject({ status: 'parked', reason: 'rejected', ...words });
    await decide(run, REJECT);
    expect(await knownRun(stores, run.id)).toMatchObject({ status: 'rejected' });
    expect(hospital.written('Condition').every(isRetired)).toBe(true);
  });

  it('the reason of a rejection is only in the chart, not in the run or the audit trail', async () => {
    const { hospital, decide, aDraft, stores, audit } = aReviewRoom();
    await hospital.write();
    const run = await aDraft(WRITTEN);
    await decide(run, REJECT);
    expect(JSON.stringify(hospital.written('Provenance'))).toContain('never said that');
    expect(JSON.stringify([audit.entries, await knownRun(stores, run.id)])).not.toContain('never said that');
  });

  it('a reason with characters that FHIR forbids does not prevent the retraction', async () => {
    const { hospital, decide, aDraft } = aReviewRoom();
    await hospital.write();
    await decide(await aDraft(WRITTEN), { kind: 'reject', reason: 'Wrong\u0001 \u202edose.' });
    const records = hospital.written('Provenance') as readonly Provenance[];
    expect(records.flatMap(({ reason }) => reason?.[0]?.text ?? [])).toEqual(['Rejected at review: Wrong dose.']);
  });

  it('a rejection of a draft that was never written retracts nothing', async () => {
    const { hospital, decide, aDraft } = aReviewRoom({ review: 'hold' });
    await decide(await aDraft(), REJECT);
    expect(hospital.ehr.sent).toEqual([]);
  });

  it('a rejection whose retraction has failed can be repeated, and then succeeds', async () => {
    const { hospital, decide, aDraft, stores } = aReviewRoom();
    await hospital.write();
    const run = await aDraft(WRITTEN);
    hospital.ehr.misbehave({ on: 'capabilities', does: 'throw-unavailable' });
    await expect(decide(run, REJECT)).rejects.toMatchObject({ code: 'ehrUnavailable' });
    expect(await knownRun(stores, run.id)).toMatchObject({
      status: 'parked',
      reason: 'retract-by-hand',
      message: expect.stringContaining('The draft is still in the chart'),
    });
    hospital.ehr.behave();
    await decide(run, REJECT);
    expect(hospital.written('Condition').every(isRetired)).toBe(true);
  });

  it('a rejection names the documents that a person must retract after signing them', async () => {
    const { hospital, decide, aDraft, stores } = aReviewRoom();
    await hospital.write();
    for (const one of hospital.written('Composition')) {
      hospital.ehr.edit(`Composition/${one.id}`, (resource) => ({ ...resource, status: 'final' }) as typeof resource);
    }
    const run = await aDraft(WRITTEN);
    await decide(run, REJECT);
    expect(await knownRun(stores, run.id)).toMatchObject({
      status: 'parked',
      reason: 'retract-by-hand',
      message: expect.stringMatching(/^Practitioner\/7 rejected the draft\. .* Look at Composition\/[^ ]+\.$/),
    });
  });
});

describe('who may decide', () => {
  it('an operator may not decide, even with a valid key', async () => {
    const { decide, aDraft, stores, audit } = aReviewRoom();
    const run = await aDraft();
    for (const decision of [APPROVE, REJECT]) {
      await expect(decide(run, decision, { decider: { kind: 'operator' } })).rejects.toMatchObject({
        code: 'forbidden',
      });
    }
    expect([await knownRun(stores, run.id), audit.entries]).toEqual([run, []]);
  });

  it('an operator may decide at a site for trials with an EHR on this machine', async () => {
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const baseUrl = `http://${host}:8080/fhir/R4`;
      const { decide, aDraft, stores } = aReviewRoom({ site: 'sandbox', isTrial: true, baseUrl });
      const run = await aDraft();
      await decide(run, APPROVE, { decider: { kind: 'operator' } });
      expect((await knownRun(stores, run.id)).review?.reviewer).toBe('Practitioner/sandbox');
    }
  });

  it.each(['https://ehr.example.org/fhir', 'https://localhost.example.org/fhir', 'https://127.example.org/fhir'])(
    'an operator may not decide for a site for trials with its EHR at %s',
    async (baseUrl) => {
      const { decide, aDraft, stores } = aReviewRoom({ site: 'sandbox', isTrial: true, baseUrl });
      const run = await aDraft();
      await expect(decide(run, APPROVE, { decider: { kind: 'operator' } })).rejects.toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining('ehr.baseUrl is on this machine'),
      });
      expect(await knownRun(stores, run.id)).toEqual(run);
    },
  );

  it('an operator may not decide for a site that is not for trials, even with an EHR on this machine', async () => {
    const { decide, aDraft, stores } = aReviewRoom({ site: 'sandbox', baseUrl: 'http://127.0.0.1:8080/fhir/R4' });
    const run = await aDraft();
    await expect(decide(run, APPROVE, { decider: { kind: 'operator' } })).rejects.toMatchObject({ code: 'forbidden' });
    expect(await knownRun(stores, run.id)).toEqual(run);
  });

  it('a reviewer of another site gets the same answer as for an unknown run', async () => {
    const { decide, aDraft, stores } = aReviewRoom();
    const run = await aDraft();
    const decider = clinicianOf({ ...MERCYS, site: 'general' });
    await expect(decide(run, APPROVE, { decider })).rejects.toMatchObject({
      code: 'notFound',
      message: 'There is no run with this id',
    });
    await expect(decide({ id: 'none' }, APPROVE, { decider })).rejects.toMatchObject({
      message: 'There is no run with this id',
    });
    expect(await knownRun(stores, run.id)).toEqual(run);
  });
});

describe('the revision of a decision', () => {
  /** The second draft of one run. */
  async function revised(room: ReturnType<typeof aReviewRoom>): Promise<Run> {
    const first = await room.aDraft(WRITTEN);
    await room.decide(first, APPROVE);
    const order = { holder: 'testbed/test', limit: 1, leaseMs: 60_000, sites: ['mercy'], intakeSites: ['mercy'] };
    const [claim] = await room.stores.queue.claim(order);
    if (claim !== undefined) await room.stores.queue.leave(claim, HELD);
    return knownRun(room.stores, first.id);
  }

  it('a decision about an outdated revision is refused', async () => {
    const room = aReviewRoom();
    const run = await revised(room);
    expect(run.revision).toBe(2);
    await expect(room.decide(run, APPROVE, { revision: 1 })).rejects.toMatchObject({
      code: 'conflict',
      message: 'This draft has revision 2 by now, not 1: read it again',
    });
    await room.decide(run, APPROVE, { revision: 2 });
    expect((await knownRun(room.stores, run.id)).review?.revision).toBe(2);
  });

  it('a decision must name its revision if there were several', async () => {
    const room = aReviewRoom();
    const run = await revised(room);
    await expect(room.decide(run, APPROVE)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/name the one that you saw/),
    });
  });
});

describe('a draft that a later run of the session has replaced', () => {
  /** A draft in the chart, and the one that a replay put in its place. */
  async function replaced(room: ReturnType<typeof aReviewRoom>, { isDry = false } = {}) {
    await room.hospital.write();
    const former = await room.aDraft(WRITTEN);
    const { id } = await room.stores.runs.replay({ id: former.id, from: 'map', isDry });
    const order = { holder: 'testbed/test', limit: 1, leaseMs: 60_000, sites: ['mercy'], intakeSites: ['mercy'] };
    const [claim] = await room.stores.queue.claim(order);
    const shown: RunEnd = { status: 'skipped', reason: 'dry-run', message: 'Nothing was written.' };
    if (claim !== undefined) await room.stores.queue.leave(claim, isDry ? shown : WRITTEN);
    return { former, later: await knownRun(room.stores, id) };
  }

  it.each([
    ['approval', APPROVE],
    ['edit', { kind: 'edit', sections: { PLAN: 'Rest.' } }],
    ['rejection', REJECT],
  ] as const)('the earlier draft takes no %s, which would overwrite the current documents', async (_, decision) => {
    const room = aReviewRoom();
    const { former, later } = await replaced(room);
    await expect(room.decide(former, decision)).rejects.toMatchObject({
      code: 'conflict',
      message: `A later run of this session made another draft: decide about that one (${later.id})`,
    });
    expect(await knownRun(room.stores, former.id)).toEqual(former);
    expect(room.hospital.written('Condition').some(isRetired)).toBe(false);
    await room.decide(later, REJECT);
    expect(await knownRun(room.stores, later.id)).toMatchObject({ status: 'rejected' });
  });

  it('a rejected earlier draft cannot be rejected again, which would retract the later one', async () => {
    const room = aReviewRoom();
    const { former, later } = await replaced(room);
    const words = { message: 'Practitioner/7 rejected the draft.', advice: 'Reject it again.' };
    await room.stores.runs.reject({ id: former.id, revision: 1, ...words });
    await expect(room.decide(former, REJECT)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(later.id),
    });
    expect(room.hospital.written('Condition').some(isRetired)).toBe(false);
  });

  it('a dry run does not replace a draft', async () => {
    const room = aReviewRoom();
    const { former } = await replaced(room, { isDry: true });
    await room.decide(former, APPROVE);
    expect(await knownRun(room.stores, former.id)).toMatchObject({ status: 'queued', step: 'map' });
  });
});

describe('a decision', () => {
  it('a draft is decided once', async () => {
    const { decide, aDraft, stores } = aReviewRoom();
    const run = await aDraft();
    await decide(run, APPROVE);
    await expect(decide(run, APPROVE)).rejects.toMatchObject({ code: 'conflict' });
    const order = { holder: 'testbed/test', limit: 1, leaseMs: 60_000, sites: ['mercy'], intakeSites: ['mercy'] };
    const [claim] = await stores.queue.claim(order);
    if (claim !== undefined) await stores.queue.leave(claim, WRITTEN);
    await expect(decide(run, REJECT, { revision: 2 })).rejects.toMatchObject({
      code: 'conflict',
      message: 'Practitioner/7 decided about this draft already (approve)',
    });
  });

  it.each([
    ['consent', /held for consent, which a review cannot resolve/],
    ['sensitive', /held for sensitive/],
    ['label', /held for label/],
  ] as const)('a review cannot decide a run that is held for %s', async (reason, message) => {
    const { decide, aDraft } = aReviewRoom();
    const run = await aDraft({ status: 'held', reason, message: 'It is held.' });
    await expect(decide(run, APPROVE)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(message),
    });
  });

  it('a decision needs a draft: none exists while the run is processed, or if the site signs without a review', async () => {
    const { decide, stores } = aReviewRoom({ review: 'final' });
    const running = await aKeptRun(stores, { session: 's-9' });
    await expect(decide(running, APPROVE)).rejects.toMatchObject({
      message: 'The run is running: there is no draft to decide about',
    });
    const signed = await aKeptRun(stores, {
      encounter: 'Encounter/e-2',
      patient: 'Patient/p-2',
      session: 's-2',
      results: RESULTS,
      end: WRITTEN,
    });
    await expect(decide(signed, REJECT)).rejects.toMatchObject({
      message: 'This site signs without a review: there is no draft',
    });
  });

  it('a decision needs the stored note', async () => {
    const { decide, stores } = aReviewRoom();
    const run = await aKeptRun(stores, { session: 's-1', end: HELD });
    await expect(decide(run, APPROVE)).rejects.toMatchObject({ code: 'conflict' });
  });
});
