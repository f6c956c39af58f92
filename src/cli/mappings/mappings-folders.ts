// Selects the folders that a mappings command works on: all, or the one that the user named.
import { describeProblem, type Problem } from '../../domain/mapping/mapping.ts';
import { suggest } from '../../mapping/mapping.ts';
import { type Folder, type ReadFolders, readFolders } from '../../outbound/files/mapping-folders.ts';
import { SANDBOX_SITE } from '../../wire/sandbox-names.ts';
import { CliError } from '../shared/cli-error.ts';
import type { MappingsParts } from './mappings-parts.ts';

const FIRST_SITE = 'npm run cli -- mappings new my-hospital --from us-core';

/** Secrets may be missing, which is a warning: a check of a repository has none. Problems name files relative to the directory as typed, so that a terminal can open them. Throws a CliError if there are none. */
export async function readMappings(parts: Pick<MappingsParts, 'directory' | 'environment'>): Promise<ReadFolders> {
  const { directory, environment } = parts;
  const read = await readFolders({
    directory,
    environment,
    displayRoot: directory,
    trialSite: SANDBOX_SITE,
    mayLackSecrets: true,
  });
  if (read.folders.length > 0) return read;
  if (read.problems.length === 0) throw new CliError(`There are no mappings in ${directory} yet. ${SAY_WHERE}`);
  throw new CliError(`${problemLines(read.problems)}\n${SAY_WHERE}`);
}

const SAY_WHERE = `Run this in the folder of the engine, or set --dir <folder> or MAPPINGS_DIR. Create a site with: ${FIRST_SITE}`;

/** Returns all folders, or the named one. Throws a CliError if no folder has this name. */
export function chooseFolders(
  { folders }: ReadFolders,
  { site, directory }: { readonly site: string | undefined; readonly directory: string },
): readonly Folder[] {
  if (site === undefined) return folders;
  const name = site.replace(/\/+$/, '');
  const found = folders.find((folder) => folder.name === name);
  if (found !== undefined) return [found];
  throw new CliError(noSuchFolder({ name, directory, names: folders.map((folder) => folder.name) }));
}

type Missing = { readonly name: string; readonly directory: string; readonly names: readonly string[] };

/** Formats `there is no folder mercyy in mappings; did you mean mercy?` */
function noSuchFolder({ name, directory, names }: Missing): string {
  const meant = suggest(name, names) ?? names.find((known) => known === `profiles/${name}`);
  const hint =
    meant === undefined ? `there ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}` : `did you mean ${meant}?`;
  return `there is no folder ${name} in ${directory}; ${hint}`;
}

export function problemLines(problems: readonly Problem[]): string {
  return problems.map(describeProblem).join('\n');
}

/** Formats `1 file`, `2 files`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
