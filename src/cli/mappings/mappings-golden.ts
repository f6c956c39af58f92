// Golden tests of a folder: compares what its mappings make of each input with the documents that a person once accepted. Reads and
// writes the files of tests, and returns the differences as data.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { previewMapping } from '../../flows/operations/preview-mapping.ts';
import type { Folder } from '../../outbound/files/mapping-folders.ts';
import { json } from '../shared/command-parts.ts';
import { explainFailure, explainUnmapped } from './mappings-failure.ts';
import { readFacts } from './mappings-input.ts';
import { validateDocuments } from './mappings-validity.ts';

export type GoldenCase = {
  readonly folder: string;
  readonly name: string;
  /** `mappings/mercy/tests/ed-note` */
  readonly path: string;
};

export type GoldenFile = {
  /** Name in `expected`: `composition.json`, or `condition-1.json` if there are several. */
  readonly name: string;
  /** `new` means made, but no file expects it; `gone` means expected, but not made. */
  readonly status: 'same' | 'differs' | 'new' | 'gone' | 'broken';
  readonly expected?: unknown;
  readonly got?: unknown;
};

export type GoldenResult = GoldenCase & {
  readonly files: readonly GoldenFile[];
  /** Mistakes that accepting cannot fix: an unusable input, a code without a translation, invalid FHIR. */
  readonly problems: readonly string[];
};

type LoadedSite = NonNullable<Folder['site']>;
type MappedDocument = ReturnType<typeof previewMapping>['documents'][number];

export async function listCases({
  directory,
  folder,
}: {
  readonly directory: string;
  readonly folder: string;
}): Promise<readonly GoldenCase[]> {
  const tests = join(directory, folder, 'tests');
  const entries = await readdir(tests, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => ({ folder, name, path: join(tests, name) }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Runs one test; all its mistakes are in the result. */
export async function runCase(site: LoadedSite, golden: GoldenCase): Promise<GoldenResult> {
  const expected = await readExpected(golden);
  const input = join(golden.path, 'input.yaml');
  try {
    const set = previewMapping({ site, input: await readFacts({ file: input }) });
    const made = nameFiles(set.documents);
    const findings = validateDocuments([...made].map(([name, { resource, fullUrl }]) => ({ name, resource, fullUrl })));
    return {
      ...golden,
      files: compareFiles({ expected, made }),
      problems: [
        ...set.unmapped.map(explainUnmapped),
        ...findings.filter(({ isError }) => isError).map(({ text }) => text),
      ],
    };
  } catch (thrown) {
    return { ...golden, files: [], problems: [explainFailure(thrown)] };
  }
}

/** Replaces the expected documents by the current ones. */
export async function acceptResult({ path, files }: GoldenResult): Promise<void> {
  const folder = join(path, 'expected');
  for (const { name, status, got } of files) {
    if (status === 'same') continue;
    await mkdir(folder, { recursive: true });
    if (status === 'gone') await rm(join(folder, name));
    else await writeFile(join(folder, name), json(got));
  }
}

/** Names files `composition.json`, or numbered if a document is made several times: `condition-1.json`. */
export function nameFiles<Document extends Pick<MappedDocument, 'document'>>(
  documents: readonly Document[],
): ReadonlyMap<string, Document> {
  const byName = Object.entries(Object.groupBy(documents, ({ document }) => document));
  const named = byName.flatMap(([name, same = []]) =>
    same.map(
      (document, index) => [same.length === 1 ? `${name}.json` : `${name}-${index + 1}.json`, document] as const,
    ),
  );
  return new Map(named);
}

type ExpectedFiles = ReadonlyMap<string, { readonly value: unknown } | undefined>;

/** The expected documents by file name; undefined for a file that is not JSON. */
async function readExpected({ path }: GoldenCase): Promise<ExpectedFiles> {
  const folder = join(path, 'expected');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json')).toSorted();
  const read = names.map(async (name) => [name, parseJson(await readFile(join(folder, name), 'utf8'))] as const);
  return new Map(await Promise.all(read));
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

type Comparison = { readonly expected: ExpectedFiles; readonly made: ReadonlyMap<string, MappedDocument> };

function compareFiles({ expected, made }: Comparison): readonly GoldenFile[] {
  const names = [...new Set([...made.keys(), ...expected.keys()])];
  return names.map((name) => {
    const document = made.get(name);
    const before = expected.get(name);
    if (document === undefined) return { name, status: 'gone', expected: before?.value };
    // As JSON would store it, without undefined members.
    const got: unknown = JSON.parse(JSON.stringify(document.resource));
    if (before === undefined) return { name, status: expected.has(name) ? 'broken' : 'new', got };
    const status = isDeepStrictEqual(before.value, got) ? 'same' : 'differs';
    return { name, status, expected: before.value, got };
  });
}
