// Takes back what was written by a model, a mapping or in a time that turned out to be wrong, and says so in the runs that wrote it.
import type { WritePlace } from '../../domain/chart-write.ts';
import type { Audit } from '../../ports/audit.ts';
import type { Ledger, WrittenQuery } from '../../ports/ledger.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Sites } from '../../ports/sites.ts';
import { makeRecallDocuments, type Recalled } from '../recall-documents.ts';
import type { TakeBack } from '../take-back.ts';

export type RecallOrder = {
  readonly query: WrittenQuery;
  /** Stands in the Provenance of each: in plain words. */
  readonly reason: string;
};

export type RecallRuns = {
  /** What would be taken back. Throws `invalidRequest` where nothing says what is meant. */
  readonly find: (query: WrittenQuery) => Promise<readonly WritePlace[]>;
  /** One after another; whoever aborts it leaves the rest as it is, and recalls again. */
  readonly recall: (order: RecallOrder, signal: AbortSignal) => Promise<readonly Recalled[]>;
};

export type RecallRunsParts = {
  readonly ledger: Ledger;
  readonly sites: Sites;
  readonly takeBack: TakeBack;
  readonly audit: Pick<Audit, 'append'>;
  readonly runtime: Pick<Runtime, 'now' | 'makeUuid'>;
};

export function makeRecallRuns({ ledger, sites, takeBack, audit, runtime }: RecallRunsParts): RecallRuns {
  const { find, recall } = makeRecallDocuments({
    ledger: { findWritten: (query) => ledger.findWritten(asWritten(query)) },
    sites,
    // Of each at once, so that a recall that is broken off has told of what it did.
    retractSession: ({ site, place, reason }, signal) => takeBack({ site, place, reason, actor: 'operator' }, signal),
  });
  return {
    find,

    async recall({ query, reason }, signal) {
      const places = await find(query);
      const { site, model, mapping, prompt, from, to } = query;
      await audit.append({
        action: 'run.recall',
        actor: 'operator',
        ...(site !== undefined && { site }),
        details: {
          places: places.length,
          ...(model !== undefined && { model }),
          ...(mapping !== undefined && { mapping }),
          ...(prompt !== undefined && { prompt }),
          ...(from !== undefined && { from: from.toISOString() }),
          ...(to !== undefined && { to: to.toISOString() }),
        },
      });
      const run = { id: runtime.makeUuid(), time: runtime.now().toISOString() };
      return recall({ query, reason, run }, signal);
    },
  };
}

/** A run names its model with whom it is asked of (`openai:gpt-5.4`), the ledger without: whoever copies either finds the same. */
function asWritten({ model, ...by }: WrittenQuery): WrittenQuery {
  return { ...by, ...(model !== undefined && { model: model.replace(/^(?:openai|builtin):/, '') }) };
}
