// Finds a run by its id or the beginning of its id.

import type { RunListAnswer } from '../../wire/run.ts';
import { CliError } from '../shared/cli-error.ts';
import { askPages, type OpsClient } from '../shared/ops-client.ts';
import { printable } from '../shared/tables.ts';

const WHOLE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const BEGINNING = /^[0-9a-f][0-9a-f-]{3,34}$/;
const SHORT_LENGTH = 8;
const MAX_NAMED = 5;

/** A complete id is checked for its form only. Throws a CliError if no run, or more than one, matches. */
export function findRunId({ ask }: Pick<OpsClient, 'ask'>, given: string): Promise<string> {
  return findRunAmong(given, {
    where: 'List the runs: npm run cli -- runs list',
    idsThatBegin: (beginning) => idsThatBegin(ask, beginning),
  });
}

type Candidates = {
  /** How to find the ids, for messages. */
  readonly where: string;
  readonly idsThatBegin: (beginning: string) => Promise<readonly string[]>;
};

/** As `findRunId`, among other runs than all. */
export async function findRunAmong(given: string, candidates: Candidates): Promise<string> {
  const { where } = candidates;
  const typed = given.replace(/^Run\//, '').toLowerCase();
  if (WHOLE_ID.test(typed)) return typed;
  const shown = printable(given);
  if (!BEGINNING.test(typed)) {
    throw new CliError(`${shown} is not the id of a run or the beginning of one (at least 4 characters). ${where}`);
  }
  const found = await candidates.idsThatBegin(typed);
  const [id, ...others] = found;
  if (id === undefined) throw new CliError(`No run has an id that begins with ${shown}. ${where}`);
  if (others.length === 0) return id;
  const named = found.slice(0, MAX_NAMED).join('\n  ');
  const more = found.length > MAX_NAMED ? '\n  …' : '';
  throw new CliError(`${found.length} runs have an id that begins with ${shown}. Which one?\n  ${named}${more}`);
}

/** The engine's search matches other fields too, so its results are filtered. */
async function idsThatBegin(ask: OpsClient['ask'], beginning: string): Promise<readonly string[]> {
  const pages = await askPages<RunListAnswer>(ask, { path: '/runs', query: { q: beginning } });
  return pages.flatMap(({ runs }) => runs.map(({ id }) => id)).filter((id) => id.startsWith(beginning));
}

/** Shortens ids to the shortest length at which they differ. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const counts = new Map<string, number>();
  for (const id of new Set(ids)) {
    const short = id.slice(0, SHORT_LENGTH);
    counts.set(short, (counts.get(short) ?? 0) + 1);
  }
  return (id) => {
    const short = id.slice(0, SHORT_LENGTH);
    return (counts.get(short) ?? 0) > 1 ? id : short;
  };
}
