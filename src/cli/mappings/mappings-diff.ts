// Shows a person how two documents differ: changed lines with a little context, each group under the element that it is in. The
// order of keys is no difference. Long texts, and texts in base64, are broken into lines, so that one changed word is one line.
import { isDeepStrictEqual } from 'node:util';
import { diffArrays } from 'diff';
import { isObject } from '../../domain/raw-members.ts';
import { printable } from '../shared/tables.ts';

export type Change = { readonly element: string; readonly expected?: unknown; readonly got?: unknown };

type Two = { readonly expected: unknown; readonly got: unknown };

/** Every element that differs, in the order of the documents. An absent side is an absent key. */
export function findChanges({ expected, got }: Two, element = ''): readonly Change[] {
  if (isDeepStrictEqual(expected, got)) return [];
  if (Array.isArray(expected) && Array.isArray(got)) {
    return Array.from({ length: Math.max(expected.length, got.length) }).flatMap((_, index) =>
      findChanges({ expected: expected[index], got: got[index] }, `${element}[${index}]`),
    );
  }
  if (isObject(expected) && isObject(got)) {
    return [...new Set([...Object.keys(got), ...Object.keys(expected)])].flatMap((key) =>
      findChanges({ expected: memberOf(expected, key), got: memberOf(got, key) }, child(element, key)),
    );
  }
  return [{ element, ...(expected !== undefined && { expected }), ...(got !== undefined && { got }) }];
}

/** `expected` and `got` are JSON. The result ends with a line end, or is empty if nothing differs. */
export function renderDifference({ expected, got, isColored }: Two & { readonly isColored: boolean }): string {
  if (isDeepStrictEqual(expected, got)) return '';
  const steps = compareLines(printLines(inOrderOf(expected, got)), printLines(got));
  const hunks = hunksOf(alignRuns(steps));
  const lines = hunks.flatMap((hunk) => [
    { sign: '@', text: `@@ ${elementsOf(hunk)} @@` },
    ...hunk.map(({ sign, line }) => ({ sign, text: `${sign} ${line.text}` })),
  ]);
  const shown = lines.slice(0, MAX_SHOWN_LINES);
  const rest = lines.length > shown.length ? [`… and ${lines.length - shown.length} lines more\n`] : [];
  return [...shown.map(({ sign, text }) => `${paint(sign, text, isColored)}\n`), ...rest].join('');
}

const MAX_SHOWN_LINES = 200;
const CONTEXT_LINES = 2;

type Sign = ' ' | '-' | '+';
type Line = { readonly text: string; readonly element: string };
type Step = { readonly sign: Sign; readonly line: Line };

const COLORS: Readonly<Record<string, number>> = { '-': 31, '+': 32, '@': 36 };

function paint(sign: string, text: string, isColored: boolean): string {
  const color = COLORS[sign];
  return isColored && color !== undefined ? `\u001b[${color}m${text}\u001b[0m` : text;
}

/** The elements that a group of lines changes, as far as they fit in a line. */
function elementsOf(hunk: readonly Step[]): string {
  const changed = hunk.filter(({ sign }) => sign !== ' ').map(({ line }) => line.element);
  if (changed.includes('')) return 'the whole document';
  const names = [...new Set(changed)].filter((name) => !changed.some((other) => isInside(name, other)));
  return names.length <= 3 ? names.join(', ') : `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`;
}

function isInside(element: string, other: string): boolean {
  return element.startsWith(`${other}.`) || element.startsWith(`${other}[`);
}

/** Groups the changed lines with their context; groups that are near each other become one. */
function hunksOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const hunks: Step[][] = [];
  let end = 0;
  for (const [index, { sign }] of steps.entries()) {
    if (sign === ' ') continue;
    const from = Math.max(index - CONTEXT_LINES, end);
    const to = Math.min(index + CONTEXT_LINES + 1, steps.length);
    const last = hunks.at(-1);
    if (last !== undefined && index - CONTEXT_LINES <= end) last.push(...steps.slice(end, to));
    else hunks.push(steps.slice(from, to));
    end = Math.max(end, to);
  }
  return hunks;
}

/**
 * An added or removed group often ends with the same line as the one before it, as in `{ … } {`: then it is shown from the line
 * that begins it, which is the one with the least indentation.
 */
function alignRuns(steps: readonly Step[]): readonly Step[] {
  const aligned = [...steps];
  for (let start = 0; start < aligned.length; start += 1) {
    const sign = aligned[start]?.sign;
    if (sign === ' ' || aligned[start - 1]?.sign !== ' ') continue;
    let end = start;
    while (aligned[end]?.sign === sign) end += 1;
    if (aligned[end] === undefined || aligned[end]?.sign === ' ') moveUp(aligned, start, end);
    start = end;
  }
  return aligned;
}

function moveUp(steps: Step[], start: number, end: number): void {
  const sign = steps[start]?.sign ?? ' ';
  const indentAt = (index: number) => (steps[index]?.line.text ?? '').search(/\S|$/);
  let best = 0;
  for (let by = 1; steps[start - by]?.sign === ' '; by += 1) {
    if (steps[start - by]?.line.text !== steps[end - by]?.line.text) break;
    if (indentAt(start - by) < indentAt(start - best)) best = by;
  }
  for (let by = 1; by <= best; by += 1) {
    const [before, last] = [steps[start - by], steps[end - by]];
    if (before && last)
      [steps[start - by], steps[end - by]] = [
        { ...before, sign },
        { ...last, sign: ' ' },
      ];
  }
}

/** Documents with more changed lines than this are shown as replaced: the comparison takes the square of them. */
const MAX_CHANGED_LINES = 4_000;

function compareLines(before: readonly Line[], after: readonly Line[]): readonly Step[] {
  const comparator = (one: Line, other: Line) => one.text === other.text;
  const parts = diffArrays([...before], [...after], { comparator, maxEditLength: MAX_CHANGED_LINES });
  const steps = (lines: readonly Line[], sign: Sign) => lines.map((line) => ({ sign, line }));
  if (parts === undefined) return [...steps(before, '-'), ...steps(after, '+')];
  return parts.flatMap(({ value, added, removed }) => steps(value, added ? '+' : removed ? '-' : ' '));
}

/** Prints JSON in lines without commas, so that a comma added to the line before is no change. */
function printLines(value: unknown, element = '', lead = ''): readonly Line[] {
  const indent = lead.replace(/\S.*/s, '');
  if (Array.isArray(value) && value.length > 0) {
    const items = value.flatMap((item, index) => printLines(item, `${element}[${index}]`, `${indent}  `));
    return [{ text: `${lead}[`, element }, ...items, { text: `${indent}]`, element }];
  }
  if (isObject(value) && Object.keys(value).length > 0) {
    const keys = Object.keys(value).flatMap((key) =>
      printLines(value[key], child(element, key), `${indent}  ${printable(JSON.stringify(key))}: `),
    );
    return [{ text: `${lead}{`, element }, ...keys, { text: `${indent}}`, element }];
  }
  const pieces = typeof value === 'string' ? piecesOf(value, element) : undefined;
  if (pieces === undefined) return [{ text: lead + printable(JSON.stringify(value) ?? 'nothing'), element }];
  return [
    { text: lead + pieces.title, element },
    ...pieces.lines.map((text) => ({ text: `${indent}  | ${printable(text)}`, element })),
  ];
}

const LONGEST_PIECE = 100;

function piecesOf(
  value: string,
  element: string,
): { readonly title: string; readonly lines: readonly string[] } | undefined {
  const decoded = element.endsWith('.data') ? decodeText(value) : undefined;
  if (decoded !== undefined) return { title: 'text in base64', lines: splitText(decoded) };
  return value.length > LONGEST_PIECE || value.includes('\n') ? { title: 'text', lines: splitText(value) } : undefined;
}

/** The text that a base64 value holds, or undefined if it holds none. */
function decodeText(value: string): string | undefined {
  const bytes = Buffer.from(value, 'base64');
  if (value.length === 0 || bytes.toString('base64') !== value) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Splits at line ends, after elements of a narrative, after sentences, and wherever a piece is still too long. */
function splitText(text: string): readonly string[] {
  return text
    .split(/\n|(?<=<\/[a-z0-9]+>|<br ?\/>)|(?<=[.;:?!] )/)
    .flatMap((piece) => piece.match(/.{1,100}/gsu) ?? ['']);
}

/** The same value with its keys in the other's order, so that only values differ. */
function inOrderOf(value: unknown, other: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item, index) => inOrderOf(item, Array.isArray(other) ? other[index] : undefined));
  if (!isObject(value)) return value;
  const model = isObject(other) ? other : {};
  const keys = [...Object.keys(model).filter((key) => Object.hasOwn(value, key)), ...Object.keys(value)];
  return Object.fromEntries([...new Set(keys)].map((key) => [key, inOrderOf(value[key], memberOf(model, key))]));
}

function memberOf(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function child(element: string, key: string): string {
  return element === '' ? key : `${element}.${key}`;
}
