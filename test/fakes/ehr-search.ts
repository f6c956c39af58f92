// The few search parameters that the product uses, on resources in memory.
import type { Resource } from '@medplum/fhirtypes';
import type { Identity } from '../../src/domain/chart/identity.ts';
import { carries } from './ehr-store.ts';

/** `system|value`; a backslash escapes the separators. */
export function identityOf(token: string): Identity | undefined {
  const [, system, value] = /^((?:\\.|[^\\|])*)\|(.*)$/s.exec(token) ?? [];
  return system === undefined || value === undefined ? undefined : { system: textOf(system), value: textOf(value) };
}

function textOf(escaped: string): string {
  return escaped.replace(/\\(.)/gs, '$1');
}

const REFERENCE_PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  patient: ['patient', 'subject', 'for'],
  subject: ['subject'],
  encounter: ['encounter', 'context'],
};

/** All parameters and all their values must match; of the parts of one value between commas, any one. */
export function matches(resource: Resource, parameters: Readonly<Record<string, string | readonly string[]>>): boolean {
  return Object.entries(parameters).every(([name, wanted]) =>
    [wanted].flat().every((one) => fits(resource, name, one)),
  );
}

function fits(resource: Resource, name: string, wanted: string): boolean {
  if (name === '_count' || name === '_sort' || name === '_lastUpdated' || name === 'date') return true;
  if (name === '_id') return wanted.split(',').includes(resource.id ?? '');
  if (name === 'identifier' || name === '_tag') {
    const identity = identityOf(wanted);
    return identity !== undefined && carries(resource, identity);
  }
  const elements = new Map<string, unknown>(Object.entries(resource));
  const references = REFERENCE_PARAMETERS[name];
  if (references) {
    const text = JSON.stringify(references.map((element) => elements.get(element)));
    return wanted.split(',').some((one) => text.includes(`/${one.split('/').at(-1)}"`));
  }
  const element = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  if (!elements.has(element)) return false;
  const codes = JSON.stringify(elements.get(element));
  return wanted.split(',').some((one) => codes.includes(`"${one.split('|').at(-1)}"`));
}
