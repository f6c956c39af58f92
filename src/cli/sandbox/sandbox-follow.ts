// Finds the run that documents a visit, and follows it from its event until it finishes or waits.

import type { RunAnswer, RunListAnswer } from '../../wire/run.ts';
import type { RunViewAnswer } from '../../wire/run-view.ts';
import { askWhileAway, makeChangeReporter, retryWhileAway } from '../runs/runs-follow.ts';
import { isAtRest } from '../runs/runs-words.ts';
import type { CommandParts } from '../shared/command-parts.ts';
import type { OpsClient } from '../shared/ops-client.ts';
import { watchRuns } from '../shared/watch-stream.ts';
import { SANDBOX_SITE } from './sandbox-visits.ts';

type FollowOrder = {
  readonly client: OpsClient;
  /** `Encounter/…` */
  readonly encounter: string;
  /** Aborting it stops the wait. */
  readonly signal: AbortSignal;
  readonly tell: (lines: string) => void;
  readonly clockOf?: (time: string) => string;
};

/** Resolves to the run when all runs of the visit rest, or to undefined if aborted. Also waits for an event that has not arrived yet. */
export async function followVisit(
  { warn, now }: Pick<CommandParts, 'warn' | 'now'>,
  { client, encounter, signal, tell, clockOf }: FollowOrder,
): Promise<RunViewAnswer | undefined> {
  const tellers = new Map<string, (run: RunViewAnswer) => void>();
  for await (const happening of watchRuns({ client, signal, warn })) {
    if (happening.kind === 'change' && !isOf(happening.change, encounter)) continue;
    const runs = await retryWhileAway(() => runsOfVisit(client, encounter), signal);
    const id = runs && documentingRun(runs)?.id;
    if (id === undefined) continue;
    const run = await askWhileAway(client, id, signal);
    if (run === undefined) return undefined;
    const tellNews = tellers.get(id) ?? makeChangeReporter({ tell, now, ...(clockOf && { clockOf }) });
    tellers.set(id, tellNews);
    tellNews(run);
    if (isAtRest(run) && runs?.every((one) => one.id === id || isAtRest(one))) return run;
  }
  return undefined;
}

function isOf({ site, encounter }: Pick<RunAnswer, 'site' | 'encounter'>, wanted: string): boolean {
  return site === SANDBOX_SITE && encounter === wanted;
}

/** Lists the runs of the visit, newest first. */
async function runsOfVisit({ ask }: Pick<OpsClient, 'ask'>, encounter: string): Promise<readonly RunAnswer[]> {
  const query = { site: SANDBOX_SITE, encounter, limit: '500' };
  return (await ask<RunListAnswer>({ method: 'GET', path: '/runs', query })).runs;
}

/**
 * The newest run that did something. A repeated event finds nothing new, and a queued run has done nothing yet and may disappear if
 * another run documents the session.
 */
export function documentingRun<Run extends Pick<RunAnswer, 'status' | 'reason'>>(
  runs: readonly Run[],
): Run | undefined {
  const candidates = runs.filter(({ status, reason }) => status !== 'skipped' || reason !== 'nothing-new');
  return candidates.find(({ status }) => status !== 'queued') ?? candidates[0] ?? runs[0];
}
