// Checks codes: the code of a required binding must be in its value set; a code of one of FHIR's own systems should be in it.
import type { CodeSet, CodeSets } from './code-sets.ts';
import type { Property } from './definitions.ts';
import type { Report } from './resource-problem.ts';

type CodedValue = {
  readonly property: Property;
  readonly value: unknown;
  readonly element: string;
  readonly codeSets: CodeSets;
  readonly report: Report;
};

type Coding = { readonly system: string | undefined; readonly code: string | undefined };

/** A message lists no more codes than a person would read. */
const MAX_LISTED = 16;

/** Checks a `code`, `Coding` or `CodeableConcept`; other types have no codes. */
export function checkCodes(coded: CodedValue): void {
  const { property, value, element, codeSets, report } = coded;
  if (property.type === 'Coding' || property.type === 'Identifier') checkSystem(coded, value, element);
  if (property.requiredValueSet === undefined) return;
  const codes = codeSets.valueSet(property.requiredValueSet);
  if (codes === undefined) return;
  if (isOf(codes, property.type, value)) return;
  const wanted = describe(codes, property.requiredValueSet);
  if (property.type === 'code') report.error(element, `must be ${wanted}`);
  else if (property.type === 'Coding') report.error(element, `must be ${wanted}, with its system`);
  else report.error(element, `must have a coding that is ${wanted}, with its system`);
}

function isOf(codes: CodeSet, type: string, value: unknown): boolean {
  if (type === 'code') return typeof value !== 'string' || hasCode(codes, value);
  if (type === 'Coding') return hasCoding(codes, codingOf(value));
  return type !== 'CodeableConcept' || codingsOf(value).some((coding) => hasCoding(codes, coding));
}

function checkSystem({ codeSets, report }: CodedValue, value: unknown, element: string): void {
  const { system, code } = codingOf(value);
  if (system === undefined) return;
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(system)) {
    report.error(`${element}.system`, 'must be a whole URI, such as http://loinc.org, not a name');
  }
  const known = codeSets.codeSystem(system);
  if (code === undefined || known === undefined || known.has(code)) return;
  report.warning(`${element}.code`, `is no code of ${system} as FHIR R4 has it`);
}

function hasCode({ systems }: CodeSet, code: string): boolean {
  return systems.values().some((codes) => codes.has(code));
}

function hasCoding({ systems }: CodeSet, { system, code }: Coding): boolean {
  return system !== undefined && code !== undefined && (systems.get(system)?.has(code) ?? false);
}

function codingsOf(concept: unknown): readonly Coding[] {
  const codings = typeof concept === 'object' && concept !== null && 'coding' in concept ? concept.coding : undefined;
  return Array.isArray(codings) ? codings.map(codingOf) : [];
}

function codingOf(value: unknown): Coding {
  const { system, code } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return {
    system: typeof system === 'string' ? system : undefined,
    code: typeof code === 'string' ? code : undefined,
  };
}

function describe({ systems }: CodeSet, valueSet: string): string {
  const codes = [...systems.values()].flatMap((set) => [...set]);
  return codes.length > MAX_LISTED ? `a code of ${valueSet}` : `one of ${codes.join(', ')}`;
}
