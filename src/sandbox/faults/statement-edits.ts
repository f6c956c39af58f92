// Removes features from a CapabilityStatement.
import type { Json } from './exchange.ts';

type EditStatement = (statement: Json) => Json;

export function withoutSystemInteraction(...codes: readonly string[]): EditStatement {
  return (statement) =>
    editRest(statement, (rest) => ({
      ...rest,
      interaction: listOf(rest['interaction']).filter(({ code }) => !codes.includes(String(code))),
    }));
}

/** Removes a type if `edit` returns undefined. */
export function withTypes(edit: (resource: Json) => Json | undefined): EditStatement {
  return (statement) =>
    editRest(statement, (rest) => ({ ...rest, resource: listOf(rest['resource']).flatMap((one) => edit(one) ?? []) }));
}

export function withoutSearchParameter(resource: Json, name: string): Json {
  return { ...resource, searchParam: listOf(resource['searchParam']).filter((one) => one['name'] !== name) };
}

export function withInteractions(resource: Json, codes: readonly string[]): Json {
  return { ...resource, interaction: codes.map((code) => ({ code })) };
}

function editRest(statement: Json, edit: (rest: Json) => Json): Json {
  return { ...statement, rest: listOf(statement['rest']).map(edit) };
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
