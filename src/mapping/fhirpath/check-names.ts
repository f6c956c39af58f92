// Checks the names that an expression reads: variables must exist, and bare names need a context to which they belong.
import { didYouMean } from '../suggest.ts';
import { innerNodes } from './inner-nodes.ts';
import { FUNCTIONS } from './known-functions.ts';
import type { ExpressionNode } from './syntax.ts';

export type Names = {
  /** The slot of a variable, named without `%`; undefined if there is none. */
  readonly slotOf: (name: string) => number | undefined;
  /** A bare name is an error unless it is in a function's argument or a context block. */
  readonly isStrict: boolean;
  /** In a context block: bare names read its item. */
  readonly isInsideContext?: boolean;
  /** All variables, for `did you mean`. */
  readonly known?: readonly string[];
};

export type NameProblem = { readonly message: string; readonly at: number };

/** HL7's own, which need no variable. */
export const CONSTANTS: ReadonlyMap<string, string> = new Map([
  ['sct', 'http://snomed.info/sct'],
  ['loinc', 'http://loinc.org'],
  ['ucum', 'http://unitsofmeasure.org'],
]);

/** All of them, in the order of the text. */
export function checkNames(node: ExpressionNode, names: Names): readonly NameProblem[] {
  const problems: NameProblem[] = [];
  const isOpen = !names.isStrict || names.isInsideContext === true;
  visit(node, { names, problems, isOpen });
  return problems.sort((one, other) => one.at - other.at);
}

type Visit = {
  readonly names: Names;
  readonly problems: NameProblem[];
  /** Bare names are known here. */
  readonly isOpen: boolean;
};

function visit(node: ExpressionNode, around: Visit): void {
  if (node.kind === 'variable') checkVariable(node.name, node.at, around);
  if (node.kind === 'this') checkThis(node.at, around);
  if ((node.kind === 'member' || node.kind === 'type') && !node.target) checkBare(node, around);
  if (node.kind !== 'call') for (const inner of innerNodes(node)) visit(inner, around);
  else visitCall(node, around);
}

const NEEDS_NO_TARGET = new Set(['iif', 'coalesce']);

function visitCall(node: Extract<ExpressionNode, { kind: 'call' }>, around: Visit): void {
  if (!node.target && !NEEDS_NO_TARGET.has(node.name)) checkBare(node, around);
  if (node.target) visit(node.target, around);
  const scope = FUNCTIONS.get(node.name)?.scope;
  const isOpen = around.isOpen || scope === 'item' || (scope === 'items' && node.target !== undefined);
  for (const arg of node.args) visit(arg, { ...around, isOpen });
}

function checkVariable(name: string, at: number, { names, problems }: Visit): void {
  if (names.slotOf(name) !== undefined || name === 'context' || CONSTANTS.has(name)) return;
  problems.push({ at, message: `%${name} is not known here${suggestion(name, names)}` });
}

function suggestion(name: string, { known = [] }: Names): string {
  return didYouMean(name, [...known, 'context'], (other) => `%${other}`);
}

function checkThis(at: number, { isOpen, problems }: Visit): void {
  if (!isOpen) problems.push({ at, message: "$this is only known inside a function's argument" });
}

/** `RED`: no element is written so, and codes are. */
export function isBareText(name: string): boolean {
  return /^[A-Z][A-Z0-9_]+$/.test(name);
}

export function quoteIt(name: string): string {
  return `: a text is written in quotes: '${name}'`;
}

type Bare = Extract<ExpressionNode, { kind: 'member' | 'call' | 'type' }>;

function checkBare(node: Bare, { isOpen, names, problems }: Visit): void {
  if (isOpen) return;
  const { at } = node;
  if (node.kind !== 'member') {
    const name = node.kind === 'call' ? node.name : node.operator;
    problems.push({ at, message: `${name}() needs something before it, as in %note.${name}(…)` });
  } else if (names.slotOf(node.name) !== undefined) {
    problems.push({ at, message: `${node.name} is not known here; did you mean %${node.name}?` });
  } else if (isBareText(node.name)) {
    problems.push({ at, message: `${node.name} is not known here${quoteIt(node.name)}` });
  } else {
    const reason = "names without % are only known inside a function's argument, as in where(title = '…')";
    problems.push({ at, message: `${node.name}: ${reason}` });
  }
}
