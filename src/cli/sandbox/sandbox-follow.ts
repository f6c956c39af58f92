// The runs of one visit: which of them says what became of it, and following it from its event to where it rests.

import type { RunAnswer, RunListAnswer } from '../../wire/run.ts';
import type { RunViewAnswer } from '../../wire/run-view.ts';
import { makeNews, patiently } from '../runs/runs-follow.ts';
import { isAtRest } from '../runs/runs-words.ts';
import type { CommandParts } from '../shared/command-parts.ts';
import type { OpsClient } from '../shared/ops-client.ts';
import { watchRuns } from '../shared/watch-stream.ts';
import { SANDBOX_SITE } from './sandbox-visits.ts';

type FollowOrder = {
  readonly client: OpsClient;
  /** `Encounter/…` */
  readonly encounter: string;
  /** Aborted: nobody waits any more. */
  readonly signal: AbortSignal;
  readonly tell: (lines: string) => void;
  readonly clockOf?: (time: string) => string;
};

/** The run where all of the visit rest; undefined where nobody waits any more. Waits for an event that has not come yet. */
export async function followVisit(
  { warn, now }: Pick<CommandParts, 'warn' | 'now'>,
  { client, encounter, signal, tell, clockOf }: FollowOrder,
): Promise<RunViewAnswer | undefined> {
  const tellers = new Map<string, (run: RunViewAnswer) => void>();
  for await (const happening of watchRuns({ client, signal, warn })) {
    if (happening.kind === 'change' && !isOf(happening.change, encounter)) continue;
    const runs = await patiently(() => runsOfVisit(client, encounter), signal);
    const id = runs && tellingRun(runs)?.id;
    if (id === undefined) continue;
    const run = await patiently(() => askRun(client, id), signal);
    if (run === undefined) return undefined;
    const tellNews = tellers.get(id) ?? makeNews({ tell, now, ...(clockOf && { clockOf }) });
    tellers.set(id, tellNews);
    tellNews(run);
    if (isAtRest(run) && runs?.every((one) => one.id === id || isAtRest(one))) return run;
  }
  return undefined;
}

function isOf({ site, encounter }: Pick<RunAnswer, 'site' | 'encounter'>, wanted: string): boolean {
  return site === SANDBOX_SITE && encounter === wanted;
}

function askRun({ ask }: Pick<OpsClient, 'ask'>, id: string): Promise<RunViewAnswer> {
  return ask<RunViewAnswer>({ method: 'GET', path: `/runs/${id}`, query: { brief: 'true' } });
}

/** The newest first. */
async function runsOfVisit({ ask }: Pick<OpsClient, 'ask'>, encounter: string): Promise<readonly RunAnswer[]> {
  const query = { site: SANDBOX_SITE, encounter, limit: '500' };
  return (await ask<RunListAnswer>({ method: 'GET', path: '/runs', query })).runs;
}

/**
 * The newest that did something: an event that is told again finds nothing new, and says nothing of the visit; one that waits for its turn
 * has done nothing yet, and is gone again where it only looks for what another one documents.
 */
export function tellingRun<Run extends Pick<RunAnswer, 'status' | 'reason'>>(runs: readonly Run[]): Run | undefined {
  const telling = runs.filter(({ status, reason }) => status !== 'skipped' || reason !== 'nothing-new');
  return telling.find(({ status }) => status !== 'queued') ?? telling[0] ?? runs[0];
}
