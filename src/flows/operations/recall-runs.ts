// Recalls the work of a model or a mapping that turned out to be wrong, or of a period: drafts that are not written yet are withdrawn, so that they
// cannot be approved or written; documents in charts are retracted, and their runs are marked.
import type { WritePlace } from '../../domain/chart/chart-write.ts';
import { bareModel } from '../../domain/model-name.ts';
import type { Access } from '../../domain/people/caller.ts';
import { present } from '../../domain/present.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Audit, AuditEntry } from '../../ports/audit.ts';
import type { Ledger, WrittenQuery } from '../../ports/ledger.ts';
import type { RunMessage, Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Sites } from '../../ports/sites.ts';
import type { RetractRun } from '../chart-writing/retract-run.ts';
import { byCaller } from '../people/by-caller.ts';
import { makeRecallDocuments, type RecallOutcome } from './recall-documents.ts';

/** `scope`: of the caller. */
type RecallQuery = Omit<WrittenQuery, 'scope'>;

export type RecallOrder = {
  readonly access: Access;
  readonly query: RecallQuery;
  /** In plain words; it is written to the Provenance of each document. */
  readonly reason: string;
};

export type RecallScope = {
  readonly places: readonly WritePlace[];
  /** Runs with such results that have not written them yet. */
  readonly drafts: readonly Run[];
};

/** `at-work`: the run ends after its current step; if it is writing, another recall finds its documents. */
export type WithdrawnRun = { readonly run: Run; readonly status: 'withdrawn' | 'at-work' };

export type RecallReport = { readonly withdrawn: readonly WithdrawnRun[]; readonly recalled: readonly RecallOutcome[] };

export type RecallRuns = {
  /** What would be recalled. Throws `invalidRequest` for an empty query. */
  readonly find: (order: Pick<RecallOrder, 'query' | 'access'>) => Promise<RecallScope>;
  /** Works session by session; after an abort the rest is unchanged, and another recall continues. */
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
  const documentsFor = ({ caller: { actor } }: Access) =>
    makeRecallDocuments({
      ledger: { findWritten: (query) => ledger.findWritten(asWritten(query)) },
      sites,
      // Each run is marked at once, so that an aborted recall has recorded what it did.
      retractSession: ({ site, place, reason }, signal) => retractRun({ site, place, reason, actor }, signal),
    });
  const find: RecallRuns['find'] = async ({ query: by, access }) => {
    const query = { ...by, scope: access.scope };
    return { places: await documentsFor(access).find(query), drafts: await runs.findUnwritten(query) };
  };
  return {
    find,

    async recall({ query: by, reason, access }, signal) {
      await audit.append(byCaller(access, recallEntry(by, await find({ query: by, access }))));
      const query = { ...by, scope: access.scope };
      // Drafts first: documents that are written meanwhile are found in the charts afterwards.
      const withdrawn = await withdrawAll(runs, query, signal);
      const run = { id: runtime.makeUuid(), time: runtime.now().toISOString() };
      return { withdrawn, recalled: await documentsFor(access).recall({ query, reason, run }, signal) };
    },
  };
}

function recallEntry(
  { site, from, to, ...by }: RecallQuery,
  { places, drafts }: RecallScope,
): Omit<AuditEntry, 'actor'> {
  const times = { from: from?.toISOString(), to: to?.toISOString() };
  const details = present({ places: places.length, drafts: drafts.length, ...by, ...times });
  return { action: 'run.recall', ...present({ site }), details };
}

/** Repeats until no new run is found: a replay that started meanwhile has copied the results. */
async function withdrawAll(
  runs: RecallRunsParts['runs'],
  query: WrittenQuery,
  signal: AbortSignal,
): Promise<readonly WithdrawnRun[]> {
  const handled = new Set<string>();
  const withdrawn: WithdrawnRun[] = [];
  for (;;) {
    const more = (await runs.findUnwritten(query)).filter(({ id }) => !handled.has(id));
    if (more.length === 0) return withdrawn;
    for (const run of more) {
      signal.throwIfAborted();
      handled.add(run.id);
      const outcome = await runs.withdraw(run.id, messageFor(run));
      // A run that has ended meanwhile has written its documents, which are found in the chart, or never will.
      if (outcome !== 'ended') withdrawn.push({ run, status: outcome === 'cancelled' ? 'withdrawn' : 'at-work' });
    }
  }
}

function messageFor({ id }: Run): RunMessage {
  return {
    message:
      'The run was recalled: its model, prompt or mapping was wrong, so its draft must not be approved or written.',
    advice: `To make a new draft: npm run cli -- runs replay ${id} --from write-note.`,
  };
}

/** The ledger stores models without their vendor. */
function asWritten({ model, ...by }: WrittenQuery): WrittenQuery {
  return { ...by, ...(model !== undefined && { model: bareModel(model) }) };
}
