// Reads the reference and the version of a resource from all the places where servers put them.
import type { StoredResource } from '../../ports/ehr.ts';
import { isResource, type JsonObject, objectAt, textAt } from './json.ts';

export type Whereabouts = { readonly reference: string; readonly version?: string };

/** Wider than FHIR's own rule (64 letters, digits, `-`, `.`): there are servers that break it. Nothing that changes an address. */
const ID = '(?!\\.{1,2}(?:$|/))[A-Za-z0-9._~-]{1,128}';
const REFERENCE = new RegExp(`^([A-Z][A-Za-z]{1,60})/(${ID})$`);
const LOCATION = new RegExp(`(?:^|/)([A-Z][A-Za-z]{1,60})/(${ID})(?:/_history/(${ID}))?/?$`);
/** The characters that a quoted header value allows. */
const VERSION = /^[\x21\x23-\x7e]{1,128}$/;

export function splitReference(reference: string): { readonly type: string; readonly id: string } | undefined {
  const [, type, id] = REFERENCE.exec(reference) ?? [];
  return type !== undefined && id !== undefined ? { type, id } : undefined;
}

/** Of `Location` and `response.location`: relative or absolute, with or without `_history`. Servers behind proxies give other hosts. */
export function fromLocation(location: string | null | undefined, type: string): Whereabouts | undefined {
  const path = (location ?? '').split(/[?#]/, 1)[0] ?? '';
  const [, found, id, version] = LOCATION.exec(path) ?? [];
  if (found !== type || id === undefined) return undefined;
  return { reference: `${type}/${id}`, ...(version !== undefined && { version }) };
}

export function fromResource(resource: JsonObject | undefined, type: string): Whereabouts | undefined {
  const id = textAt(resource, 'id');
  if (id === undefined || textAt(resource, 'resourceType') !== type) return undefined;
  const reference = `${type}/${id}`;
  if (splitReference(reference) === undefined) return undefined;
  const version = usableVersion(textAt(objectAt(resource, 'meta'), 'versionId'));
  return { reference, ...(version !== undefined && { version }) };
}

/** `W/"3"`, `"3"`, and what some send: `3`. */
export function fromEtag(etag: string | null | undefined): string | undefined {
  const [, quoted, bare] = /^\s*(?:W\/)?(?:"([^"]*)"|([^"\s]+))\s*$/.exec(etag ?? '') ?? [];
  return usableVersion(quoted ?? bare);
}

export function usableVersion(version: string | undefined): string | undefined {
  return version !== undefined && VERSION.test(version) ? version : undefined;
}

/** Undefined if the value is no resource of that type with an id. */
export function asStored(value: unknown, type: string): StoredResource | undefined {
  if (!isResource(value)) return undefined;
  const where = fromResource(value, type);
  return where && { ...where, resource: value };
}
