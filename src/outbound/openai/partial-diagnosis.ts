// What may be shown of a diagnosis that is still being said. Later showings only ever extend earlier ones: codes, doses and
// whatever could mislead while it is half said appear when complete and valid, explanations grow, entries need their name.
import { CATEGORIES, ICD10_PATTERN, type PartialDiagnosis, TRIAGE_LEVELS } from '../../domain/diagnosis/diagnosis.ts';
import { hasWrongCode } from '../../domain/diagnosis/repair-diagnosis.ts';
import type { Growth, JsonNode } from './json-tree.ts';

/** Undefined: not to be shown, at least not yet. */
type Reader = (node: JsonNode) => unknown;
type Shape =
  | { readonly kind: 'leaf'; readonly read: Reader; readonly grows: boolean }
  | { readonly kind: 'list'; readonly item: Shape }
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, Shape>; readonly isNamed: boolean };

const growing: Shape = {
  kind: 'leaf',
  read: (node) => (node.kind === 'string' && node.text !== '' ? node.text : undefined),
  grows: true,
};
const whole: Shape = leaf(completeText);
const flag: Shape = leaf((node) =>
  node.kind === 'scalar' && typeof node.value === 'boolean' ? node.value : undefined,
);
const ratio: Shape = leaf((node) =>
  node.kind === 'scalar' && typeof node.value === 'number' && node.value >= 0 && node.value <= 1
    ? node.value
    : undefined,
);

const DIAGNOSIS_SHAPE = object({
  diagnosis: object({
    diseases: list(
      named({
        icd10_code: wholeWhere((text) => ICD10_PATTERN.test(text)),
        probability: ratio,
        category: wholeWhere((text) => (CATEGORIES as readonly string[]).includes(text)),
        why: growing,
        diagnostic_tests: list(whole),
        standard_care: list(named({ url: wholeWhere(isWebAddress) })),
        drugs: list(named({ class: whole, dosage: whole, considerations: whole, first_line: flag })),
      }),
    ),
  }),
  triage: object({
    triage_level: wholeWhere((text) => (TRIAGE_LEVELS as readonly string[]).includes(text)),
    triage_justification: growing,
    triage_recommendation: growing,
  }),
});

/** For one answer: it remembers which of its codes belong to another disease than the name. Such a code is never shown. */
export function makePartialDiagnosis(): (root: JsonNode | undefined) => PartialDiagnosis {
  const judged = new Map<string, boolean>();
  const isWrong: IsWrongCode = (name, code) => {
    const key = JSON.stringify([name, code]);
    const known = judged.get(key) ?? hasWrongCode({ name, icd10_code: code });
    judged.set(key, known);
    return known;
  };
  return (root) => withoutWrongCodes(toPartialDiagnosis(root), isWrong);
}

type IsWrongCode = (name: string, code: string) => boolean;

function withoutWrongCodes(partial: PartialDiagnosis, isWrong: IsWrongCode): PartialDiagnosis {
  const diseases = partial.diagnosis?.diseases?.map((disease) => {
    const { icd10_code: code, ...rest } = disease;
    return code !== undefined && disease.name !== undefined && isWrong(disease.name, code) ? rest : disease;
  });
  return diseases === undefined ? partial : { ...partial, diagnosis: { ...partial.diagnosis, diseases } };
}

/** Without judging the codes. */
export function toPartialDiagnosis(root: JsonNode | undefined): PartialDiagnosis {
  return (root && (project(root, DIAGNOSIS_SHAPE) as PartialDiagnosis | undefined)) ?? {};
}

/** Whether any of this shows. Looks at the changed nodes and what they hang on, never at the whole tree. */
export function isAnyShown({ grown, ended }: Growth): boolean {
  return (
    grown.some((node) => {
      const shape = shapeAt(node);
      return shape?.kind === 'leaf' && shape.grows;
    }) ||
    ended.some((node) => {
      const shape = shapeAt(node);
      if (shape?.kind !== 'leaf') return shape !== undefined && isEmptyList(node);
      return !shape.grows && shape.read(node) !== undefined;
    })
  );
}

/** A link that may be passed on: http or https, nothing else. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

function project(node: JsonNode, shape: Shape): unknown {
  if (shape.kind === 'leaf') return shape.read(node);
  if (shape.kind === 'list') return projectList(node, shape.item);
  if (node.kind !== 'object' || (shape.isNamed && !hasName(node))) return undefined;
  const shown: Record<string, unknown> = {};
  let isAnyThere = false;
  for (const [key, field] of shape.fields) {
    const member = node.members.get(key);
    const value = member && project(member, field);
    if (value === undefined) continue;
    shown[key] = value;
    isAnyThere = true;
  }
  return isAnyThere ? shown : undefined;
}

function projectList(node: JsonNode, item: Shape): unknown {
  if (node.kind !== 'array') return undefined;
  const shown: unknown[] = [];
  for (const entry of node.items) {
    const value = project(entry, item);
    // Nothing is shown behind an entry that does not show: it could appear later, in the middle.
    if (value === undefined) break;
    shown.push(value);
  }
  return shown.length > 0 || isEmptyList(node) ? shown : undefined;
}

/** Undefined where the node has no place in a diagnosis, or lies in an entry without a name. */
function shapeAt(node: JsonNode): Shape | undefined {
  if (!node.parent) return DIAGNOSIS_SHAPE;
  const above = shapeAt(node.parent);
  if (above?.kind === 'list') return above.item;
  if (above?.kind !== 'object' || (above.isNamed && !hasName(node.parent))) return undefined;
  return above.fields.get(String(node.key));
}

function hasName(node: JsonNode): boolean {
  const name = node.kind === 'object' ? node.members.get('name') : undefined;
  return name !== undefined && (completeText(name)?.trim() ?? '') !== '';
}

function isEmptyList(node: JsonNode): boolean {
  return node.kind === 'array' && node.isComplete && node.items.length === 0;
}

function completeText(node: JsonNode): string | undefined {
  return node.kind === 'string' && node.isComplete ? node.text : undefined;
}

function leaf(read: Reader): Shape {
  return { kind: 'leaf', read, grows: false };
}

function wholeWhere(isValid: (text: string) => boolean): Shape {
  return leaf((node) => {
    const text = completeText(node);
    return text !== undefined && isValid(text) ? text : undefined;
  });
}

function list(item: Shape): Shape {
  return { kind: 'list', item };
}

function object(fields: Readonly<Record<string, Shape>>): Shape {
  return { kind: 'object', fields: new Map(Object.entries(fields)), isNamed: false };
}

function named(fields: Readonly<Record<string, Shape>>): Shape {
  return { kind: 'object', fields: new Map(Object.entries({ name: whole, ...fields })), isNamed: true };
}
