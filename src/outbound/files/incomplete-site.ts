// Finds what a folder lacks to be the site that its author means: without it nothing would happen, and nothing would say so.
import type { Problem } from '../../domain/mapping/mapping.ts';
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
  if (read.isSite) return missingOrganization(own, read);
  return extended.has(own.name) ? [] : lostAddress(own);
}

/** A folder with a mode of its own and without the address of an EHR. */
export function lostAddress({ kind, settings }: ParsedFolder): readonly Problem[] {
  const mode = kind === 'folder' && settings !== undefined ? nodeAt(settings, 'mode') : undefined;
  if (mode?.kind !== 'scalar' || (mode.value !== 'live' && mode.value !== 'shadow')) return [];
  const message = `mode is ${mode.value}, and there is no ehr.baseUrl, so that this folder is no site and nothing is done for it: write the address of the EHR, or mode: off`;
  return [{ place: mode.place, message }];
}

/** Keys, plans and usage are of an organization: with a guessed one the uploads of the real one would be refused. */
function missingOrganization({ name, siteFile }: ParsedFolder, { settings }: SettingsRead): readonly Problem[] {
  if (settings === undefined || settings.organization !== undefined) return [];
  const message = `organization is missing: whose keys and usage this site belongs to, as in organization: ${name}`;
  return [problemAt(siteFile, message)];
}
