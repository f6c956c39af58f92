// The runs as their own queue, in PostgreSQL: one truth for what is done, by whom, and what comes next. Whose lease has ended is
// decided by the database's clock, and whoever was stopped for too long by the fence of the claim.
import type { Queue } from '../../../ports/queue.ts';
import { makeQueueClaims } from './queue-claims.ts';
import { makeQueueLooks } from './queue-encounters.ts';
import { makeQueueSteps } from './queue-steps.ts';
import { makeRunStorage, type RunParts } from './run-storage.ts';

export function makePostgresQueue(parts: RunParts): Queue {
  const storage = makeRunStorage(parts);
  return { ...makeQueueClaims(storage), ...makeQueueLooks(storage), ...makeQueueSteps(storage) };
}
