// Infers the shape of every expression of a mapping with the names that are in scope, and reports mistakes in it.
import type { Place, Problem } from '../../domain/mapping/mapping.ts';
import { checkNames, type Names } from '../fhirpath/check-names.ts';
import type { ExpressionNode } from '../fhirpath/syntax.ts';
import { noObject } from '../language/compiled.ts';
import type { Branch, Expression, MappingNode } from '../language/mapping-tree.ts';
import type { MappingContext } from '../mapping-context.ts';
import { textProblems } from './check-text.ts';
import { documentShape } from './document-shapes.ts';
import { inferExpression } from './infer-expression.ts';
import { type KnownValue, NOTHING_KNOWN, type Scope } from './known-value.ts';
import {
  BOOLEAN,
  DECIMAL,
  describeShape,
  INTEGER,
  isListMember,
  kindOf,
  literalText,
  type Member,
  madeOf,
  memberOf,
  type ObjectShape,
  type Shape,
  TEXT,
  UNKNOWN,
  union,
} from './shape.ts';
import { dashedTables } from './table-names.ts';

export type Inferred = {
  readonly shapeOf: (expression: Expression) => Shape;
  readonly problems: readonly Problem[];
};

/** The variables that the expressions in one part of a mapping can read. */
type Room = {
  /** Changes during the walk: a name is here while the body of the part that assigns it is checked. */
  readonly variables: Map<string, KnownValue>;
  /** In a context block: the item that bare names read. */
  readonly item: KnownValue | undefined;
};

type Walk = {
  readonly node: (node: MappingNode, room: Room) => Shape;
  readonly expression: (expression: Expression, room: Room) => KnownValue;
  readonly report: (place: Place, message: string) => void;
};

type Of<Kind extends MappingNode['kind']> = Extract<MappingNode, { kind: Kind }>;

/** A person reads no more of them, and each costs a search for the intended name. */
const MAX_PROBLEMS = 500;

export function inferMapping(tree: MappingNode, context: MappingContext): Inferred {
  const problems: Problem[] = [];
  const shapes = new Map<Expression, Shape>();
  const walk: Walk = {
    // A free mapping knows only the names of its input.
    report: (place, message) => {
      if (context.kind === 'document' && problems.length < MAX_PROBLEMS) problems.push({ place, message });
    },
    node: (node, room) => {
      const shape = inferNode(node, room, walk);
      return context.kind === 'free' ? UNKNOWN : shape;
    },
    expression: (expression, room) => {
      if (problems.length >= MAX_PROBLEMS) return NOTHING_KNOWN;
      const tables = context.kind === 'free' ? [] : dashedTables(expression.node, Object.keys(context.tables));
      const report = (at: number, message: string) => {
        // The whole name was reported, so its parts are not.
        const isTold = tables.some((table) => at >= table.at && at < table.end && message !== table.message);
        if (!isTold) problems.push({ place: expression.placeAt(at), message });
      };
      for (const { at, message } of tables) report(at, message);
      for (const { at, message } of checkNames(expression.node, namesIn(room, context))) report(at, message);
      const scope = { ...room, ...siteScope(context), report: context.kind === 'free' ? ignore : report };
      const { shape, path } = inferExpression(expression.node, scope);
      shapes.set(expression, shape);
      return path === undefined ? { shape } : { shape, path };
    },
  };
  walk.node(tree, { variables: inputVariables(context), item: undefined });
  return { shapeOf: (expression) => shapes.get(expression) ?? UNKNOWN, problems };
}

function ignore(): void {}

function namesIn({ variables, item }: Room, context: MappingContext): Names {
  return {
    slotOf: (name) => (variables.has(name) ? 0 : undefined),
    isStrict: context.kind === 'document' || context.isStrict,
    isInsideContext: item !== undefined,
    // Computed only for an unknown name.
    get known() {
      return [...variables.keys()];
    },
  };
}

function siteScope(context: MappingContext): Pick<Scope, 'documents' | 'keysOf'> {
  if (context.kind === 'free') return { documents: undefined, keysOf: () => undefined };
  return {
    documents: context.documents,
    keysOf: (name) => {
      const table = Object.hasOwn(context.tables, name) ? context.tables[name] : undefined;
      return table?.unmapped === 'report' ? Object.keys(table.codes) : undefined;
    },
  };
}

function inputVariables(context: MappingContext): Map<string, KnownValue> {
  if (context.kind === 'free') {
    return new Map([...context.variables, 'context'].map((name) => [name, { shape: UNKNOWN }]));
  }
  const all = documentShape(Object.keys(context.tables));
  const variables = [...all.members].map(([name, { shape }]) => [name, { shape }] as const);
  return new Map<string, KnownValue>([...variables, ['context', { shape: all }]]);
}

function inferNode(node: MappingNode, room: Room, walk: Walk): Shape {
  switch (node.kind) {
    case 'constant':
      reportText(node, room, walk);
      return constantShape(node.value);
    case 'first':
    case 'all':
      return walk.expression(node.expression, room).shape;
    case 'text':
      reportText(node, room, walk);
      return madeOf(node.parts.map((part) => (typeof part === 'string' ? TEXT : inferPart(part, room, walk))));
    case 'list':
      return union(node.items.map((item) => walk.node(item, room)));
    case 'object':
      return inferObject(node, room, walk);
    case 'branch':
      return union(branchShapes(node.branch, room, walk));
    case 'for':
      return inferFor(node, room, walk);
    case 'context':
      return walk.node(node.body, { ...room, item: walk.expression(node.expression, room) });
    case 'assign':
      return inferAssign(node, room, walk);
  }
}

/** Literal text that looks like an expression. */
function reportText(node: Of<'constant' | 'text'>, { variables }: Room, { report }: Walk): void {
  const parts = node.kind === 'text' ? node.parts : [node.value];
  const texts = parts.map((part) => (typeof part === 'string' ? part : undefined));
  for (const { part, at, message } of textProblems(texts, (name) => variables.has(name))) {
    const place = node.kind === 'text' ? node.placeAt?.(part, at) : node.placeAt?.(at);
    report(place ?? node.place, message);
  }
}

function inferPart({ expression }: Exclude<Of<'text'>['parts'][number], string>, room: Room, walk: Walk): Shape {
  const { shape } = walk.expression(expression, room);
  const kind = kindOf(shape);
  if (kind === 'object' || kind === 'table') {
    walk.report(
      expression.place,
      `this gives ${describeShape(shape)}, which cannot be put into a text: name one of its elements`,
    );
  }
  return shape;
}

function constantShape(value: Of<'constant'>['value']): Shape {
  if (typeof value === 'string') return literalText(value);
  if (typeof value === 'boolean') return BOOLEAN;
  if (value === null) return UNKNOWN;
  return Number.isInteger(value) ? INTEGER : DECIMAL;
}

function inferObject({ keys, merge, branch }: Of<'object'>, room: Room, walk: Walk): Shape {
  const members = new Map<string, Member>(
    keys.map(({ key, value }) => [key, { shape: walk.node(value, room), isList: isList(value) }]),
  );
  const own: ObjectShape = { kind: 'object', members };
  const merged = (merge ?? []).map((part) => walk.node(part, room));
  const chosen = branch === undefined ? [] : branchShapes(branch, room, walk);
  reportNoObjects(merge ?? [], merged, '{% merge %} takes', walk);
  reportNoObjects(branch ? partsOf(branch) : [], chosen, 'an {% if %} beside other keys makes', walk);
  return [...merged, ...chosen].reduce<ObjectShape>(joined, own);
}

/** The members of both; if one of them may be no object, other members are possible. */
function joined(one: ObjectShape, other: Shape): ObjectShape {
  if (other.kind !== 'object') return { ...one, isOpen: true };
  const members = new Map(one.members);
  for (const [name, member] of other.members) {
    const known = members.get(name);
    members.set(name, known === undefined ? member : { ...member, shape: union([known.shape, member.shape]) });
  }
  const isOpen = one.isOpen === true || other.isOpen === true;
  return { kind: 'object', members, ...(isOpen && { isOpen }) };
}

function isList(node: MappingNode): boolean {
  return node.kind === 'list' || node.kind === 'all' || node.kind === 'for' || node.kind === 'context';
}

function branchShapes(branch: Branch, room: Room, walk: Walk): readonly Shape[] {
  const { condition } = branch;
  walk.expression(condition, room);
  if (pathShape(condition.node, room)?.isList === true)
    walk.report(condition.place, 'this may be several, and a condition is a single value: put .exists() behind it');
  return partsOf(branch).map((part) => walk.node(part, room));
}

/** The shape of a path without functions. */
function pathShape(node: ExpressionNode, room: Room): { readonly shape: Shape; readonly isList: boolean } | undefined {
  if (node.kind === 'variable') return { shape: room.variables.get(node.name)?.shape ?? UNKNOWN, isList: false };
  const target = node.kind === 'member' && node.target ? pathShape(node.target, room) : undefined;
  if (node.kind !== 'member' || target === undefined) return undefined;
  const shape = memberOf(target.shape, node.name) ?? UNKNOWN;
  return { shape, isList: target.isList || isListMember(target.shape, node.name) };
}

function partsOf({ then, otherwise }: Branch): readonly MappingNode[] {
  return otherwise === undefined ? [then] : [then, otherwise];
}

/** Reports a value that is a text or a number for every input. Constants were reported when the mapping was parsed. */
function reportNoObjects(parts: readonly MappingNode[], shapes: readonly Shape[], what: string, walk: Walk): void {
  for (const [index, part] of parts.entries()) {
    const shape = shapes[index];
    const kind = part.kind === 'first' && shape ? kindOf(shape) : undefined;
    if (kind === undefined || kind === 'object' || shape === undefined) continue;
    walk.report(part.place, noObject(what, describeShape(shape)));
  }
}

function inferFor({ item, index, expression, body }: Of<'for'>, room: Room, walk: Walk): Shape {
  const { shape } = walk.expression(expression, room);
  const names: Named[] = [{ name: item, value: () => shape }];
  if (index !== undefined) names.push({ name: index, value: () => INTEGER });
  return withNames(names, room, () => walk.node(body, room));
}

function inferAssign({ assignments, body }: Of<'assign'>, room: Room, walk: Walk): Shape {
  const names = assignments.map(({ name, value }) => ({ name, value: () => walk.node(value, room) }));
  return withNames(names, room, () => walk.node(body, room));
}

type Named = { readonly name: string; readonly value: () => Shape };

/** Adds one name after another; each is in scope for the next. In place, because a file may assign many. */
function withNames(names: readonly Named[], { variables }: Room, work: () => Shape): Shape {
  const hidden = names.map(({ name, value }) => {
    const shape = value();
    const before = variables.get(name);
    variables.set(name, { shape });
    return [name, before] as const;
  });
  const made = work();
  for (const [name, before] of hidden.toReversed()) {
    if (before === undefined) variables.delete(name);
    else variables.set(name, before);
  }
  return made;
}
