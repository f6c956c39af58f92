// Takes back what was made by a model, a mapping or in a time that turned out to be wrong: what is not written yet is withdrawn, so that
// nobody approves or writes it any more; what stands in charts is taken out, and its runs say so.
import type { WritePlace } from '../../domain/chart/chart-write.ts';
import { bareModel } from '../../domain/model-name.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Audit } from '../../ports/audit.ts';
import type { Ledger, WrittenQuery } from '../../ports/ledger.ts';
import type { RunMessage, Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Sites } from '../../ports/sites.ts';
import type { RetractRun } from '../chart-writing/retract-run.ts';
import { makeRecallDocuments, type RecallOutcome } from './recall-documents.ts';

export type RecallOrder = {
  readonly query: WrittenQuery;
  /** Stands in the Provenance of each: in plain words. */
  readonly reason: string;
};

export type RecallScope = {
  readonly places: readonly WritePlace[];
  /** Runs that hold such results, and have not written them yet. */
  readonly drafts: readonly Run[];
};

/** `at-work`: it ends at its next step; or it is being written, and whoever recalls again then finds what it wrote. */
export type WithdrawnRun = { readonly run: Run; readonly status: 'withdrawn' | 'at-work' };

export type RecallReport = { readonly withdrawn: readonly WithdrawnRun[]; readonly recalled: readonly RecallOutcome[] };

export type RecallRuns = {
  /** What would be taken back. Throws `invalidRequest` where nothing says what is meant. */
  readonly find: (query: WrittenQuery) => Promise<RecallScope>;
  /** One after another; whoever aborts it leaves the rest as it is, and recalls again. */
  readonly recall: (order: RecallOrder, signal: AbortSignal) => Promise<RecallReport>;
};

export type RecallRunsParts = {
  readonly ledger: Ledger;
  readonly runs: Pick<Runs, 'findUnwritten' | 'withdraw'>;
  readonly sites: Sites;
  readonly retractRun: RetractRun;
  readonly audit: Pick<Audit, 'append'>;
  readonly runtime: Pick<Runtime, 'now' | 'makeUuid'>;
};

export function makeRecallRuns({ ledger, runs, sites, retractRun, audit, runtime }: RecallRunsParts): RecallRuns {
  const documents = makeRecallDocuments({
    ledger: { findWritten: (query) => ledger.findWritten(asWritten(query)) },
    sites,
    // Of each at once, so that a recall that is broken off has told of what it did.
    retractSession: ({ site, place, reason }, signal) => retractRun({ site, place, reason, actor: 'operator' }, signal),
  });
  const find = async (query: WrittenQuery): Promise<RecallScope> => {
    const places = await documents.find(query);
    return { places, drafts: await runs.findUnwritten(query) };
  };
  return {
    find,

    async recall({ query, reason }, signal) {
      await noteRecall(audit, query, await find(query));
      // First: what is written meanwhile is found afterwards, where it stands.
      const withdrawn = await withdrawAll(runs, query, signal);
      const run = { id: runtime.makeUuid(), time: runtime.now().toISOString() };
      return { withdrawn, recalled: await documents.recall({ query, reason, run }, signal) };
    },
  };
}

function noteRecall(
  audit: RecallRunsParts['audit'],
  { site, model, mapping, prompt, from, to }: WrittenQuery,
  { places, drafts }: RecallScope,
): Promise<void> {
  return audit.append({
    action: 'run.recall',
    actor: 'operator',
    ...(site !== undefined && { site }),
    details: {
      places: places.length,
      drafts: drafts.length,
      ...(model !== undefined && { model }),
      ...(mapping !== undefined && { mapping }),
      ...(prompt !== undefined && { prompt }),
      ...(from !== undefined && { from: from.toISOString() }),
      ...(to !== undefined && { to: to.toISOString() }),
    },
  });
}

/** Until none is found that was not met: a replay that began meanwhile copied what it goes on with. */
async function withdrawAll(
  runs: RecallRunsParts['runs'],
  query: WrittenQuery,
  signal: AbortSignal,
): Promise<readonly WithdrawnRun[]> {
  const met = new Set<string>();
  const withdrawn: WithdrawnRun[] = [];
  for (;;) {
    const more = (await runs.findUnwritten(query)).filter(({ id }) => !met.has(id));
    if (more.length === 0) return withdrawn;
    for (const run of more) {
      signal.throwIfAborted();
      met.add(run.id);
      const outcome = await runs.withdraw(run.id, wordsFor(run));
      // One that came to its end meanwhile has written, and is found there; or it never will.
      if (outcome !== 'ended') withdrawn.push({ run, status: outcome === 'cancelled' ? 'withdrawn' : 'at-work' });
    }
  }
}

function wordsFor({ id }: Run): RunMessage {
  return {
    message: 'It is recalled: what made its draft turned out to be wrong, and nobody may approve or write it.',
    advice: `npm run cli -- runs replay ${id} --from write-note makes a new draft.`,
  };
}

/** The ledger knows a model without whom it is asked of. */
function asWritten({ model, ...by }: WrittenQuery): WrittenQuery {
  return { ...by, ...(model !== undefined && { model: bareModel(model) }) };
}
