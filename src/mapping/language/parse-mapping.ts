// Parses a mapping file into a tree. It reports every mistake, and leaves the wrong part out or puts an empty expression in its
// place, so that the rest can still be checked.
import type { Place, Problem } from '../../domain/mapping/mapping.ts';
import { ExpressionError } from '../fhirpath/frame.ts';
import { parseExpression } from '../fhirpath/parse-expression.ts';
import type { SourceEntry, SourceMap, SourceNode, SourceScalar } from '../source/source-tree.ts';
import { isName, type KeyExpression, type KeyMeaning, nameProblem, readKey } from './block-keys.ts';
import { kindInWords, noObject } from './compiled.ts';
import type { Assignment, Branch, Expression, MappingNode, ObjectKey } from './mapping-tree.ts';
import { splitTemplate, type TemplateExpression } from './split-template.ts';

type Report = (place: Place, message: string) => void;

export function parseMapping(root: SourceNode): { readonly tree?: MappingNode; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const tree = readNode(root, (place, message) => problems.push({ place, message }));
  return { tree, problems };
}

function readNode(node: SourceNode, report: Report): MappingNode {
  if (node.kind === 'scalar') return readScalar(node, report);
  if (node.kind === 'map') return readMap(node, report);
  return { kind: 'list', place: node.place, items: node.items.map((item) => readNode(item, report)) };
}

function readScalar({ value, place, placeAt }: SourceScalar, report: Report): MappingNode {
  if (typeof value !== 'string') return { kind: 'constant', place, value };
  const template = splitTemplate(value);
  switch (template.kind) {
    case 'constant':
      return { kind: 'constant', place, value, placeAt };
    case 'first': {
      const expression = readExpression({ ...template.expression, placeAt }, report);
      return { kind: 'first', place, expression, keepsNull: template.expression.keepsNull };
    }
    case 'all':
      return { kind: 'all', place, expression: readExpression({ ...template.expression, placeAt }, report) };
    case 'text': {
      const parts = template.parts.map((part) =>
        typeof part === 'string'
          ? part
          : { expression: readExpression({ ...part, placeAt }, report), keepsNull: part.keepsNull },
      );
      const starts = startsOf(template.parts);
      return { kind: 'text', place, parts, placeAt: (part, at) => placeAt((starts[part] ?? 0) + at) };
    }
    case 'wrong':
      report(placeAt(template.at), template.message);
      return nothing(place);
  }
}

/** Where each part begins in the whole text. */
function startsOf(parts: readonly (string | TemplateExpression)[]): readonly number[] {
  let end = 0;
  return parts.map((part) => {
    const start = end;
    // Behind an expression: its closing braces, and the + before them.
    end = typeof part === 'string' ? end + part.length : part.start + part.text.length + (part.keepsNull ? 3 : 2);
    return start;
  });
}

/** The placeholder for a part that could not be parsed. */
function nothing(place: Place): MappingNode {
  const expression: Expression = { text: '{}', node: { kind: 'empty', at: 0 }, place, placeAt: () => place };
  return { kind: 'first', place, expression, keepsNull: false };
}

type Written = KeyExpression & { readonly placeAt: (offset: number) => Place };

function readExpression({ text, start, placeAt }: Written, report: Report): Expression {
  const from = start + text.length - text.trimStart().length;
  const parts = { text: text.trim(), place: placeAt(from), placeAt: (at: number) => placeAt(from + at) };
  try {
    const node = parseExpression(parts.text);
    reportFoldedComments(parts, report);
    return { ...parts, node };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    report(parts.placeAt(error.at ?? 0), error.message);
    return { ...parts, node: { kind: 'empty', at: 0 } };
  }
}

const QUOTED_OR_COMMENT = /'(?:[^'\\]|\\[\s\S])*'|`(?:[^`\\]|\\[\s\S])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;

/** YAML may fold several lines into one, so that a comment to the end of the line swallows the rest. */
function reportFoldedComments({ text, placeAt }: Pick<Expression, 'text' | 'placeAt'>, report: Report): void {
  if (!text.includes('//')) return;
  for (const { 0: piece, index } of text.matchAll(QUOTED_OR_COMMENT)) {
    if (!piece.startsWith('//') || placeAt(index).line === placeAt(index + piece.length - 1).line) continue;
    report(placeAt(index), 'YAML makes one line of these, so this comment takes the next lines along: write /* … */');
  }
}

type Of<Kind extends KeyMeaning['kind']> = {
  readonly entry: SourceEntry;
  readonly meaning: Extract<KeyMeaning, { readonly kind: Kind }>;
};

/** The keys of one object by their meaning, in their order. */
type Keys = {
  readonly element: readonly SourceEntry[];
  readonly assign: readonly SourceEntry[];
  readonly merge: readonly SourceEntry[];
  readonly else: readonly SourceEntry[];
  readonly if: readonly Of<'if'>[];
  readonly for: readonly Of<'for'>[];
  readonly context: readonly Of<'context'>[];
  readonly wrong: readonly SourceEntry[];
};

function sortKeys({ entries }: SourceMap, report: Report): Keys {
  const keys = {
    element: [] as SourceEntry[],
    assign: [] as SourceEntry[],
    merge: [] as SourceEntry[],
    else: [] as SourceEntry[],
    if: [] as Of<'if'>[],
    for: [] as Of<'for'>[],
    context: [] as Of<'context'>[],
    wrong: [] as SourceEntry[],
  };
  for (const entry of entries) {
    const meaning = readKey(entry.key);
    if (meaning.kind === 'if') keys.if.push({ entry, meaning });
    else if (meaning.kind === 'for') keys.for.push({ entry, meaning });
    else if (meaning.kind === 'context') keys.context.push({ entry, meaning });
    else keys[meaning.kind].push(entry);
    if (meaning.kind === 'wrong') report(entry.keyPlaceAt(meaning.at), meaning.message);
  }
  return keys;
}

function readMap(map: SourceMap, report: Report): MappingNode {
  const keys = sortKeys(map, report);
  // The value of a misspelled key is parsed all the same, for its problems.
  for (const { value } of keys.wrong) readNode(value, report);
  reportTwice(keys, report);
  // With nothing else in it, the object is whatever the key was to make.
  if (keys.wrong.length === map.entries.length && keys.wrong.length > 0) return unknownNode(map);
  const [assign] = keys.assign;
  const assignments = assign ? readAssignments(assign, report) : [];
  const body = readBody(map, keys, report);
  return assignments.length > 0 ? { kind: 'assign', place: map.place, assignments, body } : body;
}

function unknownNode({ place }: SourceMap): MappingNode {
  const expression = { text: '', node: { kind: 'empty', at: 0 } as const, place, placeAt: () => place };
  return { kind: 'first', place, expression, keepsNull: false };
}

function reportTwice(keys: Keys, report: Report): void {
  for (const { keyPlace } of keys.assign.slice(1)) {
    report(keyPlace, 'a second {% assign %} in this object: write one, with a list of names');
  }
  for (const { keyPlace } of keys.merge.slice(1)) {
    report(keyPlace, 'a second {% merge %} in this object: write one, with a list of objects');
  }
  for (const { entry } of keys.if.slice(1)) {
    report(
      entry.keyPlace,
      'a second {% if %} in this object: write {% merge %} with a list of objects, an {% if %} in each',
    );
  }
  for (const { keyPlace } of keys.else.slice(1)) report(keyPlace, 'a second {% else %} in this object');
  const [otherwise] = keys.else;
  if (otherwise && keys.if.length === 0)
    report(otherwise.keyPlace, 'an {% else %} without an {% if %} in the same object');
}

/** All keys of an object but its assignments. */
function readBody(map: SourceMap, keys: Keys, report: Report): MappingNode {
  const loops = [
    ...keys.for.map((loop) => ({ key: loop.entry, read: () => readLoop(loop, report) })),
    ...keys.context.map((context) => ({ key: context.entry, read: () => readContext(context, report) })),
  ];
  const [loop] = loops;
  if (loop === undefined) return readObject(map, keys, report);
  if (map.entries.length === keys.assign.length + 1) return loop.read();
  report(
    loop.key.keyPlace,
    'a loop is the only key of its object, beside {% assign %}: put it into an object of its own',
  );
  // As if the loops were merged over the rest: so both are looked at, and nothing is missing in either.
  const rest = readObject(map, keys, report);
  const merge = loops.map(({ read }) => read());
  return rest.kind === 'branch'
    ? { kind: 'object', place: map.place, keys: [], merge, branch: rest.branch }
    : { ...rest, merge: [...(rest.merge ?? []), ...merge] };
}

type ObjectOrBranch = Extract<MappingNode, { kind: 'object' | 'branch' }>;

function readObject(map: SourceMap, keys: Keys, report: Report): ObjectOrBranch {
  const branch = readBranch(keys, report);
  if (branch && keys.element.length === 0 && keys.merge.length === 0) {
    return { kind: 'branch', place: map.place, branch };
  }
  const merge = readMerge(keys, report);
  for (const part of merge ?? []) reportNoObject(part, '{% merge %} takes', report);
  const branches = branch ? [branch.then, ...(branch.otherwise ? [branch.otherwise] : [])] : [];
  for (const part of branches) reportNoObject(part, 'an {% if %} beside other keys makes', report);
  return {
    kind: 'object',
    place: map.place,
    keys: keys.element.map((entry) => readElement(entry, report)),
    ...(merge && { merge }),
    ...(branch && { branch }),
  };
}

/** Whatever comes in, this is merged into an object and is none. What only an input can show is found when it is applied. */
function reportNoObject(node: MappingNode, what: string, report: Report): void {
  if (node.kind === 'assign') {
    reportNoObject(node.body, what, report);
    return;
  }
  if (node.kind === 'branch') {
    const { then, otherwise } = node.branch;
    for (const part of otherwise ? [then, otherwise] : [then]) reportNoObject(part, what, report);
    return;
  }
  const given = certainKind(node);
  if (given !== undefined) report(node.place, noObject(what, given));
}

function certainKind(node: MappingNode): string | undefined {
  if (node.kind === 'constant') return node.value === null ? undefined : kindInWords(node.value);
  if (node.kind === 'text') return 'a text';
  if (node.kind === 'list') return node.items.length > 0 ? 'a list' : undefined;
  return node.kind === 'all' || node.kind === 'for' || node.kind === 'context' ? 'a list' : undefined;
}

function readElement({ key, keyPlace, value }: SourceEntry, report: Report): ObjectKey {
  return { key, keyPlace, value: readNode(value, report) };
}

function readLoop({ entry, meaning }: Of<'for'>, report: Report): MappingNode {
  const { item, index } = meaning;
  const expression = readExpression({ ...meaning.expression, placeAt: entry.keyPlaceAt }, report);
  const body = readNode(entry.value, report);
  return { kind: 'for', place: entry.keyPlace, item, ...(index !== undefined && { index }), expression, body };
}

function readContext({ entry, meaning }: Of<'context'>, report: Report): MappingNode {
  const expression = readExpression({ ...meaning.expression, placeAt: entry.keyPlaceAt }, report);
  return { kind: 'context', place: entry.keyPlace, expression, body: readNode(entry.value, report) };
}

function readBranch(keys: Keys, report: Report): Branch | undefined {
  const [first, ...rest] = keys.if;
  const [otherwise] = keys.else.map(({ value }) => readNode(value, report));
  if (!first) return undefined;
  for (const { entry, meaning } of rest) {
    readExpression({ ...meaning.expression, placeAt: entry.keyPlaceAt }, report);
    readNode(entry.value, report);
  }
  const condition = readExpression({ ...first.meaning.expression, placeAt: first.entry.keyPlaceAt }, report);
  const then = readNode(first.entry.value, report);
  return { condition, then, ...(otherwise && { otherwise }), place: first.entry.keyPlace };
}

function readMerge(keys: Keys, report: Report): readonly MappingNode[] | undefined {
  const [merge] = keys.merge;
  if (!merge) return undefined;
  const { value } = merge;
  return value.kind === 'list' ? value.items.map((item) => readNode(item, report)) : [readNode(value, report)];
}

function readAssignments({ value, keyPlace }: SourceEntry, report: Report): readonly Assignment[] {
  if (value.kind === 'scalar') {
    report(keyPlace, `{% assign %} holds a list of names, one each: - title: "{{ %note.title }}"`);
    return [];
  }
  const objects = value.kind === 'list' ? value.items : [value];
  return objects.flatMap((object) => readAssignment(object, report));
}

function readAssignment(object: SourceNode, report: Report): readonly Assignment[] {
  if (object.kind !== 'map') {
    report(object.place, 'each item of {% assign %} is a name with its value: - title: "{{ %note.title }}"');
    return [];
  }
  const [entry, second] = object.entries;
  if (entry === undefined) report(object.place, 'a name is missing in {% assign %}');
  if (second !== undefined) {
    report(
      second.keyPlace,
      'each name in {% assign %} is an item of its own, since their order counts: begin this line with "- "',
    );
  }
  return object.entries.flatMap(({ key, keyPlace, keyPlaceAt, value }) => {
    const node = readNode(value, report);
    if (isName(key)) return [{ name: key, namePlace: keyPlace, value: node }];
    report(keyPlaceAt(0), nameProblem(key));
    return [];
  });
}
