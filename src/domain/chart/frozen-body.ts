// The bytes that leave: made once, stored, and rendered the same way each time. Documents refer to each other by urns until the EHR has
// assigned ids; only these references are ever replaced.
import { createHash } from 'node:crypto';
import type { Bundle, BundleEntry, Resource } from '@medplum/fhirtypes';
import type { ChartWrite } from './chart-write.ts';
import { hasIdentifierElement } from './stamp.ts';

/** By urn: the reference that the EHR assigned. */
export type ReferenceMap = ReadonlyMap<string, string>;

export function freezeResource(resource: Resource): string {
  return JSON.stringify(resource);
}

export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** Replaces every known reference. If there is none, the bytes are those that were frozen. */
export function renderBody(body: string, references: ReferenceMap): string {
  if (!body.includes('"urn:uuid:')) return body;
  return JSON.stringify(withReferences(JSON.parse(body), references));
}

function withReferences(value: unknown, references: ReferenceMap): unknown {
  if (Array.isArray(value)) return value.map((item) => withReferences(item, references));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const known = name === 'reference' && typeof inner === 'string' ? references.get(inner) : undefined;
      return [name, known ?? withReferences(inner, references)];
    }),
  );
}

/** The urns in it that have no reference yet. */
export function openReferences(body: string, references: ReferenceMap): readonly string[] {
  return referencesIn(JSON.parse(body)).filter((urn) => !references.has(urn));
}

/** The urns that it refers to, each once. */
export function referencesIn(resource: Resource): readonly string[] {
  const urns = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    if (Array.isArray(value) || typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'reference' && typeof inner === 'string' && inner.startsWith('urn:uuid:')) urns.add(inner);
      else visit(inner);
    }
  };
  visit(resource);
  return [...urns];
}

type BundleParts = {
  readonly writes: readonly ChartWrite[];
  readonly references: ReferenceMap;
  readonly isConditional: boolean;
};

/** For new resources only. */
export function transactionBundle({ writes, references, isConditional }: BundleParts): string {
  const entry = writes.map(({ type, body, fullUrl, identity }): BundleEntry => {
    const parameter = hasIdentifierElement(type) ? 'identifier' : '_tag';
    const ifNoneExist = `${parameter}=${encodeURIComponent(`${identity.system}|${identity.value}`)}`;
    return {
      fullUrl,
      resource: JSON.parse(renderBody(body, references)),
      request: { method: 'POST', url: type, ...(isConditional && { ifNoneExist }) },
    };
  });
  const bundle: Bundle = { resourceType: 'Bundle', type: 'transaction', entry };
  return JSON.stringify(bundle);
}
