// A request of which only headers and body are stored, in the shape in which the handlers of the REST API read the one of a client.
import { Readable } from 'node:stream';
import type { Request } from 'express';
import type { JobBody } from '../../../ports/jobs.ts';

/** What an answer depends on, beside the body. */
const STORED_HEADERS = ['content-type', 'content-encoding', 'prefer'] as const;

export function headersToStore({ headers }: Pick<Request, 'headers'>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    STORED_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}

/** The readers of bodies need a stream with headers, and the routes ask for one header by its name. */
export function makeStoredRequest(headers: Readonly<Record<string, string>>, open: JobBody): Request {
  const body = Readable.from(open(), { objectMode: false });
  return Object.assign(body, { headers, get: (name: string) => headers[name.toLowerCase()] }) as unknown as Request;
}
