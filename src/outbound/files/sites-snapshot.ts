// Decides which sites are in force after a load: valid sites as they are now, others as they were when last valid.
import { describeProblem, type Problem, sortProblems } from '../../domain/mapping/mapping.ts';
import type { SiteSettings } from '../../domain/site/site.ts';
import type { LoadedSite, SitesSnapshot } from '../../ports/sites.ts';
import { problemAt } from './folder-listing.ts';
import type { LoadedFolders } from './mapping-folders.ts';

export const NO_SITES: SitesSnapshot = { sites: new Map(), problems: [], stale: new Set(), unavailable: new Set() };

/** The changes of a load, for the log, as names of sites. */
export type LoadReport = {
  /** New or changed sites. */
  readonly loaded: readonly { readonly name: string; readonly mode: SiteSettings['mode'] }[];
  /** Sites that stay as they were, because their files have problems. */
  readonly stale: readonly string[];
  /** Sites that are not in force, because their files have problems and were never valid. */
  readonly unavailable: readonly string[];
  /** Sites whose files are valid again. */
  readonly recovered: readonly string[];
  readonly removed: readonly string[];
  /** All sites now. */
  readonly problems: readonly Problem[];
};

type Now = Pick<LoadedFolders, 'isThere' | 'folders' | 'problems'>;

/** The base's list of sources, which is empty if its folder has none; while the base has problems, the last valid one. */
function sourcesOf({ folders }: Now, before: SitesSnapshot): Pick<SitesSnapshot, 'sources'> {
  const base = folders.find(({ kind }) => kind === 'base');
  if (base === undefined) return {};
  const sources = base.site === undefined ? before.sources : (base.site.sources ?? []);
  return sources === undefined ? {} : { sources };
}

export function nextSnapshot(before: SitesSnapshot, now: Now, shown: string): SitesSnapshot {
  // A missing directory is a missing disk, not removed hospitals.
  if (!now.isThere) return { ...before, problems: now.problems, stale: new Set(before.sites.keys()) };
  // An empty directory is treated the same: an unmounted disk leaves one behind.
  if (now.folders.length === 0 && before.sites.size > 0) {
    const problems = [...now.problems, problemAt(shown, 'this folder is empty, and all sites go on as they were')];
    return { ...before, problems, stale: new Set(before.sites.keys()) };
  }
  const sites = new Map<string, LoadedSite>();
  const stale = new Set<string>();
  const unavailable = new Set<string>();
  const problems = [...now.problems];
  for (const { name, kind, isUnclear, site, problems: own } of now.folders) {
    const last = before.sites.get(name);
    if (kind === 'site' && site !== undefined) {
      sites.set(name, last !== undefined && isSame(last, site) ? last : site);
    } else if (last !== undefined) {
      sites.set(name, last);
      stale.add(name);
      if (own.length === 0) problems.push(problemAt(`${shown}/${name}/site.yaml`, NO_SITE_ANY_MORE));
    } else if (kind === 'site' || isUnclear) {
      unavailable.add(name);
    }
  }
  return { sites, stale, unavailable, problems: sortProblems(problems), ...sourcesOf(now, before) };
}

/** True for the same files with the same values of the environment and of secret files. */
function isSame(last: LoadedSite, site: LoadedSite): boolean {
  return last.version === site.version && JSON.stringify(last.settings) === JSON.stringify(site.settings);
}

// It may be a file of which only the first half is written.
const NO_SITE_ANY_MORE =
  'there is no ehr.baseUrl any more, and the site goes on as it was; take its folder away to end it, or write mode: off';

export function reportLoad(before: SitesSnapshot, after: SitesSnapshot): LoadReport {
  return {
    loaded: [...after.sites.values()]
      .filter((site) => before.sites.get(site.name) !== site)
      .map(({ name, settings }) => ({ name, mode: settings.mode })),
    stale: [...after.stale],
    unavailable: [...after.unavailable].filter((name) => !before.unavailable.has(name)),
    recovered: [...before.stale].filter((name) => after.sites.has(name) && !after.stale.has(name)),
    removed: [...before.sites.keys()].filter((name) => !after.sites.has(name)),
    problems: after.problems,
  };
}

/** True if the load changed anything. */
export function isNews(before: SitesSnapshot, report: LoadReport): boolean {
  const { loaded, stale, unavailable, removed, problems } = report;
  const isSame =
    [...before.stale].join() === stale.join() &&
    before.problems.map(describeProblem).join('\n') === problems.map(describeProblem).join('\n');
  return loaded.length > 0 || unavailable.length > 0 || removed.length > 0 || !isSame;
}
