// Checks whether a client's resource is valid FHIR R4: known elements, cardinalities, types, formats and codes of required bindings. Invariants,
// references and narratives are not checked.
import { validationRegexes } from '@medplum/core';
import type { OperationOutcome, OperationOutcomeIssue } from '@medplum/fhirtypes';
import { type ElementRule, isPrimitive, isResource, rulesOf, type TypeRules } from './element-rules.ts';
import { isOfRequired, requiredCodes } from './required-codes.ts';
import { isObject, type Json } from './resource-values.ts';

type Issue = { readonly code: OperationOutcomeIssue['code']; readonly text: string; readonly place: string };
type Place = { readonly place: string; readonly depth: number };

/** The number of problems in one answer. */
const MAX_ISSUES = 20;
const MAX_DEPTH = 50;

/** Returns undefined for a valid resource. The first call for a type takes some milliseconds, the very first about fifty. */
export function refusalOfResource(resource: Json): OperationOutcome | undefined {
  const type = String(resource['resourceType']);
  const issues = resourceIssues(resource, { place: type, depth: 0 }).slice(0, MAX_ISSUES);
  if (issues.length === 0) return undefined;
  return {
    resourceType: 'OperationOutcome',
    issue: issues.map(({ code, text, place }) => ({
      severity: 'error',
      code,
      details: { text },
      expression: [place],
    })),
  };
}

function resourceIssues(value: unknown, at: Place): readonly Issue[] {
  const type = isObject(value) ? value['resourceType'] : undefined;
  const rules = typeof type === 'string' ? rulesOf(type) : undefined;
  if (!isObject(value) || !rules || !isResource(rules)) return [issue('structure', 'Not a resource of FHIR R4', at)];
  const { resourceType: _, ...rest } = value;
  return objectIssues(rest, rules, at);
}

function objectIssues(value: Json, rules: TypeRules, at: Place): readonly Issue[] {
  if (at.depth > MAX_DEPTH) return [issue('too-costly', 'Nested too deeply', at)];
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  if (names.length === 0) return [issue('structure', 'Invalid empty object', at)];
  const found = names.flatMap((name) => {
    const below = { place: `${at.place}.${name}`, depth: at.depth + 1 };
    const rule = rules.get(name);
    if (rule) return memberIssues(value[name], rule, below);
    const sibling = name.startsWith('_') ? rules.get(name.slice(1)) : undefined;
    if (sibling && isPrimitive(sibling.type)) return siblingIssues(value[name], sibling, below);
    return [issue('structure', 'Unknown element', below)];
  });
  return [...found, ...choiceIssues(new Set(names.map((name) => name.replace(/^_/, ''))), rules, at)];
}

/** Reports missing required elements and choice elements with two values. */
function choiceIssues(names: ReadonlySet<string>, rules: TypeRules, at: Place): readonly Issue[] {
  const byElement = Map.groupBy(rules.values(), ({ element }) => element);
  return [...byElement].flatMap(([element, alternatives]) => {
    const there = alternatives.filter(({ name }) => names.has(name));
    const below = { ...at, place: `${at.place}.${element}` };
    if (there.length > 1) return [issue('structure', 'Only one type of it may be there', below)];
    const isMissing = there.length === 0 && alternatives.some(({ isRequired }) => isRequired);
    return isMissing ? [issue('required', 'Missing required property', below)] : [];
  });
}

function memberIssues(member: unknown, rule: ElementRule, at: Place): readonly Issue[] {
  if (rule.isList !== Array.isArray(member)) {
    return [issue('structure', rule.isList ? 'Expected array of values' : 'Expected single value', at)];
  }
  if (!Array.isArray(member)) return valueIssues(member, rule, at);
  if (member.length === 0) return [issue('structure', 'Invalid empty array', at)];
  return member.flatMap((one: unknown, index) => {
    const below = { ...at, place: `${at.place}[${index}]` };
    // The extension of a primitive can replace its value.
    return one === null && isPrimitive(rule.type) ? [] : valueIssues(one, rule, below);
  });
}

function valueIssues(value: unknown, { type, valueSet }: ElementRule, at: Place): readonly Issue[] {
  if (isPrimitive(type)) {
    const wrong = primitiveProblem(type, value);
    return wrong === undefined ? codeIssues(value, valueSet, at) : [issue('structure', wrong, at)];
  }
  if (type === 'Resource') return resourceIssues(value, at);
  if (!isObject(value)) return [issue('structure', `Invalid JSON type: expected ${type}`, at)];
  const rules = rulesOf(type);
  return [...(rules ? objectIssues(value, rules, at) : []), ...codeIssues(value, valueSet, at)];
}

function codeIssues(value: unknown, valueSet: string | undefined, at: Place): readonly Issue[] {
  const codes = valueSet === undefined ? undefined : requiredCodes(valueSet);
  if (!codes || isOfRequired(codes, value)) return [];
  return [issue('code-invalid', `Not a code of ${valueSet}`, at)];
}

/** Checks the ids and extensions of primitives. */
function siblingIssues(sibling: unknown, { isList }: ElementRule, at: Place): readonly Issue[] {
  if (isList !== Array.isArray(sibling)) return [issue('structure', 'It must be as its values are', at)];
  const rules = rulesOf('Element');
  return [sibling].flat().flatMap((one) => {
    if (one === null && isList) return [];
    return isObject(one) && rules ? objectIssues(one, rules, at) : [issue('structure', 'Expected an Element', at)];
  });
}

const NUMBERS: Readonly<Record<string, (value: number) => boolean>> = {
  decimal: Number.isFinite,
  integer: Number.isInteger,
  unsignedInt: (value) => Number.isInteger(value) && value >= 0,
  positiveInt: (value) => Number.isInteger(value) && value > 0,
};

function primitiveProblem(type: string, value: unknown): string | undefined {
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : 'Invalid JSON type: expected boolean';
  const isNumber = NUMBERS[type];
  if (isNumber) return typeof value === 'number' && isNumber(value) ? undefined : `Invalid ${type} value`;
  if (typeof value !== 'string') return 'Invalid JSON type: expected string';
  if (value.trim() === '') return 'Invalid empty string';
  const format = validationRegexes[type];
  return format && !format.test(value) ? `Invalid ${type} format` : undefined;
}

function issue(code: Issue['code'], text: string, { place }: Place): Issue {
  return { code, text, place };
}
