// The runs as their own queue, in PostgreSQL: the only record of what is done, by which process, and what comes next. The database's
// clock decides which leases have ended, and the fence of the claim stops a process that was suspended for too long.
import type { Queue } from '../../../ports/queue.ts';
import { makeQueueClaims } from './queue-claims.ts';
import { makeQueueLooks } from './queue-encounters.ts';
import { makeQueueSteps } from './queue-steps.ts';
import { makeRunStorage, type RunParts } from './run-storage.ts';

export function makePostgresQueue(parts: RunParts): Queue {
  const storage = makeRunStorage(parts);
  return { ...makeQueueClaims(storage), ...makeQueueLooks(storage), ...makeQueueSteps(storage) };
}
