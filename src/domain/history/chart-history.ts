// Writes the facts of a chart for a diagnosis as a compact text: the patient, then one line per fact with its source. The same chart gives the
// same text. Facts that do not fit are left out as whole lines, the least important first.
import type { Encounter, Patient, Resource } from '@medplum/fhirtypes';
import { listOf } from '../raw-members.ts';
import { factLine, lineOf } from './chart-lines.ts';
import { conceptPhrase, isDefined } from './chart-text.ts';
import { visitOf } from './visit.ts';

export const CHART_GROUPS = ['allergies', 'conditions', 'medications', 'observations', 'reports'] as const;
export type ChartGroup = (typeof CHART_GROUPS)[number];

export type HistoryParts = {
  readonly encounter: Encounter;
  readonly patient: Patient;
  /** Each in the order in which it is written. */
  readonly groups: Readonly<Partial<Record<ChartGroup, readonly Resource[]>>>;
  readonly timeZone: string;
  /** Used if the encounter has no start. */
  readonly now: Date;
  readonly maxCharacters: number;
};

export type History = {
  readonly text: string;
  /** The resources that have a line. */
  readonly included: ReadonlySet<Resource>;
  /** The number of facts that did not fit. */
  readonly leftOut: number;
  /** The number of resources without a name or a value. */
  readonly unusable: number;
};

/** Allergies come first, so that they are never cut. */
export function writeHistory(parts: HistoryParts): History {
  const { groups, maxCharacters } = parts;
  const lines = [patientLine(parts), reasonLine(parts.encounter)].filter(isDefined);
  let left = maxCharacters - lines.reduce((sum, line) => sum + line.length + 1, 0);
  const included = new Set<Resource>();
  let [leftOut, unusable] = [0, 0];
  for (const resource of CHART_GROUPS.flatMap((group) => groups[group] ?? [])) {
    const line = lineOf(resource, referenceOf(resource));
    if (line === undefined) {
      unusable += 1;
      continue;
    }
    // After the first line that does not fit no further line is added: a shorter, less important one must not replace it.
    if (leftOut > 0 || line.length + 1 > left) {
      leftOut += 1;
      continue;
    }
    lines.push(line);
    included.add(resource);
    left -= line.length + 1;
  }
  return { text: lines.join('\n'), included, leftOut, unusable };
}

function referenceOf({ resourceType, id }: Resource): string {
  return `${resourceType}/${id}`;
}

function patientLine(parts: HistoryParts): string | undefined {
  const { age, sex } = visitOf(parts);
  if (age === undefined && sex === undefined) return undefined;
  return factLine('Patient', [age, sex], referenceOf(parts.patient));
}

function reasonLine(encounter: Encounter): string | undefined {
  const reasons = listOf(encounter, 'reasonCode')
    .slice(0, 5)
    .map((reason) => conceptPhrase(reason));
  const said = reasons.filter(isDefined);
  return said.length === 0
    ? undefined
    : factLine('Reason for the encounter', [said.join('; ')], referenceOf(encounter));
}
