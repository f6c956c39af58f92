// Why is there no note? One sentence and the next thing to do, for each way in which there may be none.
import { describe, expect, it } from '@jest/globals';
import type { Encounter, Patient, Resource } from '@medplum/fhirtypes';
import { AppError } from '../../../src/domain/errors.ts';
import type { Permission } from '../../../src/domain/history/chart-context.ts';
import type { RunEnd } from '../../../src/domain/run/run-end.ts';
import type { SiteSettings } from '../../../src/domain/site/site.ts';
import { makeExplainEncounter } from '../../../src/flows/operations/explain-encounter.ts';
import { makeFindRecordings } from '../../../src/flows/run-steps/find-recordings.ts';
import { makeFakeAudit } from '../../fakes/audit.ts';
import { makeFakeFeeds } from '../../fakes/feeds.ts';
import { makeFakePauses } from '../../fakes/pauses.ts';
import { makeFakeRuns } from '../../fakes/runs.ts';
import { OPERATOR } from '../../support/access.ts';
import { aHospital, aLiveSite, ENCOUNTER, PATIENT } from '../../support/chart-writing.ts';
import { aKeptRun, aQueuedRun, HELD, WRITTEN } from '../../support/stored-runs.ts';

const signal = new AbortController().signal;
const VISITS = 'urn:example:visits';
const RECORDS = 'urn:example:records';
const LATER = new Date('2026-03-02T10:05:00.000Z');

const NAMED: Patient = {
  ...PATIENT,
  name: [{ family: 'Canary', given: ['Secret'] }],
  identifier: [{ system: RECORDS, value: 'MRN-1' }],
};
const VISIT: Encounter = {
  ...ENCOUNTER,
  identifier: [{ system: VISITS, value: 'V-77' }],
  period: { start: '2026-03-02T08:00:00Z' },
};
const RECORDING: Resource = {
  resourceType: 'DocumentReference',
  id: 'rec-1',
  status: 'current',
  subject: { reference: 'Patient/p-1' },
  content: [{ attachment: { contentType: 'audio/wav', url: 'Binary/rec-1' } }],
  context: { encounter: [{ reference: 'Encounter/e-1' }] },
};

const REFUSED: Permission = {
  isGranted: false,
  // biome-ignore lint/suspicious/noThenProperty: the permission's own name; it is never awaited
  then: 'skip',
  reason: 'consent',
  message: 'A Consent refuses it.',
};

type RoomParts = {
  readonly chart?: readonly Resource[];
  readonly settings?: Partial<SiteSettings>;
  readonly permission?: Permission;
};

function aRoom({ chart = [NAMED, VISIT, RECORDING], settings = {}, permission }: RoomParts = {}) {
  const live = aLiveSite();
  const identifiers = { visit: VISITS, mrn: RECORDS };
  const site = { ...live, settings: { ...live.settings, identifiers, ...settings } };
  const hospital = aHospital({
    site,
    resources: chart,
    ...(permission !== undefined && { permission: () => permission }),
  });
  const { now } = hospital.runtime;
  const stores = makeFakeRuns({ now });
  const pauses = makeFakePauses({ now });
  const feeds = makeFakeFeeds({ now });
  const audit = makeFakeAudit({ now });
  const trail = { isAway: false };
  const explainEncounter = makeExplainEncounter({
    runs: stores.runs,
    pauses,
    feeds,
    sites: {
      current: () => ({
        sites: new Map([['mercy', site]]),
        problems: [],
        stale: new Set(),
        unavailable: new Set(['st-mary']),
      }),
    },
    ehrs: hospital.ehr.ehrs,
    findRecordings: makeFindRecordings({ ehrs: hospital.ehr.ehrs }),
    askPermission: hospital.parts.askPermission,
    audit: {
      append: (entry) =>
        trail.isAway ? Promise.reject(new AppError('overloaded', 'The database is away')) : audit.append(entry),
    },
    runtime: hospital.runtime,
  });
  const explain = (of = 'Encounter/e-1', ofSite = 'mercy') =>
    explainEncounter({ access: OPERATOR, site: ofSite, of }, signal);
  return { explain, ehr: hospital.ehr, stores, pauses, feeds, audit, trail };
}

type Room = ReturnType<typeof aRoom>;

/** An event has come, of some encounter. */
const hear = ({ feeds }: Room) => feeds.note('mercy', 'amqp', { lastEventAt: new Date('2026-03-02T09:30:00Z') });
const settled = (room: Room, end: RunEnd) => aKeptRun(room.stores, { session: 's-1', end });

describe('an encounter without a run is explained', () => {
  it.each<[string, RoomParts, (room: Room) => unknown, string, RegExp]>([
    [
      'no event ever came, and the settings name no way for them',
      {},
      () => undefined,
      'No event has ever come from mercy: its settings configure no feed.',
      /^Configure a feed in mappings\/mercy\/site.yaml .* runs start mercy Encounter\/e-1 documents this one now\.$/,
    ],
    [
      'no event ever came, although there is a way',
      { settings: { events: { amqp: { exchange: 'ehr.events', bindings: ['encounter.#'] } } } },
      () => undefined,
      'No event has ever come from mercy.',
      /^Check that events reach the engine \(amqp\)\./,
    ],
    [
      'events come, but none of this encounter',
      {},
      hear,
      'Events of mercy arrive, the last at 2026-03-02 09:30 UTC, but none came for Encounter/e-1.',
      /runs start mercy Encounter\/e-1 .* quarantined: npm run cli -- runs aside --site mercy\.$/,
    ],
    [
      'something is wrong with the events',
      {},
      ({ feeds }) =>
        feeds.note('mercy', 'subscription', {
          alarm: { kind: 'subscription', message: 'Switch the Subscription on again in the EHR' },
        }),
      'No event came for Encounter/e-1: the feed subscription of mercy has an alarm since 2026-03-02 10:00 UTC.',
      /^Switch the Subscription on again in the EHR\. npm run cli -- runs start/,
    ],
    [
      'the site is off',
      { settings: { mode: 'off' } },
      hear,
      'The site mercy is off, so it is not documented.',
      /mode in mappings\/mercy\/site.yaml/,
    ],
    [
      'the trigger says no',
      { chart: [NAMED, { ...VISIT, status: 'in-progress' }, RECORDING] },
      hear,
      "Encounter/e-1 is in-progress, and the trigger of mercy (status = 'finished') does not match it in this state.",
      /^Nothing, if the encounter still goes on/,
    ],
    [
      'the trigger cannot be evaluated',
      { settings: { trigger: "status.substring('x')" } },
      hear,
      expect.stringMatching(/^The trigger of mercy cannot be evaluated for Encounter\/e-1: .*\.$/) as unknown as string,
      /^Change trigger in mappings\/mercy\/site.yaml/,
    ],
    [
      'it is not in the pilot',
      { settings: { pilot: { practitioners: ['Practitioner/9'], locations: [], services: [] } } },
      hear,
      'Encounter/e-1 is not in the pilot of mercy: it has other practitioners, locations or services.',
      /see pilot/,
    ],
    [
      'the encounter was cancelled',
      { chart: [NAMED, { ...VISIT, status: 'cancelled' }, RECORDING] },
      hear,
      'Encounter/e-1 is cancelled in the EHR: there is nothing to document.',
      /^Nothing, if that is right/,
    ],
    [
      'the encounter names no patient',
      { chart: [NAMED, { ...VISIT, subject: { display: 'Secret Canary' } }, RECORDING] },
      hear,
      'Encounter.subject of Encounter/e-1 does not reference a Patient in this EHR.',
      /Encounter\.subject/,
    ],
    [
      'the chart has no recording',
      { chart: [NAMED, VISIT] },
      hear,
      'The chart has no usable recording of Encounter/e-1.',
      /DocumentReference or Media with audio/,
    ],
    [
      'the patient does not agree',
      { permission: REFUSED },
      hear,
      'Encounter/e-1 may not be documented: A Consent refuses it.',
      /see the Consent in the EHR/,
    ],
    [
      'the EHR does not know it',
      { chart: [NAMED] },
      hear,
      'The EHR of mercy has no encounter, visit or patient “Encounter/e-1”.',
      /^Compare the number/,
    ],
    [
      'the EHR does not know it, and other numbers cannot be looked up',
      { chart: [NAMED], settings: { identifiers: {} } },
      hear,
      'The EHR of mercy has no encounter with the id “Encounter/e-1”.',
      /set identifiers\.visit and identifiers\.mrn/,
    ],
    [
      'the EHR cannot be asked',
      {},
      ({ ehr }) =>
        ehr.misbehave({ on: 'read', does: 'throw-unavailable' }, { on: 'search', does: 'throw-unavailable' }),
      'The engine has no run for Encounter/e-1, and the EHR of mercy does not answer: the EHR cannot be reached.',
      /sites probe mercy/,
    ],
    [
      'the EHR fails on the way',
      {},
      ({ ehr }) => ehr.misbehave({ on: 'search', does: 'throw-unavailable' }),
      'Encounter/e-1 is in the EHR of mercy, but further requests fail: the EHR cannot be reached.',
      /sites probe mercy/,
    ],
  ])('because %s', async (_, parts, prepare, sentence, next) => {
    const room = aRoom(parts);
    await prepare(room);
    const said = await room.explain();
    expect([said.sentence, said.details?.runs]).toEqual([sentence, []]);
    expect(said.next).toMatch(next);
  });

  it.each([
    ['mery', 'There is no site mery here; did you mean mercy.'],
    ['<script>', 'There is no such site here.'],
    ['st-mary', 'The site st-mary is not active: its files have problems.'],
  ])('because there is no active site %s', async (site, sentence) => {
    const room = aRoom();
    const said = await room.explain('Encounter/e-1', site);
    expect(said.sentence).toBe(sentence);
    expect(room.ehr.calls).toEqual([]);
  });

  it('for a patient without an encounter', async () => {
    const { explain } = aRoom({ chart: [NAMED] });
    expect((await explain('MRN-1')).sentence).toBe('Patient/p-1 has no encounter in the EHR of mercy.');
  });
});

describe('an encounter with a run is explained', () => {
  it.each<[string, RunEnd, RoomParts, string, RegExp]>([
    [
      'the note is there, and not reviewed',
      WRITTEN,
      {},
      'Encounter/e-1 is documented in the chart: Composition/12 and 1 more, written at 2026-03-02 10:00 UTC, as a draft without a review in the engine.',
      /^A clinician reviews Composition\/12\.$/,
    ],
    [
      'nothing had to be written',
      { status: 'written', resources: [], left: [] },
      {},
      'The run of Encounter/e-1 has ended without a write: the chart already has the same content.',
      /runs show/,
    ],
    [
      'its documents were retracted, and some that a person has changed are left',
      {
        status: 'retracted',
        resources: [{ document: 'condition', reference: 'Condition/13', status: 'retired' }],
        left: [{ document: 'composition', reference: 'Composition/12', why: 'signed' }],
      },
      {},
      'The documents of Encounter/e-1 were retracted at 2026-03-02 10:00 UTC; documents that a person has changed are left: Composition/12.',
      /^Check Composition\/12/,
    ],
    [
      'its documents were retracted, because the encounter was cancelled',
      { status: 'retracted', resources: [], left: [] },
      { chart: [NAMED, { ...VISIT, status: 'cancelled' }] },
      'The documents of Encounter/e-1 were retracted at 2026-03-02 10:00 UTC; in the EHR it is cancelled.',
      /^Nothing, if that is right\.$/,
    ],
    [
      'it is held before there is a draft',
      { status: 'held', reason: 'language', message: 'It is in French.', advice: 'Document by hand.' },
      {},
      'The note of Encounter/e-1 is held: its language is not supported.',
      /^Document by hand\.$/,
    ],
    [
      'it waits for the EHR',
      {
        status: 'waiting',
        reason: 'ehr',
        until: new Date('2026-03-02T10:01:00Z'),
        countsAsTry: false,
        message: 'The EHR cannot be reached.',
      },
      {},
      'Encounter/e-1 waits for the EHR, which does not answer; the next check is at 2026-03-02 10:01 UTC.',
      /^npm run cli -- sites probe mercy shows the state of the EHR\.$/,
    ],
    [
      'it waits for a review',
      HELD,
      {},
      'The note of Encounter/e-1 is held: the site holds drafts until a clinician approves them.',
      /runs review/,
    ],
    [
      'it says what nobody said',
      { status: 'held', reason: 'unsupported', message: 'Drugs.' },
      {},
      'The note of Encounter/e-1 is held: the note has statements that the recording or the chart does not bear out.',
      /runs review/,
    ],
    [
      'nobody can tell if the patient agreed',
      { status: 'held', reason: 'consent', message: 'No Consent.', advice: 'Ask the patient.' },
      {},
      'The note of Encounter/e-1 is held: it is unknown whether the patient consents.',
      /^Ask the patient\.$/,
    ],
    [
      'an operator must act',
      { status: 'parked', reason: 'refused', message: 'The EHR refused a Condition.', advice: 'See its log.' },
      {},
      'The run of Encounter/e-1 is parked: The EHR refused a Condition.',
      /^See its log\.$/,
    ],
    [
      'it waits for its recording',
      {
        status: 'waiting',
        reason: 'recording',
        message: 'None yet.',
        until: new Date('2026-03-02T10:05:00Z'),
        countsAsTry: false,
      },
      {},
      'Encounter/e-1 waits for a recording: the chart has none yet that can be used; the next check is at 2026-03-02 10:05 UTC.',
      /recording is saved to this encounter/,
    ],
    [
      'it waits for its recording, because the one in the chart belongs to another patient',
      {
        status: 'waiting',
        reason: 'recording',
        message: 'None.',
        advice: 'Correct them. Recordings left out because they belong to another patient: 1.',
        until: new Date('2026-03-02T10:05:00Z'),
        countsAsTry: false,
      },
      {},
      'Encounter/e-1 waits for a recording: the chart has none yet that can be used; the next check is at 2026-03-02 10:05 UTC.',
      /belong to another patient: 1/,
    ],
    [
      'the model does not answer',
      {
        status: 'waiting',
        reason: 'reasoner',
        message: 'Down.',
        until: new Date('2026-03-02T10:01:00Z'),
        countsAsTry: false,
      },
      {},
      'Encounter/e-1 waits for the model, which does not answer; the next check is at 2026-03-02 10:01 UTC.',
      /readyz/,
    ],
    [
      'the site is in shadow',
      { status: 'skipped', reason: 'shadow', message: 'Shadow.' },
      { settings: { mode: 'shadow' } },
      'Encounter/e-1 was not documented: the site is in shadow mode, so nothing was written.',
      /mode: live in mappings\/mercy\/site.yaml/,
    ],
    [
      'nobody spoke',
      { status: 'skipped', reason: 'no-speech', message: 'Silence.' },
      {},
      'Encounter/e-1 was not documented: its recording has no speech.',
      /runs show/,
    ],
    [
      'the trigger did not match, and still does',
      { status: 'skipped', reason: 'trigger', message: 'No.' },
      { chart: [NAMED, { ...VISIT, status: 'in-progress' }, RECORDING] },
      "Encounter/e-1 is in-progress, and the trigger of mercy (status = 'finished') does not match it in this state.",
      /^Nothing, if the encounter still goes on/,
    ],
    [
      'the trigger did not match, and would not any more',
      { status: 'skipped', reason: 'trigger', message: 'No.' },
      {},
      'Encounter/e-1 was not documented: the trigger did not match at 2026-03-02 10:00 UTC, and no event has come since that changed.',
      /^To check it again now: npm run cli -- runs start mercy Encounter\/e-1\.$/,
    ],
    [
      'no recording came in time, and there is none now',
      { status: 'skipped', reason: 'no-recording', message: 'None.' },
      { chart: [NAMED, VISIT] },
      'The chart has no usable recording of Encounter/e-1.',
      /saved to this encounter/,
    ],
    [
      'the site was switched off',
      { status: 'skipped', reason: 'off', message: 'Off.' },
      { settings: { mode: 'off' } },
      'Encounter/e-1 was not documented: mercy is off.',
      /mode in mappings\/mercy\/site.yaml/,
    ],
    [
      'somebody cancelled it',
      { status: 'cancelled' },
      {},
      'The run of Encounter/e-1 was cancelled at 2026-03-02 10:00 UTC.',
      /runs replay/,
    ],
  ])('and %s', async (_, end, parts, sentence, next) => {
    const room = aRoom(parts);
    const run = await settled(room, end);
    const said = await room.explain();
    expect(said.sentence).toBe(sentence);
    expect(said.next).toMatch(next);
    expect(said.details?.run).toBe(run.id);
  });

  it('and the run is being processed', async () => {
    const room = aRoom();
    await aKeptRun(room.stores, { session: 's-1' });
    expect((await room.explain()).sentence).toBe('Encounter/e-1 is being documented now.');
  });

  it('and the run waits for a worker', async () => {
    const room = aRoom();
    await aQueuedRun(room.stores);
    expect((await room.explain()).sentence).toBe('Encounter/e-1 has waited for a worker since 2026-03-02 10:00 UTC.');
  });

  it('and another run of the same patient comes first', async () => {
    const room = aRoom();
    const wait = { status: 'waiting', reason: 'ehr', message: 'Down.', until: LATER, countsAsTry: false } as const;
    const ahead = await aKeptRun(room.stores, { encounter: 'Encounter/e-0', session: 's-0', end: wait });
    await aKeptRun(room.stores, { session: 's-1' });
    const said = await room.explain();
    expect(said.sentence).toBe('Encounter/e-1 waits for another run of the same patient, which is waiting.');
    expect(said.next).toContain(ahead.id);
  });

  it('and the site is paused', async () => {
    const room = aRoom();
    await aQueuedRun(room.stores);
    await room.pauses.pause('mercy', 'intake', 'EHR upgrade.');
    const said = await room.explain();
    expect(said).toMatchObject({
      sentence: 'Encounter/e-1 waits because mercy has been paused (intake) since 2026-03-02 10:00 UTC: EHR upgrade.',
      next: 'To end the pause: npm run cli -- sites resume mercy.',
      details: { paused: ['intake'] },
    });
  });

  it('and the EHR does not answer: the explanation uses what the engine knows', async () => {
    const room = aRoom();
    await settled(room, WRITTEN);
    room.ehr.misbehave({ on: 'read', does: 'throw-unavailable' });
    expect((await room.explain()).sentence).toMatch(/^Encounter\/e-1 is documented in the chart/);
  });

  it('and a later run found nothing new: the explanation is about the run that documented', async () => {
    const room = aRoom();
    const run = await settled(room, WRITTEN);
    await aKeptRun(room.stores, { end: { status: 'skipped', reason: 'nothing-new', message: 'All done.' } });
    const said = await room.explain();
    expect(said.details?.run).toBe(run.id);
    expect(said.details?.runs).toHaveLength(2);
  });
});

describe('the subject of an explanation', () => {
  it.each(['Encounter/e-1', 'e-1', 'V-77', 'MRN-1', 'Patient/p-1', ' e-1 '])(
    'it may be %s, and is the same encounter',
    async (of) => {
      const room = aRoom();
      const run = await settled(room, WRITTEN);
      expect((await room.explain(of)).details).toMatchObject({
        encounter: 'Encounter/e-1',
        patient: 'Patient/p-1',
        run: run.id,
      });
    },
  );

  it('it may be a visit number whose run is not resolved yet', async () => {
    const room = aRoom();
    await aQueuedRun(room.stores, { encounter: 'visit:V-77' });
    expect((await room.explain('V-77')).sentence).toBe(
      'The visit V-77 has waited for a worker since 2026-03-02 10:00 UTC.',
    );
  });

  it('a record number leads to the newest encounter and the number of other encounters', async () => {
    const older: Encounter = { ...VISIT, id: 'e-0', identifier: [], period: { start: '2026-01-02T08:00:00Z' } };
    const { explain } = aRoom({ chart: [NAMED, older, VISIT, RECORDING] });
    expect((await explain('MRN-1')).details).toMatchObject({ encounter: 'Encounter/e-1', otherEncounters: 1 });
  });

  it('it is never another patient’s if a server returns too much', async () => {
    const { explain } = aRoom({ chart: [{ ...NAMED, identifier: [{ system: 'urn:other', value: 'MRN-1' }] }, VISIT] });
    expect((await explain('MRN-1')).details?.encounter).toBeUndefined();
  });

  it('text that cannot be an id is not repeated', async () => {
    expect((await aRoom().explain('Secret Canary, born 1970')).sentence).toBe(
      'The EHR of mercy has no encounter, visit or patient that.',
    );
  });
});

describe('an explanation', () => {
  it('it is recorded in the audit trail before it is returned', async () => {
    const room = aRoom();
    const run = await settled(room, WRITTEN);
    await room.explain('MRN-1');
    expect(room.audit.entries).toMatchObject([
      {
        action: 'run.view',
        actor: 'operator',
        site: 'mercy',
        run: run.id,
        details: { encounter: 'Encounter/e-1', patient: 'Patient/p-1' },
      },
    ]);
    room.trail.isAway = true;
    await expect(room.explain()).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('it contains no names', async () => {
    for (const asked of ['Encounter/e-1', 'MRN-1']) {
      for (const chart of [[NAMED, VISIT, RECORDING], [NAMED, VISIT], [NAMED]]) {
        expect(JSON.stringify(await aRoom({ chart }).explain(asked))).not.toMatch(/Canary|Secret/);
      }
    }
  });
});
