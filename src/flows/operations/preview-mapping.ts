// Maps given facts with a site's mappings, for golden tests, previews and the console. Nothing is written.

import { AppError } from '../../domain/errors.ts';
import { parseChartFacts } from '../../domain/mapping/chart-facts.ts';
import { suggest } from '../../mapping/mapping.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { type MappedDocument, type MappedSet, mapDocuments } from '../chart-writing/map-documents.ts';

type PreviewParts = {
  readonly site: LoadedSite;
  /** Hand-written facts, which are validated here. */
  readonly input: unknown;
  /** The name of one document, also one that the site does not write. Absent: all documents that the site writes. */
  readonly document?: string | undefined;
  readonly wantsLineage?: boolean;
};

/** `documents` are the requested ones. */
export type PreviewedSet = MappedSet & {
  /** All documents of the set: they can be validated only together, because of the references between them. */
  readonly all: readonly MappedDocument[];
};

/**
 * Throws an AppError `invalidRequest` for invalid facts and `notFound` for a document that the site does not have, and a MappingError if a
 * mapping fails.
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
