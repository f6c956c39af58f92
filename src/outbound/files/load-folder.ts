// Turns one folder and everything it inherits into a loaded site, or returns all its problems.
import type { CodeTable } from '../../domain/mapping/code-table.ts';
import type { Place, Problem } from '../../domain/mapping/mapping.ts';
import { whyNoAmqpEvents } from '../../domain/site/amqp-without-broker.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { SourceFile } from './folder-files.ts';
import { incompleteSite, missingOrganization } from './incomplete-site.ts';
import type { Chain } from './inheritance.ts';
import { hashOf, type MappingCache } from './mapping-cache.ts';
import { missingFiles } from './missing-files.ts';
import { CHOSEN_TABLE, type ParsedFolder } from './parse-folders.ts';
import { chooseTable, collectDocuments, collectTables, compileDocuments } from './site-documents.ts';
import { readSiteSettings, type SettingsRead } from './site-settings.ts';
import { readTemplates } from './site-templates.ts';
import type { Secrets } from './substitution.ts';

export type FolderParts = {
  readonly chain: Chain;
  readonly secrets: Secrets;
  readonly cache: MappingCache;
  /** See `LoadedSite.isTrial`. */
  readonly isTrial: boolean;
  /** The names of the folders that another one extends. */
  readonly extended: ReadonlySet<string>;
};

export type FolderLoad = {
  readonly site?: LoadedSite;
  readonly problems: readonly Problem[];
  /** What keeps no site from being used, and is probably not what its author expects. */
  readonly warnings: readonly Problem[];
};

export async function loadFolder(parts: FolderParts): Promise<FolderLoad> {
  const { chain, secrets, cache, isTrial, extended } = parts;
  const { folders, problem } = chain;
  const own = folders[0];
  const folderProblems = [...folders.flatMap((folder) => folder.ownProblems), ...(problem ? [problem] : [])];
  // With a broken inheritance the rest would only be reported as missing.
  if (own === undefined || problem !== undefined || folders.some(hasUnreadSettings))
    return { problems: folderProblems, warnings: [] };

  const { name, siteFile } = own;
  const trees = folders.flatMap(({ settings }) => settings ?? []);
  const settingsRead = readSiteSettings({ name, file: siteFile, trees, secrets });
  const { settings, placeOf } = settingsRead;
  const tables = collectTables(folders);
  const chosen = chooseTable(tables.byName, settings);
  const codes: Readonly<Record<string, CodeTable>> = Object.freeze(
    Object.assign(Object.create(null), Object.fromEntries(tables.byName), { [CHOSEN_TABLE]: chosen }),
  );
  const documents = collectDocuments(folders);
  const mappings = await compileDocuments({ needsNotice: !isTrial, documents, tables: codes, cache });
  const templates = settings && readTemplates({ settings, placeOf, chain: folders });
  const problems = [
    ...folderProblems,
    ...settingsRead.problems,
    ...incompleteSite({ own, read: settingsRead, extended }),
    ...tables.problems,
    ...mappings.problems,
    ...(templates?.problems ?? []),
    ...missingFiles({ read: settingsRead, chain: folders, documents, tables: tables.byName }),
  ];
  if (settings === undefined || templates === undefined || problems.length > 0) return { problems, warnings: [] };
  const siteFiles = folders.flatMap(({ files }) => files.get('site.yaml') ?? []);
  const sources = folders.find((folder) => folder.sources !== undefined)?.sources;
  const sourceFiles = sources ? [sources.file] : [];
  const version = versionOf([...siteFiles, ...documents.values(), ...tables.files, ...templates.files, ...sourceFiles]);
  const marks = { ...(isTrial && { isTrial }), ...(isModeDefault(settingsRead, folders) && { isModeDefault: true }) };
  const content = { settings, mappings: mappings.byName, codes, templates: templates.texts, version };
  const site = { name, ...marks, ...content, ...(sources?.hosts && { sources: sources.hosts }) };
  return {
    site,
    problems,
    warnings: [...settingsRead.warnings, ...warningsOf({ ...settingsRead, site, siteFile, secrets })],
  };
}

type WarningParts = Pick<FolderParts, 'secrets'> &
  Pick<SettingsRead, 'placeOf' | 'isSite'> & { readonly site: LoadedSite; readonly siteFile: string };

/** Only a site has events: a template is warned of where it is used. */
function warningsOf({ site, siteFile, isSite, placeOf, secrets }: WarningParts): readonly Problem[] {
  if (!isSite) return [];
  const organization = missingOrganization({ ...site, siteFile });
  const noEvents = whyNoAmqpEvents(site, (secrets.environment['AMQP_URL'] ?? '').trim() !== '');
  return [
    ...organization,
    ...(noEvents === undefined ? [] : [{ place: placeOf('events', 'amqp'), message: noEvents }]),
    ...partsOfNothing(site, placeOf('write', 'provenance')),
  ];
}

/** The parts of a note that a Provenance can point to are those of the Composition. */
function partsOfNothing({ settings: { write } }: LoadedSite, place: Place): readonly Problem[] {
  if (typeof write.provenance === 'boolean' || write.note.includes('composition')) return [];
  const message = `write.provenance: ${write.provenance} needs composition in write.note: without it the Provenance is of documents only`;
  return [{ place, message }];
}

function isModeDefault(read: SettingsRead, folders: readonly ParsedFolder[]): boolean {
  const { file } = read.placeOf('mode');
  return read.isDefault('mode') || folders.some(({ kind, siteFile }) => kind === 'base' && siteFile === file);
}

function hasUnreadSettings({ settings, kind, files }: ParsedFolder): boolean {
  return settings === undefined && (kind !== 'base' || files.has('site.yaml'));
}

/** The version covers the files as written: a changed secret makes no new version, and no secret can be guessed from it. */
function versionOf(files: readonly SourceFile[]): string {
  const contents = files.map(({ path, bytes }) => [path, hashOf(bytes ?? '')] as const);
  const sorted = contents.sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
  return hashOf(JSON.stringify(sorted));
}
