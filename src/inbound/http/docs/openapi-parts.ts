// Pieces that all OpenAPI paths share: the headers of every answer, and helpers for examples and descriptions.
import { z } from 'zod';

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

export function mapValues<Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

/** Adds a command that can be pasted to a description. */
export function withCommand(description: string, command: string): string {
  return `${description}\n\n\`\`\`sh\n${command}\n\`\`\``;
}
