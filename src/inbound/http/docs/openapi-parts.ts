// Pieces that all OpenAPI endpoints share: the headers of every answer, and helpers for examples, bodies and answers.
import { z } from 'zod';
import type { ZodOpenApiContentObject } from 'zod-openapi';

const requestIdHeader = z.string().optional().meta({
  description: 'Id of this request in the log; taken from the request if the client sent one.',
});
const retryAfterHeader = z.string().optional().meta({ description: 'Seconds to wait before trying again.' });
const rateLimitHeaders = {
  'RateLimit-Policy': z
    .string()
    .optional()
    .meta({
      description: 'Requests that the plan allows in a window of seconds; absent if the plan has no such limit.',
      examples: ['"minute";q=60;w=60'],
    }),
  RateLimit: z
    .string()
    .optional()
    .meta({
      description: 'Remaining requests, and seconds until the window restarts.',
      examples: ['"minute";r=58;t=31'],
    }),
};

export const answerHeaders = z.object({ 'x-request-id': requestIdHeader });
export const limitedHeaders = z.object({ 'x-request-id': requestIdHeader, ...rateLimitHeaders });
export const retryHeaders = z.object({
  'x-request-id': requestIdHeader,
  'Retry-After': retryAfterHeader,
  ...rateLimitHeaders,
});

type Values = Readonly<Record<string, unknown>>;

export function examplesOf(values: Values) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
}

/** JSON with example values by their names. */
export function json(schema: z.ZodType, values: Values) {
  return { 'application/json': { schema, examples: examplesOf(values) } };
}

export function body(schema: z.ZodType, values: Values, isRequired = true) {
  return { required: isRequired, content: json(schema, values) };
}

export function ok(description: string, schema: z.ZodType) {
  return { description, headers: answerHeaders, content: { 'application/json': { schema } } };
}

/** An answer to a request that counts for the limits of a plan. */
export function limited(description: string, content: ZodOpenApiContentObject) {
  return { description, headers: limitedHeaders, content };
}

/**
 * The schema of bytes; zod does not validate files. It has no `type` and no `format`, so that generators of clients take a Blob or a
 * File for it, and there is no `encoding` with the list of types, because Swagger UI would send the whole list as the type of the file.
 */
export function bytes(description: string) {
  return z.unknown().meta({ description, contentMediaType: 'application/octet-stream' });
}
