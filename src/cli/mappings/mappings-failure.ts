// Explains why a mapping failed, or what it left out.
import { AppError } from '../../domain/errors.ts';
import { describeProblem, MappingError, type UnmappedCode } from '../../domain/mapping/mapping.ts';
import { CliError } from '../shared/cli-error.ts';
import { printable } from '../shared/tables.ts';

/** Rethrows unexpected errors. */
export function explainFailure(thrown: unknown): string {
  if (thrown instanceof MappingError) return describeProblem(thrown.problem);
  if (thrown instanceof CliError || thrown instanceof AppError) return thrown.message;
  throw thrown;
}

export function explainUnmapped({ table, code, place }: UnmappedCode): string {
  const message = `%codes.${table} does not know ${printable(JSON.stringify(code))}, and nothing was written for it: add it to that table, without a code if it has none`;
  return describeProblem({ place, message });
}
