// Stops a part of the work for a site, and lets it go on. Events are taken all the while: nothing is lost by a pause.
import type { Audit } from '../../ports/audit.ts';
import type { Pause, PauseKind, Pauses } from '../../ports/feeds.ts';
import type { Queue } from '../../ports/queue.ts';
import type { Sites } from '../../ports/sites.ts';
import { findSite } from './find-site.ts';

export type PausedSite = { readonly site: string; readonly paused: readonly Omit<Pause, 'site'>[] };

/** Both answer with what is paused then. Throw `notFound`, `conflict`, and what the stores throw. */
export type PauseSite = {
  readonly pause: (order: {
    readonly site: string;
    readonly what: PauseKind;
    readonly reason: string;
  }) => Promise<PausedSite>;
  /** `all` ends every pause of the site. What is not paused may be resumed, too. */
  readonly resume: (order: { readonly site: string; readonly what: PauseKind }) => Promise<PausedSite>;
};

type PauseParts = {
  readonly pauses: Pauses;
  readonly sites: Pick<Sites, 'current'>;
  readonly queue: Pick<Queue, 'wake'>;
  readonly audit: Pick<Audit, 'append'>;
  /** Wakes the worker that runs here. */
  readonly onResumed: () => void;
};

export function makePauseSite({ pauses, sites, queue, audit, onResumed }: PauseParts): PauseSite {
  async function pausesOf(site: string): Promise<PausedSite> {
    const ofSite = (await pauses.current()).filter((pause) => pause.site === site);
    return { site, paused: ofSite.map(({ what, reason, since }) => ({ what, reason, since })) };
  }

  /** Whoever paused a site must be able to end that, also when its files have become unusable meanwhile. */
  async function requireResumable(site: string): Promise<void> {
    if ((await pausesOf(site)).paused.length === 0) findSite(sites.current(), site);
  }

  return {
    async pause({ site: name, what, reason }) {
      const site = findSite(sites.current(), name).name;
      await audit.append({ action: 'site.pause', actor: 'operator', site, details: { what } });
      await pauses.pause(site, what, reason);
      return pausesOf(site);
    },

    async resume({ site, what }) {
      await requireResumable(site);
      await audit.append({ action: 'site.resume', actor: 'operator', site, details: { what } });
      await pauses.resume(site, what);
      await queue.wake({ site });
      onResumed();
      return pausesOf(site);
    },
  };
}
