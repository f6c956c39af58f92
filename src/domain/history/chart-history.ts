// Writes the facts of a chart for a diagnosis as a compact text: the patient, then one line per fact with its source. The same chart gives the
// same text. Facts that do not fit are left out as whole lines, the least important first.
import type { Encounter, Patient, Resource } from '@medplum/fhirtypes';
import { type Day, dayAt, daysIn, spanOf } from '../fhir-time.ts';
import { listOf } from '../raw-members.ts';
import { factLine, lineOf } from './chart-lines.ts';
import { conceptPhrase, isDefined } from './chart-text.ts';

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

function patientLine({ encounter, patient, timeZone, now }: HistoryParts): string | undefined {
  const start = spanOf(encounter.period?.start, timeZone)?.fromMs ?? now.getTime();
  const age = agePhrase(patient.birthDate, dayAt(start, timeZone));
  const sex = patient.gender === 'male' || patient.gender === 'female' ? patient.gender : undefined;
  if (age === undefined && sex === undefined) return undefined;
  return factLine('Patient', [age, sex], referenceOf(patient));
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

/** In years; in months below two years, in days below a month. Undefined if the birth date is unknown or in the future. */
function agePhrase(birthDate: unknown, today: Day): string | undefined {
  const match = typeof birthDate === 'string' ? /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(birthDate) : null;
  if (!match || spanOf(birthDate, 'UTC') === undefined) return undefined;
  const [year = 0, month, day] = match.slice(1).map((part) => (part === undefined ? undefined : Number(part)));
  if (month === undefined || day === undefined) return roughAge({ year, month }, today);
  const isMonthFull = today.day >= Math.min(day, daysIn(today.year, today.month));
  const months = (today.year - year) * 12 + today.month - month - (isMonthFull ? 0 : 1);
  if (months >= 24) return `${Math.floor(months / 12)} years old`;
  if (months >= 1) return counted(months, 'month');
  const days = daysBetween({ year, month, day }, today);
  return days < 0 ? undefined : counted(days, 'day');
}

/** Without the day of birth the age may be off by one, so the text says `about`. */
function roughAge(
  { year, month }: { readonly year: number; readonly month: number | undefined },
  today: Day,
): string | undefined {
  const months = (today.year - year) * 12 + (month === undefined ? 0 : today.month - month);
  if (months < 0) return undefined;
  if (months >= 24) return `about ${Math.floor(months / 12)} years old`;
  if (month === undefined) return 'under 2 years old';
  return months === 0 ? 'under 1 month old' : `about ${counted(months, 'month')}`;
}

function daysBetween(from: Day, to: Day): number {
  const at = ({ year, month, day }: Day) => new Date(0).setUTCFullYear(year, month - 1, day);
  return Math.round((at(to) - at(from)) / 86_400_000);
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'} old`;
}
