// mappings new: the folder of a site, made from a profile, so that it passes check and test as it is. It appears whole or not at
// all: it is made and tried in a hidden folder beside, and then renamed.
import { cp, lstat, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suggest } from '../../mapping/mapping.ts';
import { type Folder, readFolders } from '../../outbound/files/mapping-folders.ts';
import { CliError } from '../shared/cli-error.ts';
import { json } from '../shared/command-parts.ts';
import type { MappingsParts } from './mappings-command.ts';
import { problemLines, readMappings } from './mappings-folders.ts';
import { acceptResult, listCases, runCase } from './mappings-golden.ts';

type NewParts = MappingsParts & { readonly site: string; readonly profile: string | undefined };

const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
/** Folders that mean something else, and what JavaScript's objects have of their own. */
const TAKEN: ReadonlySet<string> = new Set(['base', 'profiles', 'sandbox', 'constructor', 'prototype']);

/** Throws a CliError where the folder cannot be made; then nothing of it is left. */
export async function makeSite(parts: NewParts): Promise<void> {
  const { site, directory, print, wantsJson } = parts;
  refuseName(site);
  const { folders } = await readMappings(parts);
  const profile = chooseProfile(folders, parts);
  const target = join(directory, site);
  if (await exists(target))
    throw new CliError(`${target} is there already. Choose another name, or change what is there.`);
  const workshop = await mkdtemp(join(directory, '.new-'));
  try {
    await copyFolders({ ...parts, workshop, profile });
    await tryFolder({ ...parts, workshop, profile });
    await rename(join(workshop, site), target);
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
  print(wantsJson() ? json({ site, folder: target, from: profile.name }) : nextSteps({ site, target, profile }));
}

function refuseName(site: string): void {
  if (TAKEN.has(site)) throw new CliError(`A site cannot be called ${site}: that name has a meaning of its own.`);
  if (!NAME.test(site)) {
    throw new CliError(
      'A site is named with a-z, 0-9 and - only, from a letter or digit on, as in st-mary: it becomes part of identifiers.',
    );
  }
}

function chooseProfile(folders: readonly Folder[], { profile, directory }: NewParts): Folder {
  const profiles = folders.filter(({ kind }) => kind === 'profile');
  const names = profiles.map(({ name }) => shortName(name));
  if (names.length === 0)
    throw new CliError(`There is no profile to start from: ${directory}/profiles has no folders.`);
  if (profile === undefined)
    throw new CliError(`Say what to start from: --from <profile>. There are: ${names.join(', ')}`);
  const wanted = shortName(profile.replace(/\/+$/, ''));
  const found = profiles.find(({ name }) => shortName(name) === wanted);
  if (found === undefined) {
    const meant = suggest(wanted, names);
    const hint = meant === undefined ? `there are: ${names.join(', ')}` : `did you mean ${meant}?`;
    throw new CliError(`there is no profile ${wanted} in ${directory}/profiles; ${hint}`);
  }
  if (found.problems.length === 0) return found;
  throw new CliError(`${problemLines(found.problems)}\n${wanted} is nothing to start from before this is mended.`);
}

function shortName(profile: string): string {
  return profile.replace(/^profiles\//, '');
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

type Workshop = Omit<NewParts, 'profile'> & { readonly workshop: string; readonly profile: Folder };

/** The new folder, and beside it what it inherits from: a mappings directory of its own. */
async function copyFolders({ workshop, profile, directory, site }: Workshop): Promise<void> {
  for (const name of profile.inheritedFrom) await copyFolder(join(directory, name), join(workshop, name));
  const folder = join(workshop, site);
  await copyFolder(join(directory, profile.name), folder);
  const settings = join(folder, 'site.yaml');
  await writeFile(settings, adaptSettings(await readFile(settings, 'utf8'), { site, profile: profile.name }));
}

/** Links become what they lead to: the copy is on its own. */
function copyFolder(from: string, to: string): Promise<void> {
  return cp(from, to, { recursive: true, dereference: true, errorOnExist: true });
}

/** Profiles say `example-hospital` for the site, and `EXAMPLE_…` for its secrets. Comments and all else stay. */
export function adaptSettings(
  text: string,
  { site, profile }: { readonly site: string; readonly profile: string },
): string {
  const variable = site
    .toUpperCase()
    .replaceAll('-', '_')
    .replace(/^(?=\d)/, 'SITE_');
  const adapted = text
    .replaceAll('example-hospital', site)
    .replace(/\bEXAMPLE_(?=[A-Z])/g, `${variable}_`)
    .replaceAll('secrets/example', `secrets/${site}`);
  return `# The settings of ${site}, made from ${profile}.\n#\n${adapted}`;
}

/** What is expected holds the site's name, and identifiers made of it: it is what this site makes. */
async function tryFolder({ workshop, site, profile, directory, environment }: Workshop): Promise<void> {
  const { folders } = await readFolders({ directory: workshop, environment, displayRoot: directory });
  const made = folders.find(({ name }) => name === site);
  if (made?.site === undefined) throw new CliError(`${problemLines(made?.problems ?? [])}\nNothing was made.`);
  for (const golden of await listCases({ directory: workshop, folder: site })) {
    const result = await runCase(made.site, golden);
    if (result.problems.length > 0) {
      // What somebody can mend stands in the profile.
      const problems = result.problems.join('\n').replaceAll(join(workshop, site), join(directory, profile.name));
      throw new CliError(`${problems}\nNothing was made.`);
    }
    await acceptResult(result);
  }
}

type Next = { readonly site: string; readonly target: string; readonly profile: Folder };

function nextSteps({ site, target, profile }: Next): string {
  return `${target} was made from ${profile.name}. What next:

  1. Say where the EHR is, in ${target}/site.yaml, and change what is to be different.
  2. npm run cli -- mappings check ${site}
  3. npm run cli -- mappings test ${site}
`;
}
