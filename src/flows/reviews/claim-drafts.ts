// Who works on which draft. A claim is a courtesy between reviewers: it locks no one out of a decision, but the second of two people at one draft
// learns who has it. It ends with the decision, when it is released, or some time after its holder last used it.
import { AppError } from '../../domain/errors.ts';
import type { Access } from '../../domain/people/caller.ts';
import type { Person } from '../../domain/people/person.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Audit } from '../../ports/audit.ts';
import type { DraftClaim, Drafts, WaitingDraft } from '../../ports/drafts.ts';
import type { Notices } from '../../ports/notices.ts';
import type { People } from '../../ports/people.ts';
import type { Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Sites } from '../../ports/sites.ts';
import { findRun } from '../operations/find-run.ts';
import { findSite } from '../operations/find-site.ts';
import { byCaller } from '../people/by-caller.ts';
import { type DraftFilter, draftQuery } from './list-drafts.ts';
import { requireDraft, requireNewest } from './require-draft.ts';
import { requireUnclaimed } from './require-unclaimed.ts';

type OneDraft = { readonly id: string; readonly access: Access };
type Claiming = OneDraft & { readonly takesOver: boolean };

/** Throws `notFound` for a run that the caller may not see; `conflict` if it has no draft to decide about, or another person has it. */
export type ClaimDrafts = {
  /** Claims the first draft of the list that is free. Undefined: there is none. */
  readonly next: (
    order: Omit<DraftFilter, 'claimed'> & { readonly access: Access },
  ) => Promise<WaitingDraft | undefined>;
  readonly claim: (order: Claiming) => Promise<DraftClaim>;
  /** False if the caller has not claimed it. */
  readonly release: (order: OneDraft) => Promise<boolean>;
  /**
   * Hands a draft to another reviewer of its site, who gets a notice. `to` is the id of a person or a Practitioner of the site. Throws
   * `invalidRequest` if it names no such reviewer.
   */
  readonly delegate: (order: Claiming & { readonly to: string }) => Promise<DraftClaim>;
  /** The caller works on this draft: a claim of the caller lasts longer. */
  readonly keep: (order: { readonly id: string; readonly actor: string }) => Promise<void>;
};

export type ClaimParts = {
  readonly drafts: Drafts;
  readonly runs: Pick<Runs, 'find' | 'ofEncounter'>;
  readonly sites: Pick<Sites, 'current'>;
  readonly people: Pick<People, 'find' | 'findByPractitioner'>;
  readonly notices: Pick<Notices, 'add'>;
  readonly audit: Pick<Audit, 'append'>;
  readonly runtime: Pick<Runtime, 'now' | 'makeUuid'>;
};

const MINUTE_MS = 60_000;
const CLAIM_MS = 30 * MINUTE_MS;
/** A colleague may come hours later to what was handed over. */
const DELEGATED_MS = 12 * 60 * MINUTE_MS;
const TRIED_AT_ONCE = 20;

export function makeClaimDrafts(parts: ClaimParts): ClaimDrafts {
  const { drafts, runs } = parts;
  return {
    next: (order) => claimNext(parts, order),

    async claim({ id, access, takesOver }) {
      const run = await findOwnDraft(parts, { id, access });
      await requireUnclaimed(drafts, { run: run.id, actor: access.caller.actor, takesOver });
      return claim(parts, { run, access, takesOver });
    },

    async release({ id, access }) {
      const run = await findRun(runs, id, access.runs);
      const { actor } = access.caller;
      if ((await drafts.findClaim(run.id))?.holder !== actor) return false;
      await parts.audit.append(byCaller(access, { action: 'review.release', site: run.site, run: run.id }));
      return drafts.release(run.id, actor);
    },

    delegate: (order) => delegate(parts, order),

    keep: ({ id, actor }) => drafts.keep({ run: id, holder: actor, lastsMs: CLAIM_MS }),
  };
}

/** Two people at the same moment may find the same drafts: the one whose claim comes second goes on to the next draft. */
async function claimNext(
  parts: ClaimParts,
  order: Parameters<ClaimDrafts['next']>[0],
): Promise<WaitingDraft | undefined> {
  const query = draftQuery(parts, { ...order, claimed: 'free' });
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await parts.drafts.list({ ...query, limit: TRIED_AT_ONCE, ...(cursor !== undefined && { cursor }) });
    for (const { run } of page.drafts) {
      const { access } = order;
      const claimed = await tryClaim(parts, { run, access, takesOver: false });
      if (claimed.holder === access.caller.actor) return { run, claim: claimed };
    }
    cursor = page.next;
  }
  return undefined;
}

type DraftOfCaller = { readonly run: Run; readonly access: Access; readonly takesOver: boolean };

/** The claim that the draft has then, perhaps another person's. */
async function tryClaim({ drafts, audit }: ClaimParts, { run, access, takesOver }: DraftOfCaller): Promise<DraftClaim> {
  const { actor, name } = access.caller;
  const order = { run: run.id, site: run.site, holder: actor, name, lastsMs: CLAIM_MS, takesOver };
  const claimed = await drafts.claim(order);
  if (claimed.holder !== actor) return claimed;
  const entry = { action: 'review.claim', site: run.site, run: run.id } as const;
  await audit.append(byCaller(access, entry)).catch(async (thrown: unknown) => {
    await drafts.release(run.id, actor);
    throw thrown;
  });
  return claimed;
}

async function claim(parts: ClaimParts, order: DraftOfCaller): Promise<DraftClaim> {
  const claimed = await tryClaim(parts, order);
  const { run, access, takesOver } = order;
  await requireUnclaimed(parts.drafts, { run: run.id, actor: access.caller.actor, takesOver });
  return claimed;
}

async function delegate(
  parts: ClaimParts,
  { id, access, takesOver, to }: Claiming & { readonly to: string },
): Promise<DraftClaim> {
  const { drafts, audit, notices, runtime } = parts;
  const run = await findOwnDraft(parts, { id, access });
  const colleague = await findReviewer(parts, run.site, to);
  const { actor } = access.caller;
  await requireUnclaimed(drafts, { run: run.id, actor, takesOver });
  const holder = `person/${colleague.id}`;
  const details = { to: holder };
  await audit.append(byCaller(access, { action: 'review.delegate', site: run.site, run: run.id, details }));
  const order = { run: run.id, site: run.site, holder, name: colleague.name, lastsMs: DELEGATED_MS };
  const claimed = await drafts.claim({ ...order, takesOver: true, delegatedBy: actor });
  if (colleague.email !== undefined) {
    const channel = { kind: 'mail', to: colleague.email } as const;
    const about = { site: run.site, run: run.id, details: {} };
    await notices.add({ id: runtime.makeUuid(), kind: 'delegated', channel, ...about });
  }
  return claimed;
}

/** The same error for an unknown person and for one who is no reviewer there: it says nothing about who exists. */
async function findReviewer({ people }: ClaimParts, site: string, to: string): Promise<Person> {
  const person = to.includes('/') ? await people.findByPractitioner(site, to) : await people.find(to);
  const isReviewer = person?.grants.some((grant) => grant.role === 'reviewer' && grant.site === site) === true;
  if (person === undefined || !isReviewer || person.disabledAt !== undefined) {
    throw new AppError(
      'invalidRequest',
      `to must name a reviewer of ${site}, by the id of the person or as Practitioner/<id>`,
    );
  }
  return person;
}

async function findOwnDraft({ runs, sites, runtime }: ClaimParts, order: OneDraft): Promise<Run> {
  const run = await findRun(runs, order.id, order.access.runs);
  const { settings } = findSite(sites.current(), run.site, order.access.scope);
  requireDraft(run, { settings, decision: 'approve', now: runtime.now() });
  requireNewest(run, await runs.ofEncounter(run.site, run.encounter));
  return run;
}
