// Validates documents as FHIR and formats the findings by document and element.
import { validateResources } from '../../validation/validate-resource.ts';

export type ValidatedDocument = {
  /** Prefix of each finding: `condition-1.json`. */
  readonly name: string;
  readonly resource: unknown;
  /** The reference by which other documents of the set point to this one. */
  readonly fullUrl?: string;
};

export type Finding = {
  readonly document: string;
  readonly element: string;
  readonly message: string;
  /** A finding that is no error is a warning and does not stop a write. */
  readonly isError: boolean;
  readonly text: string;
};

/** With `isPart`, references to documents of the set that are not among these are accepted. */
export function validateDocuments(
  documents: readonly ValidatedDocument[],
  { isPart = false } = {},
): readonly Finding[] {
  const fullUrls = documents.map(({ fullUrl }) => fullUrl);
  const resources = documents.map(({ resource }) => resource);
  return validateResources(resources, { fullUrls, isPart }).map(({ resource, element, message, severity }) => {
    const document = documents[resource]?.name ?? '';
    const isError = severity === 'error';
    const text = `${document}: ${element} ${message}${isError ? '' : ' (a warning)'}`;
    return { document, element, message, isError, text };
  });
}
