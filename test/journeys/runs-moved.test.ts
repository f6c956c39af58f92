// Encounters that are moved to another patient after their documents were written, with a whole engine, its database, its broker and an EHR:
// also if the engine is killed with -9 before and after each request of the move.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunAnswer } from '../../src/wire/run.ts';
import type { Engine } from '../support/engine.ts';
import { chartOf, eventually, listen, runsOf, untilRun, viewOf } from '../support/journey-runs.ts';
import type { PassedRequest } from '../support/run-crash-proxy.ts';
import { startWorld, type Visit, WHOLE_CHART, type World } from '../support/run-world.ts';
import { MANY_AT_ONCE, MOMENTS, mentions, withoutSearches } from '../support/run-world-crashes.ts';
import { isRetired } from '../support/run-world-invariants.ts';

/** A process that dies during a write leaves its result uncertain for a minute and a half. */
const LIMIT_MS = 300_000;

let world: World;
let engine: Engine;
let ears: Awaited<ReturnType<typeof listen>>;

beforeAll(async () => {
  world = await startWorld({ hasGates: true, maxConcurrentWrites: 60 });
  withoutSearches(world);
  ears = await listen(world);
  engine = await world.start('a', MANY_AT_ONCE);
});
afterAll(() => world?.close());

const otherOf = ({ patient }: Visit): string => `${patient}-other`;

function setSubject(reference: string, patient: string, changes: object = {}): void {
  const resource = world.ehr.store.get(reference);
  if (resource === undefined) throw new Error(`there is no ${reference}`);
  world.ehr.store.put({ ...resource, subject: { reference: patient }, ...changes } as typeof resource);
}

/** As an EHR does it: the encounter and its recordings, and then its event. */
async function move(visit: Visit, patient = otherOf(visit)): Promise<void> {
  world.ehr.store.put({ resourceType: 'Patient', id: patient.replace('Patient/', '') });
  setSubject(visit.encounter, patient);
  setSubject(`DocumentReference/rec-${visit.id}`, patient);
  await world.tell(visit);
}

async function written(visit: Visit): Promise<RunAnswer> {
  await world.tell(visit);
  return untilRun(engine, visit.encounter);
}

async function untilMoved(visit: Visit, patient = otherOf(visit)): Promise<RunAnswer> {
  return eventually(
    async () => {
      const runs = await runsOf(engine, { encounter: visit.encounter });
      const isQuiet = runs.every(({ status }) => status === 'written' || status === 'retracted');
      return isQuiet ? runs.find((run) => run.status === 'written' && run.patient === patient) : undefined;
    },
    { what: `a note of ${visit.encounter} for ${patient}` },
  );
}

/** What counts as meant in the charts of an encounter: `Patient/p-v1 Composition`. */
function standing({ id }: Visit): readonly string[] {
  return chartOf(world)
    .filter(({ name, resource }) => name.startsWith(`e-${id}/`) && !isRetired(resource))
    .filter(({ resource }) => resource['resourceType'] !== 'Provenance')
    .map(({ resource }) => `${(resource['subject'] as { reference: string }).reference} ${resource['resourceType']}`)
    .toSorted();
}

function noteOf(patient: string): readonly string[] {
  const types = WHOLE_CHART.map((one) => one.split(' ')[0]).filter((type) => type !== 'Provenance');
  return types.map((type) => `${patient} ${type}`).toSorted();
}

async function alarmsOf({ encounter }: Visit): Promise<readonly unknown[]> {
  const heard = await ears.heard();
  return heard.flatMap(({ outcome }) =>
    outcome['encounter'] === encounter && outcome['because'] === 'moved' ? [outcome] : [],
  );
}

describe('an encounter that is moved to another patient after the write', () => {
  it('its event retracts the drafts, writes them for the right patient, and tells both patients once', async () => {
    const visit = world.admit();
    const former = await written(visit);
    await move(visit);
    const again = await untilMoved(visit);
    expect(standing(visit)).toEqual(noteOf(otherOf(visit)));
    expect(again).toMatchObject({ replayOf: former.id, session: former.session, trigger: { source: 'amqp' } });
    expect(await viewOf(engine, former.id)).toMatchObject({ status: 'retracted', movedBy: again.id });
    const [alarm, ...others] = await eventually(async () => {
      const alarms = await alarmsOf(visit);
      return alarms.length > 0 ? alarms : undefined;
    });
    expect(alarm).toMatchObject({ runId: former.id, patient: visit.patient, movedTo: otherOf(visit) });
    expect(others).toEqual([]);
    const { sites } = (await engine.ops('GET', '/sites')) as { sites: readonly { findings: object }[] };
    expect(sites.map(({ findings }) => findings)).toEqual([{}]);
  });

  it('a signed document is parked for a person with both references, and the note is written after it was retracted', async () => {
    const visit = world.admit();
    const { resources } = await written(visit);
    const note = resources.find(({ document }) => document === 'document-reference')?.reference ?? '';
    setSubject(note, visit.patient, { docStatus: 'final' });
    await move(visit);
    const parked = await untilRun(engine, visit.encounter, 'parked');
    for (const name of [visit.patient, otherOf(visit), note]) expect(parked.message).toContain(name);
    expect(standing(visit)).toEqual([`${visit.patient} DocumentReference`]);
    await eventually(
      async () => {
        const explained = await engine.ops('POST', `/sites/${visit.site}/explain`, { of: visit.encounter });
        return (explained as { sentence: string }).sentence.includes(note) ? true : undefined;
      },
      { what: 'an explanation that names the signed document' },
    );
    setSubject(note, visit.patient, { status: 'entered-in-error' });
    await world.tell(visit);
    await untilMoved(visit);
    expect(standing(visit)).toEqual(noteOf(otherOf(visit)));
  });

  it('a document that a person edited is kept and named, and nothing is written for the other patient', async () => {
    const visit = world.admit();
    const { resources } = await written(visit);
    const note = resources.find(({ document }) => document === 'composition')?.reference ?? '';
    setSubject(note, visit.patient, { title: 'As a person has it' });
    await move(visit);
    const { message } = await untilRun(engine, visit.encounter, 'parked');
    for (const name of [visit.patient, otherOf(visit), note]) expect(message).toContain(name);
    expect(standing(visit)).toEqual([`${visit.patient} Composition`]);
  });

  it('a merge whose documents the EHR moves itself changes nothing and tells nothing', async () => {
    const visit = world.admit();
    const { id, resources } = await written(visit);
    const survivor = otherOf(visit);
    const link = [{ other: { reference: visit.patient }, type: 'replaces' as const }];
    world.ehr.store.put({ resourceType: 'Patient', id: survivor.replace('Patient/', ''), link });
    const documents = resources.filter(({ document }) => document !== 'provenance').map(({ reference }) => reference);
    for (const reference of [visit.encounter, `DocumentReference/rec-${visit.id}`, ...documents]) {
      setSubject(reference, survivor);
    }
    await world.tell(visit);
    // The event is moved to the run that has documented everything.
    await eventually(async () => ((await viewOf(engine, id)).events.length === 2 ? true : undefined));
    expect(await viewOf(engine, id)).toMatchObject({ status: 'written' });
    expect(standing(visit)).toEqual(noteOf(survivor));
    expect(await runsOf(engine, { encounter: visit.encounter })).toHaveLength(1);
    expect(await alarmsOf(visit)).toEqual([]);
  });

  it('an encounter that comes back has its documents for the first patient again', async () => {
    const visit = world.admit();
    await written(visit);
    await move(visit);
    await untilMoved(visit);
    await move(visit, visit.patient);
    await untilMoved(visit, visit.patient);
    expect(standing(visit)).toEqual(noteOf(visit.patient));
  });
});

describe('an engine that is killed while it moves documents', () => {
  const gate = () => world.gateOf(world.sites[0] ?? '');
  /** The requests about a visit, and those about its documents. */
  const fitsOf = (visit: Visit, { resources }: RunAnswer) => {
    const isMentioned = mentions(visit);
    const paths = resources.map(({ reference }) => new RegExp(`${reference}(\\?|$)`));
    return (request: PassedRequest) => isMentioned(request) || paths.some((one) => one.test(request.path));
  };
  const countRequests = async (): Promise<number> => {
    const visit = world.admit();
    const fits = fitsOf(visit, await written(visit));
    const before = gate().asked.length;
    await move(visit);
    await untilMoved(visit);
    return gate().asked.slice(before).filter(fits).length;
  };

  it(
    'at any request of the move, documents of the right patient alone are in the charts, once, with one alarm',
    async () => {
      const requests = await countRequests();
      expect(requests).toBeGreaterThan(20);
      // Before one request, after the next one; each third is left out, so that no more runs are held than the engine has workers.
      const points = Array.from({ length: requests }, (_, index) => ({ nth: index + 1, moment: MOMENTS[index % 3] }));
      const visits = points.flatMap(({ nth, moment }) => (moment ? [{ nth, moment, visit: world.admit() }] : []));
      for (const { visit } of visits) await world.tell(visit);
      const held = [];
      for (const { nth, moment, visit } of visits) {
        const run = await untilRun(engine, visit.encounter);
        held.push(gate().hold({ moment, nth, fits: fitsOf(visit, run) }));
      }
      for (const { visit } of visits) await move(visit);
      for (const { reached } of held) await reached;
      await world.kill(engine);
      engine = await world.start('a', MANY_AT_ONCE);
      const wrong: string[] = [];
      for (const { visit, moment, nth } of visits) {
        await untilMoved(visit);
        const shape = standing(visit).join();
        if (shape !== noteOf(otherOf(visit)).join()) wrong.push(`${moment} request ${nth}: ${shape}`);
      }
      expect(wrong).toEqual([]);
      const counts = await eventually(async () => {
        const alarms = await Promise.all(visits.map(({ visit }) => alarmsOf(visit)));
        return alarms.every(({ length }) => length > 0) ? alarms.map(({ length }) => length) : undefined;
      });
      expect(counts.filter((count) => count !== 1)).toEqual([]);
    },
    LIMIT_MS,
  );
});
