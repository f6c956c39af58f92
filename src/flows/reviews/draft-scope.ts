// Which drafts a caller may see: those of the caller's sites; of a person who came from the EHR only those of the opened encounter.
import type { Access } from '../../domain/people/caller.ts';
import { isInScope, type SiteScope } from '../../domain/people/role.ts';
import type { Run } from '../../domain/run/run.ts';
import { isSignedWithoutReview } from '../../domain/site/signed-without-review.ts';
import type { DraftPlace } from '../../ports/drafts.ts';
import type { Runs } from '../../ports/runs.ts';
import type { SitesSnapshot } from '../../ports/sites.ts';
import { findRun, runNotFound } from '../operations/find-run.ts';

export type DraftAccess = Pick<Access, 'caller' | 'scope'>;

/** Of a site that signs without a review, what is written is no draft. */
export function draftPlaces(scope: SiteScope, { sites }: SitesSnapshot, now: Date): readonly DraftPlace[] {
  return [...sites.values()]
    .filter(({ name }) => isInScope(scope, name))
    .flatMap(({ name: site, settings }) => {
      const held = { site, status: 'held' } as const;
      return isSignedWithoutReview(settings, now) ? [held] : [held, { site, status: 'written' } as const];
    });
}


/** Throws `notFound` for an unknown run, and in the same words for one that the caller may not see. */
export async function findOwnRun(
  runs: Pick<Runs, 'find'>,
  { id, access }: { readonly id: string; readonly access: DraftAccess },
): Promise<Run> {
  const run = await findRun(runs, id);
  if (!mayOpen(access, run)) throw runNotFound();
  return run;
}

export function mayOpen({ caller: { opened }, scope }: DraftAccess, { site, encounter }: Run): boolean {
  if (!isInScope(scope, site)) return false;
  return opened === undefined || (opened.site === site && opened.encounter === encounter);
}
