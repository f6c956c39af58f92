// Validates resources before they leave: structure, formats, codes, references, narratives, invariants, and unique identifiers. It
// reports all problems, quotes nothing of the resources, and throws for no input. The first call is slow: use it through
// open-validator.ts, which runs it in a thread of its own.
import { loadCodeSets } from './code-sets.ts';
import { type Definitions, loadDefinitions } from './definitions.ts';
import { checkInvariants } from './invariants.ts';
import { makeReport, type Report, type ResourceProblem } from './resource-problem.ts';
import { sizeProblems } from './resource-size.ts';
import { type Walk, walkResource } from './walk-resource.ts';

export type SetOptions = {
  /** By position: the URL by which the other resources of the set refer to it. A resource without one is found by its id. */
  readonly fullUrls?: readonly (string | undefined)[];
  /** These resources are only a part of the set: a urn that none of them has is no mistake. */
  readonly isPart?: boolean;
};

type Subject = {
  readonly resource: unknown;
  /** Undefined if FHIR R4 has no such type. */
  readonly type: string | undefined;
  readonly fullUrl: string | undefined;
  readonly report: Report;
};

export function validateResources(
  resources: readonly unknown[],
  { fullUrls = [], isPart = false }: SetOptions = {},
): readonly ResourceProblem[] {
  const definitions = loadDefinitions();
  const sizes = sizeProblems(resources);
  const subjects = resources.map((resource, index): Subject => {
    const type = textAt(resource, 'resourceType');
    const isKnown = type !== undefined && definitions.isResourceType(type);
    return { resource, type: isKnown ? type : undefined, fullUrl: fullUrls[index], report: makeReport(index) };
  });
  for (const [index, { type = 'Resource', report }] of subjects.entries()) {
    const size = sizes[index];
    if (size !== undefined) report.error(type, size);
  }
  const readable = subjects.filter((_, index) => sizes[index] === undefined);
  const targets = {
    byUrn: typesByUrn(readable, definitions),
    isWholeSet: !isPart && readable.length === subjects.length,
  };
  const walk = { definitions, codeSets: loadCodeSets(), targets };
  for (const subject of readable) check(subject, { ...walk, report: subject.report });
  reportTwins(readable);
  return subjects.flatMap(({ report }) => report.problems());
}

function check({ resource, type, report }: Subject, walk: Walk): void {
  try {
    walkResource(walk, resource);
    if (type !== undefined) checkInvariants(resource, type, report);
  } catch {
    // What was thrown could quote the resource.
    report.error(type ?? 'Resource', 'could not be checked');
  }
}

/** The types of the resources of a set, by the URLs with which they refer to each other. */
function typesByUrn(subjects: readonly Subject[], definitions: Definitions): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const { resource, type, fullUrl } of subjects) {
    if (type === undefined) continue;
    const id = textAt(resource, 'id');
    if (id !== undefined) types.set(`urn:uuid:${id}`, type);
    if (fullUrl !== undefined) types.set(fullUrl, type);
    for (const entry of type === 'Bundle' ? listAt(resource, 'entry') : []) {
      const [url, inner] = [textAt(entry, 'fullUrl'), textAt(memberOf(entry, 'resource'), 'resourceType')];
      if (url !== undefined && inner !== undefined && definitions.isResourceType(inner)) types.set(url, inner);
    }
  }
  return types;
}

/** Identifiers must be unique: an EHR that is searched for one must find one resource. */
function reportTwins(subjects: readonly Subject[]): void {
  const owners = new Map<string, Subject>();
  for (const subject of subjects) {
    const { resource, type } = subject;
    if (type === undefined) continue;
    const identifier = memberOf(resource, 'identifier');
    const isList = Array.isArray(identifier);
    for (const [index, each] of (isList ? identifier : [identifier]).entries()) {
      const value = textAt(each, 'value');
      if (value === undefined) continue;
      const key = JSON.stringify([type, textAt(each, 'system'), value]);
      const owner = owners.get(key) ?? subject;
      owners.set(key, owner);
      const element = isList ? `${type}.identifier[${index}]` : `${type}.identifier`;
      if (owner !== subject) subject.report.error(element, `another ${type} of this set has the same identifier`);
    }
  }
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

function textAt(value: unknown, key: string): string | undefined {
  const member = memberOf(value, key);
  return typeof member === 'string' ? member : undefined;
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const member = memberOf(value, key);
  return Array.isArray(member) ? member : [];
}
