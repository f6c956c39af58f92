// What an EHR says that it can do, kept for ten minutes. Whatever it sends, this gives something that can be worked with: one that
// says nothing usable is an EHR that nothing is known of. Only one that cannot be reached is an error.
import type { EhrCapabilities, TypeCapabilities } from '../../domain/chart/ehr-capabilities.ts';
import { AppError } from '../../domain/errors.ts';
import { type FhirAnswer, jsonOf } from './fhir-answer.ts';
import type { FhirClient } from './fhir-client.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from './json.ts';

export type ReadCapabilities = (signal: AbortSignal) => Promise<EhrCapabilities>;

type Parts = { readonly reads: FhirClient<FhirAnswer>; readonly monotonicMs: () => number };

const KEPT_MS = 600_000;
const UNKNOWN_KEPT_MS = 60_000;
const MAX_TYPES = 500;
const MAX_PARAMETERS = 500;
const MAX_NAME_LENGTH = 100;

const UNKNOWN: EhrCapabilities = {
  software: 'unknown',
  fhirVersion: '',
  isKnown: false,
  hasTransaction: false,
  hasBatch: false,
  types: new Map(),
};

export function makeReadCapabilities({ reads, monotonicMs }: Parts): ReadCapabilities {
  let kept: { readonly capabilities: EhrCapabilities; readonly untilMs: number } | undefined;
  return async (signal) => {
    signal.throwIfAborted();
    if (kept && monotonicMs() < kept.untilMs) return kept.capabilities;
    const capabilities = await ask(reads, signal);
    kept = { capabilities, untilMs: monotonicMs() + (capabilities.isKnown ? KEPT_MS : UNKNOWN_KEPT_MS) };
    return capabilities;
  };
}

async function ask(reads: FhirClient<FhirAnswer>, signal: AbortSignal): Promise<EhrCapabilities> {
  try {
    const answer = await reads.capabilities(signal);
    return readCapabilityStatement(answer.status < 300 ? jsonOf(answer) : undefined);
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'ehrAnswer') return UNKNOWN;
    throw thrown;
  }
}

export function readCapabilityStatement(statement: JsonObject | undefined): EhrCapabilities {
  if (textAt(statement, 'resourceType') !== 'CapabilityStatement') return UNKNOWN;
  const rests = objectsAt(statement, 'rest');
  const ofServer = rests.filter((rest) => textAt(rest, 'mode') === 'server');
  const used = ofServer.length > 0 ? ofServer : rests.slice(0, 1);
  const system = new Set(used.flatMap((rest) => [...codesOf(rest)]));
  const types = used
    .flatMap((rest) => objectsAt(rest, 'resource'))
    .slice(0, MAX_TYPES)
    .flatMap((resource): [string, TypeCapabilities][] => {
      const type = plainText(textAt(resource, 'type'));
      return type === undefined ? [] : [[type, typeCapabilities(resource)]];
    });
  return {
    software: softwareOf(statement),
    fhirVersion: plainText(textAt(statement, 'fhirVersion')) ?? '',
    // One that lists no types says of none that it is missing.
    isKnown: types.length > 0,
    hasTransaction: system.has('transaction'),
    hasBatch: system.has('batch'),
    types: new Map(types),
  };
}

function typeCapabilities(resource: JsonObject): TypeCapabilities {
  const codes = codesOf(resource);
  const parameters = objectsAt(resource, 'searchParam').slice(0, MAX_PARAMETERS);
  return {
    canRead: codes.has('read'),
    canSearch: codes.has('search-type'),
    canCreate: codes.has('create'),
    canUpdate: codes.has('update'),
    hasConditionalCreate: resource['conditionalCreate'] === true,
    // Most that keep versions do not say so.
    hasVersions: textAt(resource, 'versioning') !== 'no-version',
    searchParameters: new Set(parameters.flatMap((parameter) => textAt(parameter, 'name') ?? [])),
  };
}

function codesOf(parent: JsonObject): ReadonlySet<string> {
  return new Set(objectsAt(parent, 'interaction').flatMap((interaction) => textAt(interaction, 'code') ?? []));
}

function softwareOf(statement: JsonObject | undefined): string {
  const software = objectAt(statement, 'software');
  const named = [textAt(software, 'name'), textAt(software, 'version')].map(plainText).filter(Boolean).join(' ');
  return named || plainText(textAt(statement, 'publisher')) || UNKNOWN.software;
}

/** It stands in tables and in the database. */
function plainText(text: string | undefined): string | undefined {
  const plain = text?.replace(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, ' ').trim();
  return plain ? plain.slice(0, MAX_NAME_LENGTH) : undefined;
}
