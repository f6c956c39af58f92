// Finds a draft by its id or the beginning of its id, among those that wait for the reviewer.
import type { DraftListAnswer } from '../../wire/drafts.ts';
import { findRunAmong } from '../runs/runs-find.ts';
import { askPages, type OpsClient } from '../shared/ops-client.ts';

/** A complete id is checked for its form only. Throws a CliError if no draft, or more than one, matches. */
export function findDraftId({ ask }: Pick<OpsClient, 'ask'>, given: string): Promise<string> {
  return findRunAmong(given, {
    where: 'List the drafts: npm run cli -- reviews list',
    idsThatBegin: async (beginning) => {
      const pages = await askPages<DraftListAnswer>(ask, { path: '/reviews', query: {} });
      return pages.flatMap(({ runs }) => runs.map(({ id }) => id)).filter((id) => id.startsWith(beginning));
    },
  });
}
