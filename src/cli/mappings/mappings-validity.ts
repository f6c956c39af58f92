// Is what was made good FHIR: the findings by document and element, in lines for a person.
import { validateResources } from '../../validation/validate-resource.ts';

export type ValidatedDocument = {
  /** In front of each finding: `condition-1.json`. */
  readonly name: string;
  readonly resource: unknown;
  /** What the other documents of the set call it. */
  readonly fullUrl?: string;
};

export type Finding = {
  readonly document: string;
  readonly element: string;
  readonly message: string;
  /** Else a warning: it may leave as it is. */
  readonly isError: boolean;
  readonly text: string;
};

/** `isPart`: references to documents of the set that are not among these are no mistake. */
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
