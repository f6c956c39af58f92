// Pauses and resumes some or all work for a site. Events are accepted during a pause, so none is lost.
import type { Access } from '../../domain/people/caller.ts';
import { isInScope, type SiteScope } from '../../domain/people/role.ts';
import type { Audit } from '../../ports/audit.ts';
import type { Pause, PauseKind, Pauses } from '../../ports/feeds.ts';
import type { Queue } from '../../ports/queue.ts';
import type { Sites } from '../../ports/sites.ts';
import { byCaller } from '../people/by-caller.ts';
import { findSite } from './find-site.ts';

export type PausedSite = {
  readonly site: string;
  readonly paused: readonly Omit<Pause, 'site'>[];
  /** Only of a resumption: how many waiting runs go on. */
  readonly wokenRuns?: number;
};

/** Both return the pauses afterwards. They throw `notFound`, `conflict`, and what the stores throw. */
export type PauseSite = {
  readonly pause: (order: {
    readonly site: string;
    readonly what: PauseKind;
    readonly reason: string;
    readonly access: Access;
  }) => Promise<PausedSite>;
  /** `all` ends every pause of the site. Resuming without a pause is no error. */
  readonly resume: (order: {
    readonly site: string;
    readonly what: PauseKind;
    readonly access: Access;
  }) => Promise<PausedSite>;
};

type PauseParts = {
  readonly pauses: Pauses;
  readonly sites: Pick<Sites, 'current'>;
  readonly queue: Pick<Queue, 'wake'>;
  readonly audit: Pick<Audit, 'append'>;
  /** Wakes the worker of this engine. */
  readonly onResumed: () => void;
};

export function makePauseSite({ pauses, sites, queue, audit, onResumed }: PauseParts): PauseSite {
  async function pausesOf(site: string): Promise<PausedSite> {
    const ofSite = (await pauses.current()).filter((pause) => pause.site === site);
    return { site, paused: ofSite.map(({ what, reason, since }) => ({ what, reason, since })) };
  }

  /** A pause can be ended even if the files of the site have become invalid meanwhile. */
  async function requireResumable(site: string, scope: SiteScope): Promise<void> {
    const isPaused = isInScope(scope, site) && (await pausesOf(site)).paused.length > 0;
    if (!isPaused) findSite(sites.current(), site, scope);
  }

  return {
    async pause({ site: name, what, reason, access }) {
      const site = findSite(sites.current(), name, access.scope).name;
      await audit.append(byCaller(access, { action: 'site.pause', site, details: { what } }));
      await pauses.pause(site, what, reason);
      return pausesOf(site);
    },

    async resume({ site, what, access }) {
      await requireResumable(site, access.scope);
      await audit.append(byCaller(access, { action: 'site.resume', site, details: { what } }));
      await pauses.resume(site, what);
      const wokenRuns = await queue.wake({ site });
      onResumed();
      return { ...(await pausesOf(site)), wokenRuns };
    },
  };
}
