// Small questions about findings that all rules ask.
import type { Ages, Finding } from './knowledge.ts';

/** True of what a patient comes with. The other kinds, circumstances and known diagnoses, are lasting. */
export function isComplaint({ kind }: Finding): boolean {
  return kind === 'complaint' || kind === 'sign';
}

export function isPregnancy({ id, implies }: Finding): boolean {
  return id === 'pregnant' || implies.includes('pregnant');
}

export function isWithin(years: number, { from, to }: Ages): boolean {
  return years >= from && years <= to;
}

/** Leaves out findings that another one implies: a productive cough is a cough. */
export function withoutImplied<S extends { readonly finding: Finding }>(all: readonly S[]): readonly S[] {
  const implied = new Set(all.flatMap(({ finding }) => finding.implies));
  return all.filter(({ finding }) => !implied.has(finding.id));
}

export function compareIds(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
