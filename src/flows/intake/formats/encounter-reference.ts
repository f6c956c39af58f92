// Reads a reference in an event: whether it names a resource of this EHR. Other addresses are never called.
import { ownReference } from '../../../domain/chart/own-reference.ts';
import { FHIR_ID } from './reading.ts';

export type EventReference =
  | { readonly kind: 'own'; readonly type: string; readonly id: string; readonly version?: string }
  /** Contained, or valid only within its message. */
  | { readonly kind: 'local' }
  /** On another server, not http, or with an invalid FHIR id. */
  | { readonly kind: 'foreign' };

const MAX_LENGTH = 2_048;
/** URL parsers silently drop or replace these characters: `Encounter/1<line end>2` would become Encounter/12. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are refused
const DECEIVING = /[\u0000-\u0020\u007f\\]/;

export function readReference(literal: string, baseUrl: string | undefined): EventReference {
  if (literal.startsWith('#') || literal.startsWith('urn:')) return { kind: 'local' };
  const [path = '', version, ...rest] = literal.split('/_history/', 3);
  const isOdd = literal.length > MAX_LENGTH || DECEIVING.test(literal) || rest.length > 0;
  if (isOdd || (version !== undefined && !FHIR_ID.test(version))) return { kind: 'foreign' };
  const [type, id] = ownReference({ reference: path }, baseUrl)?.split('/') ?? [];
  if (type === undefined || id === undefined) return { kind: 'foreign' };
  return { kind: 'own', type, id, ...(version !== undefined && { version }) };
}
