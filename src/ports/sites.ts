// What the product needs of whoever keeps the hospitals' settings and mappings.
import type { CodeTable } from '../domain/mapping/code-table.ts';
import type { DocumentMapping, Problem } from '../domain/mapping/mapping.ts';
import type { SiteSettings } from '../domain/site/site.ts';

/** One folder with all that it inherits, as it was at one moment. Two loads never mix in it. */
export type LoadedSite = {
  readonly name: string;
  readonly settings: SiteSettings;
  /** By document: `composition`, `condition` … */
  readonly mappings: ReadonlyMap<string, DocumentMapping>;
  /** By the name that `%codes` has for them; `diagnosis` is the table that the site's settings chose. */
  readonly codes: Readonly<Record<string, CodeTable>>;
  /** The custom note templates that `noteType` names, as their authors wrote them, by file name: `knee-clinic.md`. */
  readonly templates: ReadonlyMap<string, string>;
  /** A hash of all files that this site is made of, without the secrets that they name. */
  readonly version: string;
};

export type SitesSnapshot = {
  /** Folders with an `ehr.baseUrl`, by name. A folder that never loaded is not here. */
  readonly sites: ReadonlyMap<string, LoadedSite>;
  /** Of all folders, as their files are now. */
  readonly problems: readonly Problem[];
  /** Sites whose files have problems now, and that go on as they were when they were last good. */
  readonly stale: ReadonlySet<string>;
  /** Sites whose files have problems now, and that never were good: nothing is done for them. */
  readonly unavailable: ReadonlySet<string>;
};

export type Sites = {
  /** What is in force at this moment. Whoever works with it keeps the snapshot, and asks again for the next work. */
  readonly current: () => SitesSnapshot;
};
