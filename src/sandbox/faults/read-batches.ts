// A batch that only reads meets the faults with each of its entries, as if each were a request of its own; the answers are put together
// to the answer of the batch.
import { entriesOf, type FaultRequest, type Json, type Next, type Reply, readKind, readReply } from './exchange.ts';

/** The entries as requests of their own; none if this is no such batch. */
export function partsOfBatch(request: FaultRequest): readonly FaultRequest[] {
  if (!request.kind.isReadBatch) return [];
  const { 'content-type': _, 'content-length': __, ...headers } = request.headers;
  return entriesOf(request.json).map((entry) => {
    const [relative = '', query = ''] = String(entry.request['url']).split('?');
    const path = `${request.path.replace(/\/$/, '')}/${relative}`;
    const kind = readKind('GET', path, undefined);
    return { method: 'GET', path, query, headers, body: Buffer.alloc(0), json: undefined, kind };
  });
}

/** An answer that does not arrive, or only in part, takes the whole batch with it. */
export async function answerInParts(parts: readonly FaultRequest[], answerOf: Next): Promise<Reply> {
  const replies = await Promise.all(parts.map(answerOf));
  const broken = replies.find(({ delivery }) => delivery !== undefined);
  const entry = await Promise.all(replies.map(asEntry));
  const body = JSON.stringify({ resourceType: 'Bundle', type: 'batch-response', entry });
  const headers = { 'content-type': 'application/fhir+json' };
  return { status: 200, headers, body, ...(broken?.delivery && { delivery: broken.delivery }) };
}

async function asEntry(original: Reply): Promise<Json> {
  const { json, reply } = await readReply(original);
  const isError = reply.status >= 400;
  return {
    response: { status: String(reply.status), ...(isError && json && { outcome: json }) },
    ...(!isError && json && { resource: json }),
  };
}
