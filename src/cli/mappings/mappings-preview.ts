// The command `mappings preview` shows what a site's mappings, or any mapping file, make of an input.

import type { LineageEntry, UnmappedCode } from '../../domain/mapping/mapping.ts';
import { isObject } from '../../domain/raw-members.ts';
import { type PreviewedSet, previewMapping } from '../../flows/operations/preview-mapping.ts';
import { loadMapping } from '../../mapping/mapping.ts';
import { CliError } from '../shared/cli-error.ts';
import { json } from '../shared/command-parts.ts';
import { renderTable } from '../shared/tables.ts';
import { explainFailure, explainUnmapped } from './mappings-failure.ts';
import { chooseFolders, problemLines, readMappings } from './mappings-folders.ts';
import { nameFiles } from './mappings-golden.ts';
import { readFacts, readInput, readNamedFile } from './mappings-input.ts';
import type { MappingsParts, PreviewOptions } from './mappings-parts.ts';
import { type Finding, type ValidatedDocument, validateDocuments } from './mappings-validity.ts';

type PreviewParts = MappingsParts & PreviewOptions;

type Made = {
  /** `composition`, `condition-1`, or the name of the mapping file. */
  readonly name: string;
  readonly result: unknown;
  readonly lineage?: readonly LineageEntry[];
};

type Preview = {
  readonly made: readonly Made[];
  /** All documents that the site writes, because one may be wrong only in relation to another. */
  readonly all?: readonly ValidatedDocument[];
  readonly unmapped: readonly UnmappedCode[];
  /** True if all documents of a site are shown, not a single one. */
  readonly isSet: boolean;
};

/** Throws a CliError if the mapping fails, or with `--validate` if a document is not valid. */
export async function previewMappings(parts: PreviewParts): Promise<void> {
  const preview = parts.mapping === undefined ? await previewSite(parts) : await previewFile(parts.mapping, parts);
  const { made, unmapped } = preview;
  const findings = parts.validate ? findingsOf(preview) : undefined;
  for (const code of unmapped) parts.warn(`${explainUnmapped(code)}\n`);
  if (made.length === 0) parts.warn('the mapping made no document from this input\n');
  if (parts.wantsJson()) parts.print(json(asJson(preview, { findings, parts })));
  else if (made.length > 0) parts.print(json(resultOf(preview)) + (parts.lineage ? renderLineage(made) : ''));
  if (findings === undefined || made.length === 0) return;
  const errors = findings.filter(({ isError }) => isError);
  for (const { isError, text } of findings) if (!isError) parts.warn(`${text}\n`);
  if (errors.length > 0) throw new CliError(errors.map(({ text }) => text).join('\n'));
  parts.warn(made.length === 1 ? 'The document is valid FHIR.\n' : 'The documents are valid FHIR.\n');
}

async function previewSite(parts: PreviewParts): Promise<Preview> {
  const { site: name, document, lineage } = parts;
  const [folder] = chooseFolders(await readMappings(parts), { site: name, directory: parts.directory });
  const site = folder?.site;
  if (site === undefined) throw new CliError(problemLines(folder?.problems ?? []));
  const input = await readFacts({ file: parts.input, stdin: parts.terminal.input });
  try {
    const set = previewMapping({ site, input, document, wantsLineage: lineage === true });
    const isSet = document === undefined;
    if (document === 'notice') {
      const made = set.notice === undefined ? [] : [{ name: document, result: set.notice }];
      return { made, unmapped: set.unmapped, isSet };
    }
    const made = nameDocuments(set.documents).map(({ name, mapped: { resource, lineage } }) => ({
      name,
      result: resource,
      ...(lineage && { lineage }),
    }));
    const all = nameDocuments(set.all).map(({ name, mapped: { resource, fullUrl } }) => ({ name, resource, fullUrl }));
    return { made, all, unmapped: set.unmapped, isSet };
  } catch (thrown) {
    throw new CliError(explainFailure(thrown), { cause: thrown });
  }
}

type Named = { readonly name: string; readonly mapped: PreviewedSet['all'][number] };

function nameDocuments(documents: PreviewedSet['all']): readonly Named[] {
  return [...nameFiles(documents)].map(([file, mapped]) => ({ name: file.replace(/\.json$/, ''), mapped }));
}

async function previewFile(
  file: string,
  { input: inputFile, terminal, strict, lineage }: PreviewParts,
): Promise<Preview> {
  const text = await readNamedFile(file);
  const { value: variables, file: shown } = await readInput({ file: inputFile, stdin: terminal.input });
  if (!isObject(variables)) {
    throw new CliError(`${shown} must be an object whose top-level keys are the variables of the mapping.`);
  }
  const context = { kind: 'free', variables: Object.keys(variables), isStrict: strict } as const;
  const { mapping, problems } = loadMapping({ file, text, context });
  if (mapping === undefined || problems.length > 0) throw new CliError(problemLines(problems));
  try {
    const { value, unmapped, lineage: entries } = mapping.apply({ variables, wantsLineage: lineage === true });
    const made = value === undefined ? [] : [{ name: file, result: value, ...(entries && { lineage: entries }) }];
    return { made, unmapped, isSet: false };
  } catch (thrown) {
    throw new CliError(explainFailure(thrown), { cause: thrown });
  }
}

function findingsOf({ made, all }: Preview): readonly Finding[] {
  if (all !== undefined) {
    const names = new Set(made.map(({ name }) => name));
    return validateDocuments(all).filter(({ document }) => names.has(document));
  }
  // A mapping file outside of a site may make a list of resources.
  const documents = made.flatMap(({ name, result }) => {
    const resources = Array.isArray(result) ? result : [result];
    return resources.map((resource: unknown) => ({ name, resource }));
  });
  return validateDocuments(documents, { isPart: true });
}

/** Returns one document as it is, several as a list. */
function resultOf({ made, isSet }: Preview): unknown {
  const results = made.map(({ result }) => result);
  return isSet || results.length > 1 ? results : (results[0] ?? null);
}

type Extras = { readonly findings: readonly Finding[] | undefined; readonly parts: PreviewParts };

/** Returns the result alone, or an object with result and extras. */
function asJson(preview: Preview, { findings, parts }: Extras): unknown {
  const lineage = preview.made.flatMap((made) =>
    (made.lineage ?? []).map((entry) => ({ document: made.name, ...entry })),
  );
  const problems = findings?.map(({ text, ...finding }) => finding);
  if (!parts.lineage && problems === undefined) return resultOf(preview);
  const { unmapped } = preview;
  return { result: resultOf(preview), ...(parts.lineage && { lineage }), ...(problems && { problems }), unmapped };
}

function renderLineage(made: readonly Made[]): string {
  return made
    .map(({ name, lineage = [] }) => {
      const table = renderTable(lineage, {
        ELEMENT: ({ element }) => element || '(the whole)',
        'MADE BY': ({ place: { file, line, column } }) => `${file}:${line}:${column}`,
        FROM: ({ sources }) => (sources.length > 0 ? sources.join(', ') : '(constant)'),
      });
      return `\n${made.length > 1 ? `${name}\n` : ''}${table}`;
    })
    .join('');
}
