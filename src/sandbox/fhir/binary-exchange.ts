// Reads and writes Binaries: as raw bytes, or as JSON with the bytes in base64. Long ones are streamed.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { OperationOutcome } from '@medplum/fhirtypes';
import { inMemory, toBase64 } from './binary-shelf.ts';
import { type Answer, readBytes } from './http-exchange.ts';
import type { Mutex } from './mutex.ts';
import { outcome } from './outcomes.ts';
import type { VersionedStore } from './sandbox-store.ts';
import type { StoredResource } from './store-records.ts';

const MAX_BINARY_BYTES = 256 * 1_048_576;

type BinaryParts = {
  readonly request: IncomingMessage;
  readonly store: VersionedStore;
  readonly author: string;
  readonly mutex: Mutex;
};

/** Returns undefined if the Binary does not exist; the other handlers answer then. */
export function readBinary(id: string, { request, store }: Pick<BinaryParts, 'request' | 'store'>): Answer | undefined {
  const resource = store.current('Binary', id);
  if (!resource) return undefined;
  const { data } = resource;
  const kept = store.bytes(id) ?? inMemory(Buffer.from(typeof data === 'string' ? data : '', 'base64'));
  const contentType = String(resource['contentType']);
  const headers = { etag: `W/"${resource.meta.versionId}"`, 'last-modified': httpDate(resource) };
  // Ranges are ignored: the whole content is sent.
  if (/application\/(fhir\+)?json/i.test(request.headers.accept ?? '')) {
    const body = asJson(resource, kept.open());
    return { status: 200, headers: { ...headers, 'content-type': 'application/fhir+json; charset=utf-8' }, body };
  }
  const length = { 'content-length': String(kept.sizeBytes) };
  return { status: 200, headers: { ...headers, ...length, 'content-type': contentType }, body: kept.open() };
}

export async function takeRawBinary(
  parts: BinaryParts,
  id?: string,
): Promise<{ readonly resource: StoredResource } | OperationOutcome> {
  const { request, store, author, mutex } = parts;
  const contentType = request.headers['content-type'];
  if (contentType === undefined) return outcome('required', 'The content type is missing');
  const bytes = await readBytes(request, MAX_BINARY_BYTES);
  const method = id === undefined ? 'POST' : 'PUT';
  const kept = await store.storeBytes(bytes);
  const work = async () => {
    const given = { resourceType: 'Binary', id: id ?? randomUUID(), contentType };
    const resource = store.write(given, { method, author, hasNewBytes: true });
    store.putBytes(resource.id, kept);
    return { resource };
  };
  return mutex.run(() => store.undo.run(work));
}

export function httpDate({ meta }: StoredResource): string {
  return new Date(meta.lastUpdated).toUTCString();
}

async function* asJson(resource: StoredResource, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const { data: _, ...rest } = resource;
  yield `${JSON.stringify(rest).slice(0, -1)},"data":"`;
  yield* toBase64(bytes);
  yield '"}';
}
