// Checks references: the element may point to that type of resource, and the target is in the set.
import type { Definitions } from './definitions.ts';
import type { Report } from './resource-problem.ts';

/** The possible targets inside the set. */
export type Targets = {
  /** The resource's type by `urn:uuid:…`. */
  readonly byUrn: ReadonlyMap<string, string>;
  /** False: an unknown urn may belong to a resource of the set that was not passed. */
  readonly isWholeSet: boolean;
};

/** What a `#` in one resource can point to. */
export type Container = {
  readonly type: string;
  /** Undefined: of a type that FHIR does not know. */
  readonly byId: ReadonlyMap<string, string | undefined>;
  /** The ids that something pointed to so far; the empty one is the resource around them. */
  readonly used: Set<string>;
};

type ReferenceCheck = {
  readonly value: Readonly<Record<string, unknown>>;
  readonly element: string;
  /** Undefined: any resource. */
  readonly allowed: readonly string[] | undefined;
  readonly container: Container;
  readonly targets: Targets;
  readonly definitions: Definitions;
  readonly report: Report;
};

/** The type of the target, undefined if the reference does not name it; or the problem. */
type Found = { readonly type?: string | undefined; readonly problem?: string };

export function checkReference(check: ReferenceCheck): void {
  const { value, element, definitions, report } = check;
  const { reference, type } = value;
  if (!['reference', 'identifier', 'display', 'extension', '_reference', '_display'].some((key) => key in value)) {
    report.error(element, 'points to nothing: it needs a reference, an identifier or a display');
  }
  const found = typeof reference === 'string' ? find(reference, check) : {};
  if (found.problem !== undefined) report.error(`${element}.reference`, found.problem);
  checkAllowed(check, `${element}.reference`, found.type);
  if (typeof type !== 'string' || !isRelative(type)) return;
  if (!definitions.isResourceType(type)) report.error(`${element}.type`, 'is no type of resource that FHIR R4 knows');
  else if (found.type !== undefined && found.type !== type) {
    report.error(`${element}.type`, `says ${type}, and the reference points to a ${found.type}`);
  } else if (found.type === undefined) checkAllowed(check, `${element}.type`, type);
}

function checkAllowed({ allowed, report }: ReferenceCheck, element: string, type: string | undefined): void {
  if (type === undefined || allowed === undefined || allowed.includes(type)) return;
  report.error(element, `points to a ${type}; it may point to ${list(allowed)}`);
}

function find(reference: string, { container, targets, definitions }: ReferenceCheck): Found {
  if (reference.startsWith('#')) container.used.add(reference.slice(1));
  if (reference === '#') return { type: container.type };
  if (reference.startsWith('#')) {
    const id = reference.slice(1);
    if (container.byId.has(id)) return { type: container.byId.get(id) };
    return { problem: 'points to a contained resource that is not there' };
  }
  if (/^urn:(?:uuid|oid):/.test(reference)) {
    const type = targets.byUrn.get(reference);
    if (type !== undefined || !targets.isWholeSet) return { type };
    return { problem: 'points to a resource that is not in this set' };
  }
  const isAbsolute = !isRelative(reference);
  const type = typeIn(reference, isAbsolute);
  if (type !== undefined && definitions.isResourceType(type)) return { type };
  return isAbsolute ? {} : { problem: 'is no reference: write Type/id, with a type of resource that FHIR R4 knows' };
}

function isRelative(uri: string): boolean {
  return !/^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri);
}

/** The type in `Type/id`, `Type/id/_history/2` or `Type?search`, alone or at the end of an address. */
function typeIn(reference: string, isAbsolute: boolean): string | undefined {
  const [path = '', search] = reference.split('?');
  const parts = path.split('/');
  if (parts.at(-2) === '_history') parts.splice(-2);
  if (!isAbsolute && parts.length !== (search === undefined ? 2 : 1)) return undefined;
  const [type, id] = search === undefined ? parts.slice(-2) : [parts.at(-1)];
  return search !== undefined || /^[A-Za-z0-9\-.]{1,64}$/.test(id ?? '') ? type : undefined;
}

function list(names: readonly string[]): string {
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1)}` : (names[0] ?? '');
}
