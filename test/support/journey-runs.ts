// Support for journeys with runs: requests to an engine about its runs, and waits for states of runs and charts.
import type { GetMessage } from 'amqplib';
import type { RunAnswer } from '../../src/wire/run.ts';
import type { RunViewAnswer } from '../../src/wire/run-view.ts';
import type { Engine } from './engine.ts';
import type { World } from './run-world.ts';

/** Frequent requests to a whole engine would slow its work. */
const LOOK_EVERY_MS = 100;
const LOOK_AT_LEAST_EVERY_MS = 500;
/** A long wait looks less often; it is longer than its condition takes by this share at most. */
const SHARE_OF_WAIT = 1 / 20;

/** Returns the first value that is not undefined. It looks rarely, and for longer than `until`, because whole engines are slow. */
export async function eventually<Found>(
  look: () => Promise<Found | undefined> | Found | undefined,
  { giveUpMs = 90_000, what = 'something', lookAtLeastEveryMs = LOOK_AT_LEAST_EVERY_MS } = {},
): Promise<Found> {
  const beganMs = performance.now();
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    const waitedMs = performance.now() - beganMs;
    if (waitedMs > giveUpMs) throw new Error(`waited ${giveUpMs / 1000} s for ${what} that did not come`);
    const pauseMs = Math.min(Math.max(waitedMs * SHARE_OF_WAIT, LOOK_EVERY_MS), lookAtLeastEveryMs);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

type RunQuery = Readonly<Record<string, string>>;

/** Returns all runs that match the query, from all pages. */
export async function runsOf({ ops }: Pick<Engine, 'ops'>, query: RunQuery = {}): Promise<readonly RunAnswer[]> {
  const found: RunAnswer[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const asked = new URLSearchParams({ limit: '500', ...query, ...(cursor !== '' && { cursor }) });
    const page = (await ops('GET', `/runs?${asked}`)) as {
      readonly runs: readonly RunAnswer[];
      readonly next?: string;
    };
    found.push(...page.runs);
    cursor = page.next;
  }
  return found;
}

export async function viewOf({ ops }: Pick<Engine, 'ops'>, id: string): Promise<RunViewAnswer> {
  return (await ops('GET', `/runs/${id}`)) as RunViewAnswer;
}

/** Waits for at least that many runs with the status, and returns them. */
export function untilRuns(
  engine: Pick<Engine, 'ops'>,
  count: number,
  status: RunAnswer['status'] = 'written',
  query: RunQuery = {},
): Promise<readonly RunAnswer[]> {
  const last: { runs: readonly RunAnswer[] } = { runs: [] };
  return eventually(async () => {
    last.runs = await runsOf(engine, query);
    const fitting = last.runs.filter((run) => run.status === status);
    return fitting.length >= count ? fitting : undefined;
  }).catch((thrown: Error) => {
    const seen = last.runs.map((run) => `${run.encounter} ${run.status} ${run.reason ?? ''} ${run.message ?? ''}`);
    throw new Error(`${thrown.message}: ${count} runs that are ${status}. They are:\n${seen.slice(0, 20).join('\n')}`);
  });
}

/** Waits for a run of the encounter with the status, and returns it. */
export async function untilRun(
  engine: Pick<Engine, 'ops'>,
  encounter: string,
  status: RunAnswer['status'] = 'written',
): Promise<RunAnswer> {
  const [run] = await untilRuns(engine, 1, status, { encounter });
  if (run === undefined) throw new Error('there is no run');
  return run;
}

export type HeardOutcome = {
  readonly routingKey: string;
  readonly messageId: string;
  readonly headers: unknown;
  readonly text: string;
  readonly outcome: Readonly<Record<string, unknown>>;
};

/** Collects the outcome events of a world's sites from now on. */
export async function listen({ rabbit, sites }: Pick<World, 'rabbit' | 'sites'>): Promise<{
  readonly heard: () => Promise<readonly HeardOutcome[]>;
}> {
  const queue = `listener.${sites[0]}`;
  const heard: HeardOutcome[] = [];
  await rabbit.work(async (channel) => {
    await channel.assertExchange('chartwright.events', 'topic', { durable: true });
    await channel.assertQueue(queue, { durable: true, expires: 600_000 });
    for (const site of sites) await channel.bindQueue(queue, 'chartwright.events', `${site}.#`);
  });
  return {
    heard: async () => {
      await rabbit.work(async (channel) => {
        for (let message = await channel.get(queue); message !== false; message = await channel.get(queue)) {
          channel.ack(message);
          heard.push(asOutcome(message));
        }
      });
      return heard;
    },
  };
}

function asOutcome({ content, fields, properties }: GetMessage): HeardOutcome {
  const text = content.toString();
  const { messageId, headers } = properties;
  return { routingKey: fields.routingKey, messageId: String(messageId), headers, text, outcome: JSON.parse(text) };
}

/** Returns the newest versions of the resources in the EHRs that the engine made, with the names that it gave them. */
export function chartOf({ ehrOf, sites }: Charts): readonly Standing[] {
  return sites.flatMap((site) => {
    const { store } = ehrOf(site);
    const log = store.writes().filter(({ author }) => author === 'client');
    const references = [...new Set(log.map(({ type, id }) => `${type}/${id}`))];
    return references.flatMap((reference) => {
      const resource = store.get(reference) as Standing['resource'] | undefined;
      if (resource === undefined || resource['resourceType'] === 'Subscription') return [];
      const names = [resource['identifier'], (resource['meta'] as Json | undefined)?.['tag']].flat() as readonly Json[];
      const name = names.find((one) => one?.['system'] === `urn:chartwright:${site}`);
      return [{ reference, resource, name: String(name?.['value'] ?? name?.['code'] ?? ''), site }];
    });
  });
}

type Charts = Pick<World, 'ehrOf' | 'sites'>;
type Json = Readonly<Record<string, unknown>>;
export type Standing = {
  readonly reference: string;
  readonly resource: Json;
  /** For example `e-v1/s-…/condition/J18.9`; empty if the resource has no name. */
  readonly name: string;
  readonly site: string;
};

/** Returns type and name of each document of an encounter. The result is the same for every encounter with the same documents. */
export function chartShape(world: Charts, encounter: string): readonly string[] {
  const id = encounter.replace('Encounter/', '');
  return chartOf(world)
    .filter(({ name }) => name.startsWith(`${id}/`))
    .map(({ resource, name }) => `${resource['resourceType']} ${name.split('/').slice(2).join('/')}`)
    .toSorted();
}
