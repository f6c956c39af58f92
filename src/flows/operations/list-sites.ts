// Lists the active sites with their state.

import { isInScope, type SiteScope } from '../../domain/people/role.ts';
import { whyRunsWait } from '../../domain/site/engine-choice.ts';
import { isUnencryptedRemote } from '../../domain/site/plain-address.ts';
import type { EhrAuth, SiteSettings } from '../../domain/site/site.ts';
import type { Feed, Feeds, Pause, Pauses } from '../../ports/feeds.ts';
import type { CheckProgress, FindingKind, Ledger } from '../../ports/ledger.ts';
import type { Reasoner } from '../../ports/reasoner.ts';
import type { LoadedSite, Sites } from '../../ports/sites.ts';
import { namesIn } from './find-site.ts';
import { makeFindStoppedSites, WHY_STOPPED } from './find-stopped-sites.ts';

export type ListedSite = {
  readonly name: string;
  readonly organization?: string;
  readonly mode: SiteSettings['mode'];
  readonly ehr: { readonly baseUrl: string; readonly auth: EhrAuth['type'] };
  /** The version of its settings and mappings. */
  readonly mappings: string;
  /** Its files have problems now, and it continues with its last valid version. */
  readonly isStale: boolean;
  readonly warning?: string;
  /** Open findings by kind; a kind without any is absent. */
  readonly findings: Readonly<Partial<Record<FindingKind, number>>>;
  /** How far the checks of its charts are; absent if nothing is in them. */
  readonly checks?: CheckProgress;
  /** When the EHR last answered this engine; absent if it has not since the start. */
  readonly lastContact?: Date;
  readonly paused: readonly Omit<Pause, 'site'>[];
  /** The feeds of its events, each with its alarm, if any. */
  readonly feeds: readonly Feed[];
};

export type SiteList = {
  readonly sites: readonly ListedSite[];
  /** Sites whose files have never been valid. */
  readonly unavailable: readonly string[];
};

/** Those of the scope. */
export type ListSites = (scope: SiteScope) => Promise<SiteList>;

type ListParts = {
  readonly sites: Sites;
  readonly reasoner: Pick<Reasoner, 'engine'>;
  readonly ledger: Pick<Ledger, 'openFindings' | 'dueForCheck' | 'checkProgress'>;
  readonly lastContact: (site: string) => Date | undefined;
  readonly pauses: Pick<Pauses, 'current'>;
  readonly feeds: Pick<Feeds, 'all'>;
};

export function makeListSites({ sites, reasoner, ledger, lastContact, pauses, feeds }: ListParts): ListSites {
  const findStopped = makeFindStoppedSites({ ledger });
  return async (scope) => {
    const { sites: all, stale, unavailable } = sites.current();
    const inForce = [...all.values()].filter(({ name }) => isInScope(scope, name));
    const stopped = await findStopped(inForce);
    const open = await ledger.openFindings(scope);
    const progress = await ledger.checkProgress(scope);
    const [allPauses, allFeeds] = [await pauses.current(), await feeds.all()];
    const list = inForce.map((site): ListedSite => {
      const kinds = open.filter((finding) => finding.site === site.name).map(({ kind }) => kind);
      const contact = lastContact(site.name);
      const checks = progress.get(site.name);
      return {
        ...factsOf(site, { engine: reasoner.engine, isStopped: stopped.has(site.name) }),
        isStale: stale.has(site.name),
        findings: countKinds(kinds),
        ...(checks !== undefined && { checks }),
        ...(contact !== undefined && { lastContact: contact }),
        paused: allPauses.filter(({ site: name }) => name === site.name).map(withoutSite),
        feeds: allFeeds.filter(({ site: name }) => name === site.name),
      };
    });
    return { sites: list.toSorted(byName), unavailable: namesIn(scope, unavailable).toSorted() };
  };
}

type SiteState = { readonly engine: string; readonly isStopped: boolean };

function factsOf({ name, settings, version }: LoadedSite, { engine, isStopped }: SiteState) {
  const { organization, mode, ehr } = settings;
  const baseUrl = ehr?.baseUrl ?? '';
  const refusal = whyRunsWait(engine, settings);
  const warnings = [
    isUnencryptedRemote(baseUrl) ? [PLAIN_HTTP] : [],
    refusal ? [`its runs wait. ${refusal}`] : [],
    isStopped ? [WHY_STOPPED] : [],
  ].flat();
  return {
    name,
    ...(organization !== undefined && { organization }),
    mode,
    ehr: { baseUrl, auth: ehr?.auth.type ?? 'none' },
    mappings: version,
    ...(warnings.length > 0 && { warning: warnings.join('. ') }),
  };
}

const PLAIN_HTTP = 'ehr.baseUrl is plain http: patient data crosses the network without encryption';

function withoutSite({ what, reason, since }: Pause): Omit<Pause, 'site'> {
  return { what, reason, since };
}

function countKinds(kinds: readonly FindingKind[]): ListedSite['findings'] {
  return Object.fromEntries([...Map.groupBy(kinds, (kind) => kind)].map(([kind, all]) => [kind, all.length]));
}

function byName(one: ListedSite, other: ListedSite): number {
  return one.name < other.name ? -1 : Number(one.name > other.name);
}
