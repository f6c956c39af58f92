// Invariants of a whole world after any failures, checked in all its stores: no accepted event is lost, no document is in a chart twice or on
// another patient, no run is stuck, the audit trail is whole, and every written document is the approved one. Each function returns a sentence
// for each violation.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { openDatabase } from '../../src/outbound/postgres/database.ts';
import { openKeys } from '../../src/outbound/postgres/master-key.ts';
import { openEventId } from '../../src/outbound/postgres/runs/run-rows.ts';
import { makeSecrets } from '../../src/outbound/postgres/secrets/secrets.ts';
import type { RunAnswer } from '../../src/wire/run.ts';
import type { Engine } from './engine.ts';
import { chartOf, eventually, runsOf, type Standing, viewOf } from './journey-runs.ts';
import type { World } from './run-world.ts';
import { givenKeys } from './secrets.ts';

type Options = {
  /** States in which a run of this world may be at its end. */
  readonly ends?: readonly RunAnswer['status'][];
  /** The number of approved runs whose documents are compared with the chart. */
  readonly compared?: number;
};

/** A process that dies during a write leaves the result uncertain for a minute and a half. */
const QUIET = { giveUpMs: 180_000, what: 'an end of all runs' } as const;
const ENDS = ['written', 'skipped', 'cancelled', 'retracted'] as const satisfies readonly RunAnswer['status'][];

/** Call it with any running engine of the world when nothing is left to do. */
export async function whatIsWrong(
  world: World,
  engine: Engine,
  { ends = ENDS, compared = 20 }: Options = {},
): Promise<readonly string[]> {
  await untilQuiet(world, engine, ends).catch(() => undefined);
  const runs = await runsOf(engine, { looks: 'true' });
  const chart = chartOf(world);
  return [
    ...(await lostEvents(world)),
    ...twice(world, chart),
    ...unlikeRuns(runs, chart),
    ...onOthers(chart),
    ...stuck(runs, ends),
    ...(await unaudited(engine, runs)),
    ...(await unapproved(engine, runs.slice(0, compared), chart)),
    ...(await leftBehind(world)),
  ];
}

/** All events were accepted, and every run has ended. */
export async function untilQuiet(
  world: World,
  engine: Engine,
  ends: readonly RunAnswer['status'][] = ENDS,
): Promise<void> {
  await eventually(async () => {
    if ((await lostEvents(world)).length > 0) return undefined;
    return stuck(await runsOf(engine, { looks: 'true' }), ends).length === 0 ? true : undefined;
  }, QUIET);
}

/** Returns the events that were sent and have no run. */
async function lostEvents({ connectionString, masterKey, told }: World): Promise<readonly string[]> {
  const database = await openDatabase({ connectionString, maxConnections: 1, onError: () => undefined });
  try {
    const { keys } = await openKeys(database, givenKeys(masterKey));
    const events = makeSecrets(() => keys).sealing('event-ids');
    const { rows } = await database.pool.query<StoredEvent>(
      `select inbox.site, inbox.event, inbox.received_at, array_agg(runs.encounter) as encounters from inbox
       left join inbox_runs link on link.inbox_id = inbox.id left join runs on runs.id = link.run_id
       where inbox.event is not null and inbox.outcome = 'accepted' group by inbox.id`,
    );
    const kept = new Map<string | null, (string | null)[]>();
    for (const { site, event, received_at: receivedAt, encounters } of rows) {
      const eventId = openEventId(events, event, { site, receivedAt });
      kept.set(eventId, [...(kept.get(eventId) ?? []), ...encounters]);
    }
    return told.flatMap(({ eventId, visit }) => {
      const encounters = kept.get(eventId);
      if (encounters === undefined) return [`event ${eventId} was told and is not kept`];
      return encounters.includes(visit.encounter) ? [] : [`event ${eventId} has no run of ${visit.encounter}`];
    });
  } finally {
    await database.close();
  }
}

type StoredEvent = {
  readonly site: string;
  readonly event: Buffer;
  readonly received_at: Date;
  readonly encounters: (string | null)[];
};

/** Returns documents that exist twice, by the EHR's log of writes and by name. */
function twice({ sites, ehrOf }: World, chart: readonly Standing[]): readonly string[] {
  const writes = sites.flatMap((site) => ehrOf(site).store.writes());
  const created = writes.filter(({ author, method }) => author === 'client' && method === 'POST');
  const inForce = chart.filter(({ resource }) => !isRetired(resource));
  return [
    ...repeated(created.map(({ type, id }) => `${type}/${id}`)).map((one) => `created twice: ${one}`),
    ...repeated(inForce.map(({ resource, site, name }) => `${resource['resourceType']} ${site} ${name}`)).map(
      (one) => `in the chart twice: ${one}`,
    ),
    ...chart.filter(({ name }) => name === '').map(({ reference }) => `without a name of ours: ${reference}`),
  ];
}

/** Returns resources that a run reports as written and that do not exist, and resources of no run. */
function unlikeRuns(runs: readonly RunAnswer[], chart: readonly Standing[]): readonly string[] {
  const there = new Set(chart.map(({ reference }) => reference));
  const places = new Set(runs.map(({ encounter, session }) => `${encounter.replace('Encounter/', '')}/${session}`));
  const written = runs.filter(({ status, isDry }) => status === 'written' && !isDry);
  return [
    ...written
      .filter(({ resources }) => resources.length === 0)
      .map(({ id }) => `run ${id} is written, and nothing is`),
    ...written.flatMap(({ id, resources }) =>
      resources
        .filter(({ reference }) => !there.has(reference))
        .map(({ reference }) => `run ${id} wrote ${reference}, which is not there`),
    ),
    ...chart
      .filter(({ resource }) => resource['resourceType'] !== 'Device')
      .filter(({ name }) => !places.has(name.split('/').slice(0, 2).join('/')))
      .map(({ reference }) => `${reference} is of no run`),
  ];
}

/** Returns resources of another patient. Each visit of a world has a patient of its own with the same id. */
function onOthers(chart: readonly Standing[]): readonly string[] {
  return chart.flatMap(({ reference, resource, name }) => {
    if (resource['resourceType'] === 'Device') return [];
    const visit = name.split('/')[0]?.replace(/^e-/, '');
    const people = [...JSON.stringify(resource).matchAll(/"(?:Patient\/p|Encounter\/e)-([^"]+)"/g)].map(([, id]) => id);
    const isRight =
      people.every((id) => id === visit) && (people.length > 0 || resource['resourceType'] === 'Provenance');
    return isRight ? [] : [`${reference} of visit ${visit} names ${people.join(', ') || 'nobody'}`];
  });
}

/** Returns the runs that have not ended. */
function stuck(runs: readonly RunAnswer[], ends: readonly RunAnswer['status'][]): readonly string[] {
  return runs
    .filter(({ status }) => !ends.includes(status))
    .map(({ id, status, reason, message }) => `run ${id} is ${status} (${reason ?? ''} ${message ?? ''})`);
}

/** Returns gaps of the audit trail. */
async function unaudited({ ops }: Engine, runs: readonly RunAnswer[]): Promise<readonly string[]> {
  const { isWhole, why } = (await ops('POST', '/audit/verify', {})) as { isWhole: boolean; why?: string };
  const audited = new Set<string>();
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query: string = `action=run.write&limit=500${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const page = (await ops('GET', `/audit?${query}`)) as { entries: readonly { run?: string }[]; next?: string };
    for (const { run } of page.entries) audited.add(run ?? '');
    cursor = page.next;
  }
  const silent = runs.filter(({ id, resources }) => resources.length > 0 && !audited.has(id));
  return [
    ...(isWhole ? [] : [`the audit trail is not whole: ${why}`]),
    ...silent.map(({ id }) => `the write of run ${id} is not in the audit trail`),
  ];
}

/** Returns documents whose content differs from the approved one. Elements that the EHR sets, and references between documents, do not count. */
async function unapproved(
  engine: Engine,
  runs: readonly RunAnswer[],
  chart: readonly Standing[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { id, status, review } of runs) {
    if (status !== 'written' || review !== undefined) continue;
    const { bundle } = await viewOf(engine, id);
    for (const { resource } of bundle?.entry ?? []) {
      const meant = resource as Standing['resource'];
      const name = nameOf(meant);
      const standing = chart.find((one) => one.name === name && one.resource['resourceType'] === meant['resourceType']);
      // A Device belongs to an earlier run, and a Provenance names its revision.
      if (meant['resourceType'] === 'Device' || meant['resourceType'] === 'Provenance') continue;
      if (standing === undefined) found.push(`${meant['resourceType']} ${name} of run ${id} is not in the chart`);
      else if (wordsOf(standing.resource) !== wordsOf(meant))
        found.push(`${standing.reference} does not say what was approved`);
    }
  }
  return found;
}

/** Returns recordings that are left in a spool. */
async function leftBehind({ folder }: World): Promise<readonly string[]> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const spooled = files.filter((one) => one.isFile() && path.basename(one.parentPath) === 'spool');
  return spooled.map(({ name }) => `left in the spool: ${name}`);
}

function nameOf(resource: Standing['resource']): string {
  const named = [resource['identifier'], (resource['meta'] as Standing['resource'])?.['tag']].flat();
  const own = (named as readonly Standing['resource'][]).find((one) =>
    String(one?.['system']).startsWith('urn:chartwright:'),
  );
  return String(own?.['value'] ?? own?.['code'] ?? '');
}

function wordsOf(resource: Standing['resource']): string {
  const { id: _, meta: __, ...said } = resource;
  const plain = JSON.stringify(said, (key, value) => {
    if (key === 'reference' && !/^(Patient|Encounter)\//.test(String(value))) return undefined;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value;
  });
  return plain;
}

export function isRetired(resource: Standing['resource']): boolean {
  const { status, verificationStatus } = resource as {
    readonly status?: unknown;
    readonly verificationStatus?: unknown;
  };
  return status === 'entered-in-error' || JSON.stringify(verificationStatus ?? '').includes('entered-in-error');
}

function repeated(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}
