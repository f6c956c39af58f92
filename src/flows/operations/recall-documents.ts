// Recalls documents of a model, prompt or mapping that turned out to be wrong: finds them in the charts and retracts them session by session.
import type { Revision, WriteOutcome, WritePlace } from '../../domain/chart/chart-write.ts';
import { AppError, asAppError, type ErrorCode } from '../../domain/errors.ts';
import type { Ledger, WrittenQuery } from '../../ports/ledger.ts';
import type { Sites } from '../../ports/sites.ts';
import type { RetractSession } from '../chart-writing/retract-session.ts';

type RecallParts = {
  readonly ledger: Pick<Ledger, 'findWritten'>;
  readonly sites: Sites;
  readonly retractSession: RetractSession;
};

type RecallOrder = {
  readonly query: WrittenQuery;
  readonly reason: string;
  readonly run: Revision['run'];
};

export type RecallOutcome = {
  readonly place: WritePlace;
  /** The result of the retraction, or why it failed: another recall tries it again. */
  readonly outcome: WriteOutcome | { readonly status: 'failed'; readonly code: ErrorCode; readonly message: string };
};

/** Finds the documents without recalling them. */
export type FindRecallPlaces = (query: WrittenQuery) => Promise<readonly WritePlace[]>;
export type RecallDocuments = (order: RecallOrder, signal: AbortSignal) => Promise<readonly RecallOutcome[]>;

export function makeRecallDocuments({ ledger, sites, retractSession }: RecallParts): {
  readonly find: FindRecallPlaces;
  readonly recall: RecallDocuments;
} {
  return {
    find: (query) => ledger.findWritten(narrow(query)),

    async recall({ query, reason, run }, signal) {
      const recalled: RecallOutcome[] = [];
      for (const place of await ledger.findWritten(narrow(query))) {
        signal.throwIfAborted();
        const site = sites.current().sites.get(place.site);
        const outcome =
          site === undefined
            ? failed(new AppError('notFound', `There is no site ${place.site} any more`))
            : await retractSession({ site, place, reason, run }, signal).catch((thrown) => failed(asAppError(thrown)));
        recalled.push({ place, outcome });
      }
      return recalled;
    },
  };
}

/** An empty query would recall everything. */
function narrow(query: WrittenQuery): WrittenQuery {
  const { site: _site, scope: _scope, ...by } = query;
  if (Object.values(by).some((value) => value !== undefined)) return query;
  throw new AppError('invalidRequest', 'name what to recall: model, mapping, prompt, or a time from or to');
}

function failed({ code, message }: AppError): Extract<RecallOutcome['outcome'], { readonly status: 'failed' }> {
  return { status: 'failed', code, message };
}
