// Why a mapping could not be applied, or what it left out, in lines for a person.
import { AppError } from '../domain/errors.ts';
import { describeProblem, MappingError, type UnmappedCode } from '../domain/mapping.ts';
import { CliError } from './cli-error.ts';
import type { Input } from './mappings-input.ts';
import { printable } from './tables.ts';

/** Throws again what nobody foresaw. */
export function explainFailure(thrown: unknown, input?: Input): string {
  if (thrown instanceof MappingError) return describeProblem(thrown.problem);
  if (thrown instanceof CliError) return thrown.message;
  if (!(thrown instanceof AppError)) throw thrown;
  if (thrown.details === undefined || input === undefined) return thrown.message;
  return thrown.details.map((detail) => printable(`${placeOfDetail(detail, input)}: ${detail}`)).join('\n');
}

/** A detail begins with the element it is about: `note.sections[0].key: …`. */
function placeOfDetail(detail: string, { placeOf }: Input): string {
  return placeOf(/^[\w.[\]]+(?=: )/.exec(detail)?.[0] ?? '');
}

export function explainUnmapped({ table, code, place }: UnmappedCode): string {
  const message = `%codes.${table} does not know ${printable(JSON.stringify(code))}, and nothing was written for it: add it to that table, without a code if it has none`;
  return describeProblem({ place, message });
}
