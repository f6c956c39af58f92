// The drafts that wait for a decision and their claims, in memory: of the runs that the fake stores share.
import { draftRank, LOWEST_RED_RANK } from '../../src/domain/run/draft-facts.ts';
import type { DraftClaim, DraftQuery, Drafts } from '../../src/ports/drafts.ts';
import { asRun, type KeptRun, type RunsMemory } from './runs-store.ts';

export function makeFakeDrafts(memory: RunsMemory): Drafts {
  const claims = new Map<string, DraftClaim>();
  const later = (ms: number) => new Date(memory.now().getTime() + ms);
  const openClaim = (run: string) => {
    const claim = claims.get(run);
    return claim !== undefined && claim.endsAt > memory.now() ? claim : undefined;
  };
  return {
    list: async ({ limit, cursor, ...query }) => {
      const fitting = [...memory.runs.values()]
        .filter((run) => isDraft(memory, run) && fits(run, openClaim(run.id), query))
        .toSorted((one, other) => rankOf(other) - rankOf(one) || one.serial - other.serial);
      const start = cursor === undefined ? 0 : fitting.findIndex((run) => placeOf(run) === cursor) + 1;
      const page = fitting.slice(start, start + limit);
      const last = page.at(-1);
      const drafts = page.map((run) => {
        const claim = openClaim(run.id);
        return { run: asRun(run), ...(claim && { claim }) };
      });
      return { drafts, ...(last && fitting.length > start + limit && { next: placeOf(last) }) };
    },
    findClaim: async (run) => openClaim(run),
    claim: async ({ run, holder, name, lastsMs, takesOver, delegatedBy }) => {
      const held = openClaim(run);
      if (held !== undefined && held.holder !== holder && !takesOver) return held;
      const claimedAt = held?.holder === holder ? held.claimedAt : memory.now();
      const claim = { holder, name, claimedAt, endsAt: later(lastsMs), ...(delegatedBy && { delegatedBy }) };
      claims.set(run, claim);
      return claim;
    },
    keep: async ({ run, holder, lastsMs }) => {
      const held = openClaim(run);
      if (held?.holder !== holder) return;
      const endsAt = new Date(Math.max(held.endsAt.getTime(), later(lastsMs).getTime()));
      claims.set(run, { ...held, endsAt });
    },
    release: async (run, holder) => {
      const isOpen = openClaim(run) !== undefined;
      if (holder !== undefined && claims.get(run)?.holder !== holder) return false;
      claims.delete(run);
      return isOpen;
    },
  };
}

export function rankOf({ draft }: KeptRun): number {
  return draft === undefined ? 0 : draftRank(draft);
}

function placeOf(run: KeptRun): string {
  return `${rankOf(run)}.${run.serial}`;
}

export function isDraft(memory: RunsMemory, run: KeptRun): boolean {
  const { status, review, isDry, revision, site, encounter, session, serial } = run;
  if (isDry || revision === 0 || (status !== 'held' && status !== 'written')) return false;
  if (review !== undefined && (status === 'written' || review.revision === revision)) return false;
  return ![...memory.runs.values()].some(
    (later) =>
      later.site === site &&
      later.encounter === encounter &&
      later.session === session &&
      later.serial > serial &&
      !later.isDry &&
      later.revision > 0 &&
      later.status !== 'cancelled',
  );
}

function fits(run: KeptRun, claim: DraftClaim | undefined, query: Omit<DraftQuery, 'limit' | 'cursor'>): boolean {
  const { places, reasons, encounter, isUrgent = false, claimed } = query;
  const { status, reason, site } = run;
  return (
    places.some((place) => place.site === site && place.status === status) &&
    (status === 'written' || reasons.some((one) => one === reason)) &&
    (encounter === undefined || run.encounter === encounter) &&
    (!isUrgent || run.isUrgent || rankOf(run) >= LOWEST_RED_RANK) &&
    (claimed === undefined || (claimed === 'free' ? claim === undefined : claim?.holder === claimed.by))
  );
}
