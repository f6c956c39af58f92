// The settings and mappings of the sites.
import type { CodeTable } from '../domain/mapping/code-table.ts';
import type { DocumentMapping, Problem } from '../domain/mapping/mapping.ts';
import type { SiteSettings } from '../domain/site/site.ts';

/** One folder with all that it inherits, as loaded at one moment. Two loads never mix in it. */
export type LoadedSite = {
  readonly name: string;
  /**
   * All its patients are made up: its documents need no AI notice, and the operator may decide about its drafts. Only the engine says so;
   * no file of a site can. Absent: false.
   */
  readonly isTrial?: boolean;
  /** Its mode is the default of the base or of the engine: no file of the site says it. Absent: false. */
  readonly isModeDefault?: boolean;
  readonly settings: SiteSettings;
  /** By document: `composition`, `condition` … */
  readonly mappings: ReadonlyMap<string, DocumentMapping>;
  /** By their names in `%codes`; `diagnosis` is the table that the site's settings select. */
  readonly codes: Readonly<Record<string, CodeTable>>;
  /** The texts of the custom note templates that `noteType` names, by file name: `knee-clinic.md`. */
  readonly templates: ReadonlyMap<string, string>;
  /** The hosts whose links its diagnoses may show, of the nearest `codes/sources.yaml`. Absent: none. */
  readonly sources?: readonly string[];
  /** A hash of all files of this site, without the secrets that they name. */
  readonly version: string;
};

export type SitesSnapshot = {
  /** Folders with an `ehr.baseUrl`, by name. A folder that never loaded is not here. */
  readonly sites: ReadonlyMap<string, LoadedSite>;
  /** Problems in the files of all folders now. */
  readonly problems: readonly Problem[];
  /** Sites whose files have problems now; they continue with their last valid version. */
  readonly stale: ReadonlySet<string>;
  /** Sites whose files have problems and were never valid: nothing is done for them. */
  readonly unavailable: ReadonlySet<string>;
  /** The hosts of the base's `codes/sources.yaml`, for diagnoses that belong to no site. Absent: there is no base. */
  readonly sources?: readonly string[];
};

export type Sites = {
  /** The snapshot in force. A caller uses one snapshot for a piece of work, and asks again for the next one. */
  readonly current: () => SitesSnapshot;
};
