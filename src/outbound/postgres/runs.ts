// What is seen and decided of runs, in PostgreSQL.
import type { Runs } from '../../ports/runs.ts';
import { makeRunDecisions } from './run-decisions.ts';
import { makeRunPurge } from './run-purge.ts';
import { makeRunRecall } from './run-recall.ts';
import { makeRunReplay } from './run-replay.ts';
import { makeRunRoom, type RunParts } from './run-room.ts';
import { makeRunViews } from './run-views.ts';

export function makePostgresRuns(parts: RunParts): Runs {
  const room = makeRunRoom(parts);
  return {
    ...makeRunViews(room),
    ...makeRunReplay(room),
    ...makeRunDecisions(room),
    ...makeRunRecall(room),
    ...makeRunPurge(room),
  };
}
