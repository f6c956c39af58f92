// What the operator's addresses have in common as OpenAPI: whose key they take, how their commands are written, what comes and goes as JSON.
import type { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { answerHeaders, mapValues } from './openapi-parts.ts';

export const administration: Pick<ZodOpenApiOperationObject, 'tags' | 'security'> = {
  tags: ['Administration'],
  security: [{ operatorKey: [] }],
};

/** Parts of a command that is pasted. */
export const OPERATOR = '-H "Authorization: Bearer $OPERATOR_KEY"';
export const JSON_TYPE = "-H 'Content-Type: application/json'";

export function ok(description: string, schema: z.ZodType) {
  return { description, headers: answerHeaders, content: { 'application/json': { schema } } };
}

export function body(schema: z.ZodType, values: Readonly<Record<string, unknown>>, isRequired = true) {
  return {
    required: isRequired,
    content: { 'application/json': { schema, examples: mapValues(values, (value) => ({ value })) } },
  };
}
