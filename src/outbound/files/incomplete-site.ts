// Finds what a folder lacks to be the site that its author means: without it nothing would happen, and nothing would say so.
import type { Problem } from '../../domain/mapping/mapping.ts';
import type { SiteSettings } from '../../domain/site/site.ts';
import { problemAt } from './folder-listing.ts';
import { nodeAt } from './merge-settings.ts';
import type { ParsedFolder } from './parse-folders.ts';
import type { SettingsRead } from './site-settings.ts';

type Parts = {
  readonly own: ParsedFolder;
  readonly read: SettingsRead;
  /** The names of the folders that another one extends. */
  readonly extended: ReadonlySet<string>;
};

export function incompleteSite({ own, read, extended }: Parts): readonly Problem[] {
  return read.isSite || extended.has(own.name) ? [] : lostAddress(own);
}

/** A folder with a mode of its own and without the address of an EHR. */
export function lostAddress({ kind, settings }: ParsedFolder): readonly Problem[] {
  const mode = kind === 'folder' && settings !== undefined ? nodeAt(settings, 'mode') : undefined;
  if (mode?.kind !== 'scalar' || (mode.value !== 'live' && mode.value !== 'shadow')) return [];
  const message = `mode is ${mode.value}, and there is no ehr.baseUrl, so that this folder is no site and nothing is done for it: write the address of the EHR, or mode: off`;
  return [{ place: mode.place, message }];
}

/** A warning only, because the name of the site is used instead. The uploads and the usage of another organization would not fit. */
export function missingOrganization({
  name,
  siteFile,
  settings,
}: {
  readonly name: string;
  readonly siteFile: string;
  readonly settings: SiteSettings;
}): readonly Problem[] {
  if (settings.organization !== undefined) return [];
  const message = `organization is missing, so that only keys of the organization ${name} can upload for this site, and its usage counts to ${name}: write whose it is, as in organization: ${name}`;
  return [problemAt(siteFile, message)];
}
