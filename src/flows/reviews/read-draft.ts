// A clinician reads a draft on a page: the view is recorded, the draft is claimed as long as it can be decided about, and the second of two people
// learns who was first.
import { AppError } from '../../domain/errors.ts';
import type { WrittenNote } from '../../domain/note/note.ts';
import type { Access } from '../../domain/people/caller.ts';
import { present } from '../../domain/present.ts';
import type { Run, RunStatus } from '../../domain/run/run.ts';
import { isRules } from '../../domain/site/engine-choice.ts';
import type { SiteSettings } from '../../domain/site/site.ts';
import type { DraftClaim, Drafts } from '../../ports/drafts.ts';
import type { Reasoner } from '../../ports/reasoner.ts';
import type { Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Sites } from '../../ports/sites.ts';
import { findRun } from '../operations/find-run.ts';
import { findSite } from '../operations/find-site.ts';
import type { OperateRuns, RunView } from '../operations/operate-runs.ts';
import type { ClaimDrafts } from './claim-drafts.ts';
import { type DraftState, draftState } from './draft-state.ts';

export type DraftReading = {
  readonly view: RunView;
  readonly state: DraftState;
  readonly settings: SiteSettings;
  /** Another person's. */
  readonly claim?: DraftClaim;
  /** False with the rules, which take no instruction. */
  readonly canBeCorrected: boolean;
  /** The latest run of the same session after this one: it makes another draft, or has made one. */
  readonly newer?: RunOfVisit;
};

export type RunOfVisit = { readonly run: Run; readonly state: DraftState };

export type ReadDraft = {
  /** Throws `notFound` for an unknown run, and in the same words for one that the caller may not see; `forbidden` for a restricted chart that is not open. */
  readonly read: (order: { readonly id: string; readonly access: Access }) => Promise<DraftReading>;
  /** The note that a decision would be about, for comparing it with an edit: it is not shown. Throws as above. */
  readonly shownNote: (order: { readonly id: string; readonly access: Access }) => Promise<WrittenNote | undefined>;
  /** The runs of the visit that is open, the newest first, without looks and dry runs. None if no visit is open. */
  readonly ofVisit: (access: Access) => Promise<readonly RunOfVisit[]>;
};

export type ReadDraftParts = {
  readonly operateRuns: Pick<OperateRuns, 'view'>;
  readonly claimDrafts: Pick<ClaimDrafts, 'claim'>;
  readonly drafts: Pick<Drafts, 'findClaim'>;
  readonly runs: Pick<Runs, 'find' | 'ofEncounter' | 'results'>;
  readonly sites: Pick<Sites, 'current'>;
  readonly reasoner: Pick<Reasoner, 'engine'>;
  readonly runtime: Pick<Runtime, 'now'>;
};

export function makeReadDraft(parts: ReadDraftParts): ReadDraft {
  const { operateRuns, runs, sites, runtime } = parts;
  const settingsOf = (site: string, { scope }: Access) => findSite(sites.current(), site, scope).settings;
  return {
    async read({ id, access }) {
      const view = await operateRuns.view({ id, isBrief: false, access });
      const settings = settingsOf(view.run.site, access);
      const state = draftState(view.run, settings, runtime.now());
      const claim = state.kind === 'open' ? await otherClaim(parts, { id, access }) : undefined;
      const canBeCorrected = !isRules(parts.reasoner.engine);
      const newer = await newerRun(parts, view.run, settings);
      return present({ view, state, settings, claim, canBeCorrected, newer });
    },

    async shownNote({ id, access }) {
      const run = await findRun(runs, id, access.runs);
      const { check, 'write-note': written } = await runs.results(run.id);
      return check?.note ?? written?.note;
    },

    async ofVisit(access) {
      const { opened } = access.caller;
      if (opened?.encounter === undefined) return [];
      const all = await runs.ofEncounter(opened.site, opened.encounter);
      const settings = settingsOf(opened.site, access);
      return all
        .filter(({ isDry, session, status }) => !isDry && (session !== undefined || status !== 'skipped'))
        .toReversed()
        .map((run) => ({ run, state: draftState(run, settings, runtime.now()) }));
    },
  };
}

async function newerRun(
  { runs, runtime }: ReadDraftParts,
  { site, encounter, session, serial }: Run,
  settings: SiteSettings,
): Promise<RunOfVisit | undefined> {
  const later = (await runs.ofEncounter(site, encounter)).findLast(
    (one) => one.session === session && one.serial > serial && !one.isDry && !GONE.has(one.status),
  );
  return later && { run: later, state: draftState(later, settings, runtime.now()) };
}

/** These have made no other draft. */
const GONE: ReadonlySet<string> = new Set<RunStatus>(['cancelled', 'skipped']);

/** Claims the draft; undefined if that was possible. */
async function otherClaim(
  { claimDrafts, drafts }: ReadDraftParts,
  order: { readonly id: string; readonly access: Access },
): Promise<DraftClaim | undefined> {
  try {
    await claimDrafts.claim({ ...order, takesOver: false });
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== 'conflict') throw thrown;
    return drafts.findClaim(order.id);
  }
}
