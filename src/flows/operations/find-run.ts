// Finds a run by its id.
import { AppError } from '../../domain/errors.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Runs } from '../../ports/runs.ts';

/** Throws `notFound`. */
export async function findRun(runs: Pick<Runs, 'find'>, id: string): Promise<Run> {
  const run = await runs.find(id);
  if (run === undefined) throw runNotFound();
  return run;
}

/** The same error is used for a run that the caller may not see. */
export function runNotFound(): AppError {
  return new AppError('notFound', 'There is no run with this id');
}
