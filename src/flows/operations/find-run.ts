// Finds a run by its id.
import { AppError } from '../../domain/errors.ts';
import type { RunScope } from '../../domain/people/role.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Runs } from '../../ports/runs.ts';

/** Throws `notFound`, also for a run outside of the scope. */
export async function findRun(runs: Pick<Runs, 'find'>, id: string, scope: RunScope): Promise<Run> {
  const run = await runs.find(id, scope);
  if (run === undefined) throw runNotFound();
  return run;
}

export function runNotFound(): AppError {
  return new AppError('notFound', 'There is no run with this id');
}
