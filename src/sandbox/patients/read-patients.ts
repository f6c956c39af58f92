// Reads the encounters to rehearse with, a file each. All or nothing, and every problem at once, with its file and line.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { PATIENT_FILE } from './patient-schema.ts';
import type { SandboxPatient } from './sandbox-patient.ts';

export type PatientFile = {
  /** `en-common-cold.yaml` */
  readonly name: string;
  readonly text: string;
};

export type PatientProblem = { readonly name: string; readonly line: number; readonly message: string };

type Read = { readonly patient: SandboxPatient } | { readonly problems: readonly PatientProblem[] };

/** In the order of their names. Throws with all problems where there are any. */
export function readPatients(folder: string = import.meta.dirname): readonly SandboxPatient[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  const files = names.toSorted().map((name) => ({ name, text: readFileSync(path.join(folder, name), 'utf8') }));
  const read = parsePatients(files);
  if ('patients' in read) return read.patients;
  const told = read.problems.map(({ name, line, message }) => `${name}:${line}: ${message}`);
  throw new Error(`The patients of the sandbox have ${told.length} problems:\n${told.join('\n')}`);
}

export function parsePatients(
  files: readonly PatientFile[],
): { readonly patients: readonly SandboxPatient[] } | { readonly problems: readonly PatientProblem[] } {
  const read = files.map(parsePatient);
  const problems = read.flatMap((one) => ('problems' in one ? one.problems : []));
  if (problems.length > 0) return { problems };
  return { patients: read.flatMap((one) => ('patient' in one ? [one.patient] : [])) };
}

function parsePatient({ name, text }: PatientFile): Read {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problem = (offset: number, message: string) => ({
    name,
    line: Math.max(1, lines.linePos(offset).line),
    message,
  });
  if (document.errors.length > 0) {
    return { problems: document.errors.map(({ pos, message }) => problem(pos[0], message)) };
  }
  const read = PATIENT_FILE.safeParse(document.toJS({ maxAliasCount: 0 }));
  if (!read.success) {
    return {
      problems: read.error.issues.map((issue) => problem(offsetOf(document.contents, issue.path), messageOf(issue))),
    };
  }
  const patient = read.data;
  if (`${patient.id}.yaml` === name && patient.id.startsWith(`${patient.language}-`)) return { patient };
  const message = 'id: is the name of the file, and begins with its language';
  return { problems: [problem(offsetOf(document.contents, ['id']), message)] };
}

function messageOf({ path: place, message }: z.core.$ZodIssue): string {
  return place.length === 0 ? message : `${place.join('.')}: ${message}`;
}

/** Of a key or an item; of what is around it where it is not there. */
function offsetOf(contents: unknown, place: readonly PropertyKey[]): number {
  let [node, offset]: [unknown, number] = [contents, 0];
  for (const step of place) {
    if (!isNode(node) || !('items' in node)) break;
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === step) : undefined;
    const next: unknown = isMap(node) ? pair?.value : node.items[Number(step)];
    if (!isNode(next)) break;
    offset = (pair && isNode(pair.key) ? pair.key.range?.[0] : next.range?.[0]) ?? offset;
    node = next;
  }
  return offset;
}
