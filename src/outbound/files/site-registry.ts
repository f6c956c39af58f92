// Keeps the sites in force up to date with their files. A change is applied as a whole once its files are stable. A site whose files have
// problems stays as it was when they were last valid.
import type { Sites, SitesSnapshot } from '../../ports/sites.ts';
import { shownDirectory } from './folder-files.ts';
import { listMappings, printOfFile, problemAt } from './folder-listing.ts';
import { type FolderWatch, watchFolders } from './folder-watch.ts';
import { type MappingCache, makeMappingCache } from './mapping-cache.ts';
import { type LoadedFolders, loadFolders, type ReadFoldersParts } from './mapping-folders.ts';
import { isNews, type LoadReport, NO_SITES, nextSnapshot, reportLoad } from './sites-snapshot.ts';

export type { LoadReport };

export type SiteRegistryParts = ReadFoldersParts & {
  /** Adapts the folders before they come into force. */
  readonly adapt?: (loaded: LoadedFolders) => Promise<LoadedFolders>;
  /** Called after the first load, and after each load that changed anything. */
  readonly onLoad: (report: LoadReport) => void;
  /** How often to poll for changes. */
  readonly pollMs?: number;
  /** How long files must be unchanged before they are read. */
  readonly debounceMs?: number;
};

export type SiteRegistry = Sites & { readonly close: () => Promise<void> };

const POLL_MS = 5000;
const DEBOUNCE_MS = 250;
/** A file that never stops changing must not keep all others from being read. */
const MAX_WAITS = 20;
/** File systems store times in steps of up to two seconds; within a step, only the content shows a change. */
const COARSEST_CLOCK_MS = 2000;

export async function openSiteRegistry(parts: SiteRegistryParts): Promise<SiteRegistry> {
  const registry = new Registry(parts);
  await registry.start();
  return { current: registry.current, close: registry.close };
}

class Registry {
  readonly #parts: SiteRegistryParts;
  readonly #shown: string;
  readonly #cache: MappingCache = makeMappingCache();
  readonly #watch: FolderWatch = watchFolders(() => this.#wait());
  #snapshot: SitesSnapshot = NO_SITES;
  #lastLoad: Pick<LoadedFolders, 'fingerprint' | 'secretPrints'> & { readonly isExact: boolean } = {
    fingerprint: '',
    secretPrints: new Map(),
    isExact: false,
  };
  readonly #seenFolders = new Set<string>();
  /** The print at the last wait for stable files. */
  #seen: string | undefined;
  #waits = 0;
  #timer: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  /** Polls and loads run one after another. */
  #work: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(parts: SiteRegistryParts) {
    this.#parts = parts;
    this.#shown = parts.displayRoot ?? shownDirectory(parts.directory);
  }

  readonly current = (): SitesSnapshot => this.#snapshot;

  async start(): Promise<void> {
    await this.#load({ isFirst: true });
    this.#lookLater();
  }

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    clearTimeout(this.#poll);
    clearTimeout(this.#timer);
    this.#watch.close();
    await this.#work;
  };

  #enqueue(work: () => Promise<void>): void {
    this.#work = this.#work.then(() => (this.#isClosed ? undefined : work())).catch((error) => this.#failed(error));
  }

  #lookLater(): void {
    if (this.#isClosed) return;
    const look = () => this.#look().finally(() => this.#lookLater());
    this.#poll = setTimeout(() => this.#enqueue(look), this.#parts.pollMs ?? POLL_MS);
    this.#poll.unref();
  }

  /** Changes of other files do not extend the wait: only files of mappings must be stable. */
  #wait(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#enqueue(() => this.#settle());
    }, this.#parts.debounceMs ?? DEBOUNCE_MS);
    this.#timer.unref();
  }

  /** Polls whether anything has changed since the last load. */
  async #look(): Promise<void> {
    if (this.#timer !== undefined || !(await this.#isChanged())) return;
    // No event reported this change: perhaps a folder was replaced by another one of the same name.
    this.#watch.follow((await listMappings(this.#where)).watchable, { isAnew: true });
    this.#wait();
  }

  async #isChanged(): Promise<boolean> {
    const { fingerprint, secretPrints, isExact } = this.#lastLoad;
    return !isExact || (await this.#print()) !== printOf(fingerprint, secretPrints);
  }

  /** Waits until two polls, one rest period apart, see the same files. */
  async #settle(): Promise<void> {
    const print = await this.#print();
    const isAtRest = print === this.#seen;
    this.#seen = print;
    if (!isAtRest && this.#waits < MAX_WAITS) {
      this.#waits += 1;
      this.#wait();
    } else if (await this.#isChanged()) {
      await this.#load({ isFirst: false });
    }
  }

  async #load({ isFirst }: { readonly isFirst: boolean }): Promise<void> {
    const startedAtMs = Date.now();
    const loaded = await this.#read().catch((error: unknown) => this.#failed(error));
    if (loaded === undefined || this.#isClosed) return;
    const isMore = this.#watch.follow(loaded.watchable);
    if (isMore || !loaded.isSettled) this.#wait();
    if (!loaded.isSettled && !isFirst && this.#waits < MAX_WAITS) return;
    this.#waits = 0;
    const isExact = loaded.isSettled && Math.abs(startedAtMs - loaded.changedAtMs) > COARSEST_CLOCK_MS;
    this.#lastLoad = { fingerprint: loaded.fingerprint, secretPrints: loaded.secretPrints, isExact };
    this.#take(nextSnapshot(this.#snapshot, loaded, this.#shown), isFirst);
  }

  async #read(): Promise<LoadedFolders> {
    const loaded = await loadFolders({ ...this.#parts, seen: this.#seenFolders }, this.#cache);
    for (const { name } of loaded.folders) this.#seenFolders.add(name);
    return this.#parts.adapt?.(loaded) ?? loaded;
  }

  /** An unexpected failure: the sites in force stay as they are. */
  #failed(error: unknown): undefined {
    const message = `the mappings could not be loaded (${error instanceof Error ? error.name : 'unknown'})`;
    this.#take({ ...this.#snapshot, problems: [problemAt(this.#shown, message)] }, false);
    return undefined;
  }

  #take(snapshot: SitesSnapshot, isFirst: boolean): void {
    const before = this.#snapshot;
    this.#snapshot = snapshot;
    const report = reportLoad(before, snapshot);
    if (!isFirst && !isNews(before, report)) return;
    try {
      this.#parts.onLoad(report);
    } catch {
      // A failing listener must not keep the next change from being applied.
    }
  }

  get #where() {
    return { directory: this.#parts.directory, shown: this.#shown };
  }

  /** The snapshot of the files as they are now. */
  async #print(): Promise<string> {
    const secrets = new Map<string, string>();
    for (const path of this.#lastLoad.secretPrints.keys()) secrets.set(path, await printOfFile(path));
    return printOf((await listMappings(this.#where)).fingerprint, secrets);
  }
}

function printOf(fingerprint: string, secrets: ReadonlyMap<string, string>): string {
  return JSON.stringify([fingerprint, ...secrets]);
}
