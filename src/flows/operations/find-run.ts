// A run by the id that somebody typed.
import { AppError } from '../../domain/errors.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Runs } from '../../ports/runs.ts';

/** Throws `notFound`. */
export async function findRun(runs: Pick<Runs, 'find'>, id: string): Promise<Run> {
  const run = await runs.find(id);
  if (run === undefined) throw runNotFound();
  return run;
}

/** The same words for a run that somebody may not know of. */
export function runNotFound(): AppError {
  return new AppError('notFound', 'There is no run with this id');
}
