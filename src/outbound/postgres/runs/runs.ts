// Views of runs and decisions about them, in PostgreSQL.
import type { Runs } from '../../../ports/runs.ts';
import { makeRunDecisions } from './run-decisions.ts';
import { makeRunMoves } from './run-moves.ts';
import { makeRunPurge } from './run-purge.ts';
import { makeRunRecall } from './run-recall.ts';
import { makeRunReplay } from './run-replay.ts';
import { makeRunStorage, type RunParts } from './run-storage.ts';
import { makeRunViews } from './run-views.ts';

export function makePostgresRuns(parts: RunParts): Runs {
  const storage = makeRunStorage(parts);
  return {
    ...makeRunViews(storage),
    ...makeRunReplay(storage),
    ...makeRunDecisions(storage),
    ...makeRunMoves(storage),
    ...makeRunRecall(storage),
    ...makeRunPurge(storage),
  };
}
