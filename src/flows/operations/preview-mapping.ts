// What a site's mappings would make of given facts: for golden tests, previews and the console. Nothing is written anywhere.

import { AppError } from '../../domain/errors.ts';
import { parseChartFacts } from '../../domain/mapping/chart-facts.ts';
import { suggest } from '../../mapping/mapping.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { type MappedDocument, type MappedSet, mapDocuments } from '../chart-writing/map-documents.ts';

type PreviewParts = {
  readonly site: LoadedSite;
  /** As somebody wrote them: checked here. */
  readonly input: unknown;
  /** Only this one; absent: all that the site writes. A name that the site does not write is made too. */
  readonly document?: string | undefined;
  readonly wantsLineage?: boolean;
};

/** `documents` are those that were asked for. */
export type PreviewedSet = MappedSet & {
  /** With the documents of the same set that they point at: what these are worth can only be said of all of them. */
  readonly all: readonly MappedDocument[];
};

/**
 * Throws an AppError `invalidRequest` for facts that cannot be used and `notFound` for a document that the site does not have, a
 * MappingError where a mapping cannot work with them.
 */
export function previewMapping({ site, input, document, wantsLineage = false }: PreviewParts): PreviewedSet {
  const facts = parseChartFacts(input, suggest);
  if (document !== undefined && !site.mappings.has(document)) throw noSuchDocument(site, document);
  const set = mapDocuments({ site, facts, also: document, wantsLineage });
  const documents = set.documents.filter((mapped) => document === undefined || mapped.document === document);
  return { ...set, documents, all: set.documents };
}

function noSuchDocument({ name, mappings }: LoadedSite, document: string): AppError {
  const suggestion = suggest(document, mappings.keys());
  const hint = suggestion === undefined ? `it has ${[...mappings.keys()].join(', ')}` : `did you mean ${suggestion}?`;
  return new AppError('notFound', `${name} has no mapping ${document}; ${hint}`);
}
