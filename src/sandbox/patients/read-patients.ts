// Reads the scenarios, one file each. Either all are read, or all problems are reported at once with file and line.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readYaml, type YamlFile, type YamlProblem } from '../../platform/yaml-file.ts';
import { PATIENT_FILE } from './patient-schema.ts';
import type { SandboxPatient } from './sandbox-patient.ts';

type Read = { readonly patient: SandboxPatient } | { readonly problems: readonly YamlProblem[] };

/** Returns the scenarios in the order of their names. Throws one error with all problems. */
export function readPatients(folder: string = import.meta.dirname): readonly SandboxPatient[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  const files = names.toSorted().map((name) => ({ path: name, text: readFileSync(path.join(folder, name), 'utf8') }));
  const read = parsePatients(files);
  if ('patients' in read) return read.patients;
  const lines = read.problems.map((problem) => `${problem.path}:${problem.line}: ${problem.message}`);
  throw new Error(`The patients of the sandbox have ${lines.length} problems:\n${lines.join('\n')}`);
}

export function parsePatients(
  files: readonly YamlFile[],
): { readonly patients: readonly SandboxPatient[] } | { readonly problems: readonly YamlProblem[] } {
  const read = files.map(parsePatient);
  const problems = read.flatMap((one) => ('problems' in one ? one.problems : []));
  if (problems.length > 0) return { problems };
  return { patients: read.flatMap((one) => ('patient' in one ? [one.patient] : [])) };
}

function parsePatient(file: YamlFile): Read {
  const { value: patient, problems, lineOf } = readYaml(file, PATIENT_FILE);
  if (patient === undefined) return { problems };
  if (`${patient.id}.yaml` === file.path && patient.id.startsWith(`${patient.language}-`)) return { patient };
  const message = 'id: is the name of the file, and begins with its language';
  return { problems: [{ path: file.path, line: lineOf(['id']), message }] };
}
