// Sends requests to /ops as the operator, as a reviewer, or without a key.
import { expect } from '@jest/globals';
import { errorResponse } from '../../../../src/inbound/http/api/response-schemas.ts';
import { OPERATOR_KEY, type OpsEngine } from './ops-engine.ts';

export type Ask = {
  readonly body?: unknown;
  /** Default: the key of the operator. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Answered = {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its answer
  readonly answer: any;
  readonly headers: Headers;
};

/** Sends a request such as `GET /runs`. Every error must have the documented body. */
export async function askOps(engine: OpsEngine, request: string, ask: Ask = {}): Promise<Answered> {
  const { body, key = OPERATOR_KEY, headers = {} } = ask;
  const [method = '', path = ''] = request.split(' ');
  const response = await fetch(`${engine.baseUrl}/ops${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer = text.startsWith('{') ? JSON.parse(text) : undefined;
  expect(response.headers.get('cache-control')).toBe('no-store');
  if (response.status >= 400) expect(errorResponse.safeParse(answer).error).toBeUndefined();
  return { status: response.status, answer, headers: response.headers };
}
