// Parts that the OpenAPI paths of /ops share: the security scheme, pieces of the commands, JSON bodies and answers.
import type { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { answerHeaders, mapValues } from './openapi-parts.ts';

export const administration: Pick<ZodOpenApiOperationObject, 'tags' | 'security'> = {
  tags: ['Administration'],
  security: [{ operatorKey: [] }],
};

/** Pieces of the commands in the descriptions. */
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
