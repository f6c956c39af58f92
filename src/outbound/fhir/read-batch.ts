// Several GETs as one batch Bundle, and what its answer says about each. Only a 200 with the requested content counts: anything else
// in an entry is no answer, so that the caller asks for it alone. An answer that does not fit the batch is not believed at all.
import { type FhirAnswer, jsonOf } from './fhir-answer.ts';
import { isResource, type JsonObject, objectAt, objectsAt, textAt } from './json.ts';
import { fromResource, splitReference } from './references.ts';

/** By request, in order; undefined: it must be asked alone. */
export type BatchAnswers = readonly (FhirAnswer | undefined)[];

/** `urls`: relative to the base: `Patient/1`, `Condition?patient=Patient%2F1`. */
export function batchOf(urls: readonly string[]): string {
  const entry = urls.map((url) => ({ request: { method: 'GET', url } }));
  return JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry });
}

/** Undefined: it is not the answer to this batch. Its entries may be missing, in another order, or of another type. */
export function readBatch(answer: FhirAnswer, urls: readonly string[]): BatchAnswers | undefined {
  const bundle = answer.status === 200 ? jsonOf(answer) : undefined;
  const isAnswer = textAt(bundle, 'resourceType') === 'Bundle' && textAt(bundle, 'type') === 'batch-response';
  const raw = isAnswer ? bundle?.['entry'] : undefined;
  const entries = objectsAt(bundle, 'entry');
  if (!Array.isArray(raw) || raw.length !== urls.length || entries.length !== urls.length) return undefined;
  const answers: (FhirAnswer | undefined)[] = [];
  for (const [index, entry] of entries.entries()) {
    const status = statusOf(entry);
    if (status === undefined) return undefined;
    if (status !== 200) {
      answers.push(undefined);
      continue;
    }
    const json = objectAt(entry, 'resource');
    if (json === undefined || !isAnswerTo(urls[index] ?? '', json)) return undefined;
    answers.push({ status, headers: new Headers(), body: { kind: 'json', json } });
  }
  return answers;
}

/** Reads `200`, and `200 OK`. */
export function statusOf(entry: JsonObject): number | undefined {
  const [, status] = /^\s*(\d{3})(?!\d)/.exec(textAt(objectAt(entry, 'response'), 'status') ?? '') ?? [];
  return status === undefined ? undefined : Number(status);
}

function isAnswerTo(url: string, resource: JsonObject): boolean {
  const read = splitReference(url);
  if (read !== undefined) return fromResource(resource, read.type)?.reference === url;
  const [type = ''] = url.split('?', 1);
  return isSearchSetOf(type, resource);
}

function isSearchSetOf(type: string, bundle: JsonObject): boolean {
  if (textAt(bundle, 'resourceType') !== 'Bundle' || textAt(bundle, 'type') !== 'searchset') return false;
  const ownLink = textAt(
    objectsAt(bundle, 'link').find(({ relation }) => relation === 'self'),
    'url',
  );
  const linked = /(?:^|\/)([A-Z][A-Za-z]+)(?:\/_search)?(?:\?|$)/.exec(ownLink ?? '')?.[1];
  if (linked !== undefined && linked !== type) return false;
  return objectsAt(bundle, 'entry').every((entry) => {
    const mode = textAt(objectAt(entry, 'search'), 'mode') ?? 'match';
    const { resource } = entry;
    // A search may include other resources, and report problems as an OperationOutcome.
    return mode !== 'match' || !isResource(resource) || ['OperationOutcome', type].includes(resource.resourceType);
  });
}
