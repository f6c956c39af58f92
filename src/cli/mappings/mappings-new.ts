// The command `mappings new` creates the folder of a site from a profile; the folder passes check and test as it is. It is created and
// tried in a hidden folder, then renamed, so that it appears completely or not at all.
import { cp, lstat, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suggest } from '../../mapping/mapping.ts';
import { type Folder, readFolders } from '../../outbound/files/mapping-folders.ts';
import { SHIPPED_MAPPINGS } from '../../outbound/files/shipped-folders.ts';
import { SANDBOX_SITE } from '../../wire/sandbox-names.ts';
import { CliError } from '../shared/cli-error.ts';
import { json } from '../shared/command-parts.ts';
import { problemLines } from './mappings-folders.ts';
import { acceptResult, listCases, runCase } from './mappings-golden.ts';
import type { MappingsParts } from './mappings-parts.ts';

type NewParts = MappingsParts & { readonly site: string; readonly profile: string | undefined };

const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
/** Names of special folders, and of members of JavaScript's objects. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['base', 'profiles', SANDBOX_SITE, 'constructor', 'prototype']);

/** Throws a CliError if the folder cannot be created; then nothing of it remains. */
export async function makeSite(parts: NewParts): Promise<void> {
  const { site, directory, print, wantsJson } = parts;
  refuseName(site);
  await mkdir(directory, { recursive: true });
  const profile = chooseProfile(await findProfiles(parts), parts);
  const target = join(directory, site);
  if (await exists(target)) throw new CliError(`${target} exists already. Choose another name, or change that folder.`);
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
  if (RESERVED_NAMES.has(site)) throw new CliError(`A site cannot be called ${site}: the name is reserved.`);
  if (!NAME.test(site)) {
    throw new CliError(
      'The name of a site has only a-z, 0-9 and -, and begins with a letter or digit, as in st-mary: it becomes part of identifiers.',
    );
  }
}

type Profile = Folder & {
  /** The mappings directory that has it: the hospital's own, or the shipped one. */
  readonly home: string;
};

/** Those of the directory, and shipped ones of other names: a repository of its own needs no copy of them. */
async function findProfiles({ directory, environment }: NewParts): Promise<readonly Profile[]> {
  const profilesIn = async (home: string) => {
    const { folders } = await readFolders({ directory: home, environment, displayRoot: home, mayLackSecrets: true });
    return folders.filter(({ kind }) => kind === 'profile').map((folder) => ({ ...folder, home }));
  };
  const own = await profilesIn(directory);
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...(await profilesIn(SHIPPED_MAPPINGS)).filter(({ name }) => !names.has(name))];
}

function chooseProfile(profiles: readonly Profile[], { profile, directory }: NewParts): Profile {
  const names = profiles.map(({ name }) => shortName(name));
  if (names.length === 0)
    throw new CliError(`There is no profile to start from: ${directory}/profiles has no folders.`);
  if (profile === undefined)
    throw new CliError(`Choose a profile with --from <profile>. Profiles: ${names.join(', ')}`);
  const wanted = shortName(profile.replace(/\/+$/, ''));
  const found = profiles.find(({ name }) => shortName(name) === wanted);
  if (found === undefined) {
    const meant = suggest(wanted, names);
    const hint = meant === undefined ? `there are: ${names.join(', ')}` : `did you mean ${meant}?`;
    throw new CliError(`there is no profile ${wanted} in ${directory}/profiles; ${hint}`);
  }
  if (found.problems.length === 0) return found;
  throw new CliError(`${problemLines(found.problems)}\nFix these problems of ${wanted} first.`);
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

type Workshop = Omit<NewParts, 'profile'> & { readonly workshop: string; readonly profile: Profile };

/** Creates a temporary mappings directory with the new folder and the folders it inherits from. */
async function copyFolders({ workshop, profile, directory, site }: Workshop): Promise<void> {
  for (const name of profile.inheritedFrom) {
    // Shipped folders need no copy: they are found as they are from the site.
    if (await exists(join(directory, name))) await copyFolder(join(directory, name), join(workshop, name));
  }
  const folder = join(workshop, site);
  await copyFolder(join(profile.home, profile.name), folder);
  const settings = join(folder, 'site.yaml');
  await writeFile(settings, adaptSettings(await readFile(settings, 'utf8'), { site, profile: profile.name }));
}

/** Replaces links by their targets, so that the copy is independent. */
function copyFolder(from: string, to: string): Promise<void> {
  return cp(from, to, { recursive: true, dereference: true, errorOnExist: true });
}

/** Replaces `example-hospital` by the site's name and `EXAMPLE_…` by its variables. Everything else is unchanged. */
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

/** Rewrites the expected files, because they contain the site's name and identifiers made from it. */
async function tryFolder({ workshop, site, profile, directory, environment }: Workshop): Promise<void> {
  const { folders } = await readFolders({
    directory: workshop,
    environment,
    displayRoot: directory,
    mayLackSecrets: true,
  });
  const made = folders.find(({ name }) => name === site);
  if (made?.site === undefined) throw new CliError(`${problemLines(made?.problems ?? [])}\nNothing was created.`);
  for (const golden of await listCases({ directory: workshop, folder: site })) {
    const result = await runCase(made.site, golden);
    if (result.problems.length > 0) {
      // The mistake is in the profile, where it can be fixed.
      const problems = result.problems.join('\n').replaceAll(join(workshop, site), join(profile.home, profile.name));
      throw new CliError(`${problems}\nNothing was created.`);
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
  4. It is in shadow mode: nothing is written until ${target}/site.yaml says mode: live.
`;
}
