// Decides whether the sandbox is on, when the sites are read for the first time. If it is on, the site `sandbox` gets the actual address of its
// FHIR server; if it is off, that site is left out.
import type { EhrSettings, SiteSettings } from '../domain/site/site.ts';
import type { LoadedFolders } from '../outbound/files/mapping-folders.ts';
import type { LoadedSite } from '../ports/sites.ts';
import { SANDBOX_SITE } from '../wire/sandbox-names.ts';

export type SandboxSite = {
  readonly adaptSites: (loaded: LoadedFolders) => Promise<LoadedFolders>;
  /** Throws an Error for the operator if the sandbox is wanted and cannot be opened. */
  readonly ready: () => Promise<void>;
};

type Parts = {
  readonly wanted: 'auto' | 'on' | 'off';
  /** Called once if the sandbox is on; returns the address of its FHIR server. */
  readonly open: (site: LoadedSite) => Promise<string>;
};

export function makeSandboxSite({ wanted, open }: Parts): SandboxSite {
  let decided: Promise<string | undefined> | undefined;
  const moved = new WeakMap<LoadedSite, LoadedSite>();

  async function decide({ folders }: LoadedFolders): Promise<string | undefined> {
    const own = folders.find(({ name }) => name === SANDBOX_SITE);
    const others = folders.some(({ name, kind }) => kind === 'site' && name !== SANDBOX_SITE);
    if (wanted === 'off' || (wanted === 'auto' && (others || own?.site === undefined))) return undefined;
    if (own?.site === undefined) throw new Error(own === undefined ? NO_FOLDER : UNUSABLE);
    return open(own.site);
  }

  function move(site: LoadedSite, baseUrl: string): LoadedSite {
    const { ehr } = site.settings;
    if (ehr === undefined || ehr.baseUrl === baseUrl) return site;
    const adapted = moved.get(site) ?? { ...site, settings: movedSettings(site.settings, ehr, baseUrl) };
    moved.set(site, adapted);
    return adapted;
  }

  return {
    async ready() {
      await decided;
    },
    async adaptSites(loaded) {
      decided ??= decide(loaded);
      const baseUrl = await decided;
      if (baseUrl === undefined) return without(loaded);
      const folders = loaded.folders.map((folder) =>
        folder.name === SANDBOX_SITE && folder.site ? { ...folder, site: move(folder.site, baseUrl) } : folder,
      );
      return { ...loaded, folders };
    },
  };
}

/** All addresses of the hospital's EHR: for charts, for launches, and for its keys. */
function movedSettings({ launch, cds, ...settings }: SiteSettings, ehr: EhrSettings, baseUrl: string): SiteSettings {
  const move = (address: string) =>
    address.startsWith(ehr.baseUrl) ? `${baseUrl}${address.slice(ehr.baseUrl.length)}` : address;
  return {
    ...settings,
    ehr: { ...ehr, baseUrl },
    ...(launch && { launch: { ...launch, issuers: launch.issuers.map(move) } }),
    ...(cds && { cds: { ...cds, issuer: move(cds.issuer), jwksUri: move(cds.jwksUri) } }),
  };
}

/** Leaves out the site and its problems, but not problems that other folders share. */
function without(loaded: LoadedFolders): LoadedFolders {
  const folders = loaded.folders.filter(({ name }) => name !== SANDBOX_SITE);
  const own = loaded.folders.find(({ name }) => name === SANDBOX_SITE)?.problems ?? [];
  const shared = new Set(folders.flatMap(({ problems }) => problems.map(keyOf)));
  const gone = new Set(own.map(keyOf).filter((key) => !shared.has(key)));
  return { ...loaded, folders, problems: loaded.problems.filter((problem) => !gone.has(keyOf(problem))) };
}

function keyOf(problem: LoadedFolders['problems'][number]): string {
  return JSON.stringify(problem);
}

const NO_FOLDER = 'SANDBOX is on, and MAPPINGS_DIR has no folder sandbox: copy the one that comes with the engine';
const UNUSABLE = 'SANDBOX is on, and mappings/sandbox cannot be used: npm run cli -- mappings check sandbox';
