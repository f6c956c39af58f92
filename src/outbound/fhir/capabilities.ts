// Reads an EHR's CapabilityStatement and caches it for ten minutes. An unusable statement counts as an EHR with unknown capabilities;
// only an EHR that cannot be reached is an error.
import type { EhrCapabilities, TypeCapabilities } from '../../domain/chart/ehr-capabilities.ts';
import { AppError } from '../../domain/errors.ts';
import { type FhirAnswer, jsonOf } from './fhir-answer.ts';
import type { FhirClient } from './fhir-client.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from './json.ts';

export type ReadCapabilities = (signal: AbortSignal) => Promise<EhrCapabilities>;

type Parts = { readonly reads: FhirClient<FhirAnswer>; readonly monotonicMs: () => number };

const CACHED_MS = 600_000;
const UNKNOWN_CACHED_MS = 60_000;
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
  let cached: { readonly capabilities: EhrCapabilities; readonly untilMs: number } | undefined;
  return async (signal) => {
    signal.throwIfAborted();
    if (cached && monotonicMs() < cached.untilMs) return cached.capabilities;
    const capabilities = await ask(reads, signal);
    cached = { capabilities, untilMs: monotonicMs() + (capabilities.isKnown ? CACHED_MS : UNKNOWN_CACHED_MS) };
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
    // A statement without types does not say that any type is missing.
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
    // Most servers that keep versions do not declare it.
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

/** Makes the text fit for tables and for the database. */
function plainText(text: string | undefined): string | undefined {
  const plain = text?.replace(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, ' ').trim();
  return plain ? plain.slice(0, MAX_NAME_LENGTH) : undefined;
}
