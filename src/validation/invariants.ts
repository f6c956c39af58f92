// Checks FHIR's invariants (rules of its definitions in FHIRPath) by Medplum's validator. Its messages may quote the resource, so
// only the parts that come from the definitions are passed on.
import { OperationOutcomeError, validateResource } from '@medplum/core';
import type { OperationOutcomeIssue, Resource } from '@medplum/fhirtypes';
import type { Report } from './resource-problem.ts';

/** A multiple of four, so that base64 stays what it is. */
const MAX_TEXT = 65_536;

/** Invariants that the walk checks too, and reports at the exact element. */
const CHECKED_BY_WALK = new Set(['ras-2', 'ref-1', 'per-1']);

/** Call it for a resource of a known type, after the walk. Never throws. */
export function checkInvariants(resource: unknown, type: string, report: Report): void {
  const isSoundSoFar = !report.hasErrors();
  for (const issue of issuesOf(shorten(resource) as Resource)) {
    const element = elementOf(issue, resource, type);
    if (issue.severity !== 'error' || report.hasErrorAt(element)) continue;
    const rule = ruleOf(issue);
    if (rule !== undefined && !CHECKED_BY_WALK.has(rule.key)) {
      report.error(element, `breaks the rule ${rule.key} of FHIR: ${rule.demand}`);
    }
    // The walk checks the same with better messages; this is a second opinion if the walk found nothing.
    if (rule === undefined && isSoundSoFar) report.error(element, 'does not have the structure that FHIR demands');
  }
}

/** Medplum's validator reads texts character by character, and no invariant is about the end of a long text. */
function shorten(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? value.trimStart().slice(0, MAX_TEXT) : value;
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorten(inner)]));
}

function issuesOf(resource: Resource): readonly OperationOutcomeIssue[] {
  try {
    return validateResource(resource);
  } catch (error) {
    if (error instanceof OperationOutcomeError) return error.outcome.issue ?? [];
    // It fails on shapes that the walk has reported; for any other shape the cause is unknown.
    return [{ severity: 'error', code: 'exception' }];
  }
}

/** The key and the text of the invariant, from the definitions. */
function ruleOf({
  code,
  details,
}: OperationOutcomeIssue): { readonly key: string; readonly demand: string } | undefined {
  const [, key, demand] = (code === 'invariant' && /^Constraint (\S+) not met: (.*)$/s.exec(details?.text ?? '')) || [];
  return key === undefined || demand === undefined ? undefined : { key, demand };
}

/** The paths consist of the resource's keys, except for choices: `probability[x]`. */
function elementOf({ expression }: OperationOutcomeIssue, resource: unknown, type: string): string {
  const [, ...names] = expression?.[0]?.split('.') ?? [];
  let element = type;
  let value = resource;
  for (const step of names) {
    const [, name = '', choice, index] = /^([A-Za-z0-9_]{1,64})(\[x\])?(?:\[([0-9]+)\])?$/.exec(step) ?? [];
    const key = choice === undefined ? name : keyOfChoice(value, name);
    if (key === '') return element;
    element += index === undefined ? `.${key}` : `.${key}[${index}]`;
    value = memberOf(index === undefined ? value : memberOf(value, key), index ?? key);
  }
  return element;
}

function keyOfChoice(value: unknown, name: string): string {
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  return keys.find((key) => key.startsWith(name) && /^[A-Z][A-Za-z0-9]*$/.test(key.slice(name.length))) ?? name;
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}
