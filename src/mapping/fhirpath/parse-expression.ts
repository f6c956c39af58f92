// An expression as a tree: @medplum/core's parser with parselets of our own, in HL7's order of precedence. What cannot be
// understood is an ExpressionError with its position.
import { type Atom, type Parser, ParserBuilder, type Token } from '@medplum/core';
import { checkCall } from './check-call.ts';
import { ExpressionError } from './frame.ts';
import { checkTypeName } from './known-types.ts';
import { readTokens } from './read-tokens.ts';
import type { ExpressionNode, Literal, Operator } from './syntax.ts';
import { parseTemporal } from './temporal.ts';

/** Brackets in brackets. */
const MAX_NESTING = 100;
/** The limit for the tree, which a chain of dots or operators deepens too: all walks over it are recursive. */
const MAX_DEPTH = 400;
const LOOSEST = Number.POSITIVE_INFINITY;

/** HL7 FHIRPath, operator precedence: the smaller binds tighter. */
const DOT = 1;
const INDEXER = 2;
const SIGN = 3;
const TYPE = 6;
const PRECEDENCE: Readonly<Record<Operator, number>> = {
  '*': 4,
  '/': 4,
  div: 4,
  mod: 4,
  '+': 5,
  '-': 5,
  '&': 5,
  '|': 7,
  '<': 8,
  '<=': 8,
  '>': 8,
  '>=': 8,
  '=': 9,
  '!=': 9,
  '~': 9,
  '!~': 9,
  in: 10,
  contains: 10,
  and: 11,
  xor: 12,
  or: 12,
  implies: 13,
};

const CALENDAR_UNIT = /^(?:year|month|week|day|hour|minute|second|millisecond)s?$/;
const NAMES_AT_START = ['Name', 'as', 'is', 'in', 'contains'];

/** The parser carries atoms; ours carry a node and are never evaluated by it. */
type Parsed = Atom & { readonly node: ExpressionNode; readonly depth: number };

/** The depth of brackets and the end of the text, for each parser. */
type Progress = { nesting: number; readonly end: number };
const progressOf = new WeakMap<Parser, Progress>();

const builder = makeBuilder();

export function parseExpression(text: string): ExpressionNode {
  const tokens = readTokens(text);
  if (tokens.length === 0) throw new ExpressionError('the expression is empty', 0);
  const parser = builder.construct(tokens);
  progressOf.set(parser, { nesting: 0, end: text.length });
  const { node } = parse(parser, LOOSEST);
  const rest = parser.peek();
  if (rest) throw new ExpressionError(`there is more after the end of the expression: ${shown(rest)}`, rest.index);
  return node;
}

function makeBuilder(): ParserBuilder {
  const built = new ParserBuilder();
  for (const id of ['String', 'Number', 'Quantity', 'date', 'dateTime', 'time', 'true', 'false']) {
    built.registerPrefix(id, { parse: (parser, token) => literal(parser, token) });
  }
  for (const id of NAMES_AT_START) {
    built.registerPrefix(id, { parse: (parser, token) => nameOrCall(parser, token, undefined) });
  }
  built.registerPrefix('Variable', {
    parse: (_, { index, value }) => leaf({ kind: 'variable', at: index, name: value }),
  });
  for (const kind of ['this', 'index', 'total'] as const) {
    built.registerPrefix(`$${kind}`, { parse: (_, { index }) => leaf({ kind, at: index }) });
  }
  for (const sign of ['+', '-'] as const)
    built.registerPrefix(sign, { parse: (parser, token) => signed(parser, token, sign) });
  built.registerPrefix('{}', { parse: (_, { index }) => leaf({ kind: 'empty', at: index }) });
  built.registerPrefix('{', { parse: (parser, token) => emptyBraces(parser, token) });
  built.registerPrefix('(', { parse: (parser) => inBrackets(parser, ')', () => parse(parser, LOOSEST)) });
  built.registerInfix('.', {
    precedence: DOT,
    parse: (parser, left, token) => afterDot(parser, left as Parsed, token),
  });
  built.registerInfix('[', {
    precedence: INDEXER,
    parse: (parser, left, token) => itemOf(parser, left as Parsed, token),
  });
  for (const operator of ['is', 'as'] as const) {
    built.registerInfix(operator, {
      precedence: TYPE,
      parse: (parser, left, token) => typeOperation(parser, left as Parsed, { operator, at: token.index }),
    });
  }
  for (const [operator, precedence] of Object.entries(PRECEDENCE) as [Operator, number][]) {
    built.registerInfix(operator, {
      precedence,
      parse: (parser, left, { index }) => {
        const [one, other] = [left as Parsed, parse(parser, precedence)];
        return made({ kind: 'operation', at: index, operator, left: one.node, right: other.node }, [one, other]);
      },
    });
  }
  return built;
}

/** Looks before the parser does, so that its own messages are never seen. */
function parse(parser: Parser, precedence: number): Parsed {
  const token = expectMore(parser);
  if (!CAN_BEGIN.has(token.id)) throw new ExpressionError(`${shown(token)} cannot stand here`, token.index);
  return deeper(parser, () => parser.consumeAndParse(precedence) as Parsed);
}

const CAN_BEGIN: ReadonlySet<string> = new Set(
  [...NAMES_AT_START, 'Variable', '$this', '$index', '$total', '+', '-', '{}', '{', '(', 'true', 'false'].concat(
    ['String', 'Number', 'Quantity', 'date', 'dateTime', 'time'], // the literals
  ),
);

function deeper(parser: Parser, work: () => Parsed): Parsed {
  const progress = progressOf.get(parser);
  if (!progress) return work();
  if (progress.nesting >= MAX_NESTING) {
    throw new ExpressionError(
      `the expression is nested too deeply: at most ${MAX_NESTING} levels`,
      parser.peek()?.index ?? 0,
    );
  }
  progress.nesting++;
  const parsed = work();
  progress.nesting--;
  return parsed;
}

function expectMore(parser: Parser): Token {
  const token = parser.peek();
  if (token) return token;
  throw new ExpressionError('something is missing at the end of the expression', progressOf.get(parser)?.end ?? 0);
}

function close(parser: Parser, sign: ')' | ']' | '}'): void {
  if (parser.match(sign)) return;
  throw new ExpressionError(`'${sign}' is missing`, parser.peek()?.index ?? progressOf.get(parser)?.end ?? 0);
}

function inBrackets<T>(parser: Parser, sign: ')' | ']', read: () => T): T {
  const inner = read();
  close(parser, sign);
  return inner;
}

function leaf(node: ExpressionNode): Parsed {
  return made(node, []);
}

function made(node: ExpressionNode, parts: readonly Parsed[]): Parsed {
  const depth = 1 + parts.reduce((deepest, part) => Math.max(deepest, part.depth), 0);
  if (depth > MAX_DEPTH)
    throw new ExpressionError(`the expression is too long: at most ${MAX_DEPTH} parts in a chain`, node.at);
  return { node, depth, eval: () => [], toString: () => node.kind };
}

function literal(parser: Parser, { id, value, index }: Token): Parsed {
  const make = (read: Literal) => leaf({ kind: 'literal', at: index, literal: read });
  if (id === 'String') return make({ type: 'string', value });
  if (id === 'true' || id === 'false') return make({ type: 'boolean', value: id === 'true' });
  if (id === 'date' || id === 'dateTime' || id === 'time') {
    if (!parseTemporal(value, id)) throw new ExpressionError('there is no such day or time', index);
    return make({ type: id, value });
  }
  const number = Number.parseFloat(value);
  if (!Number.isFinite(number)) throw new ExpressionError('this number is too large', index);
  const unit = id === 'Quantity' ? unitIn(value) : unitAfter(parser);
  if (unit !== undefined) return make({ type: 'quantity', value: number, unit });
  return make({ type: value.includes('.') ? 'decimal' : 'integer', value: number });
}

/** The tokenizer keeps a quantity as it was written: `4 days`, `5 'mg'`. */
function unitIn(text: string): string {
  return text.replace(/^[\d.]+\s+/, '').replace(/^'(.*)'$/s, '$1');
}

/** `4'mg'`, or a line end between number and unit: the tokenizer does not see that they belong together. */
function unitAfter(parser: Parser): string | undefined {
  const next = parser.peek();
  const isUnit = next?.id === 'String' || (next?.id === 'Name' && CALENDAR_UNIT.test(next.value));
  return isUnit ? parser.consume().value : undefined;
}

function signed(parser: Parser, { index }: Token, sign: '+' | '-'): Parsed {
  const operand = parse(parser, SIGN);
  return made({ kind: 'sign', at: index, sign, operand: operand.node }, [operand]);
}

function emptyBraces(parser: Parser, { index }: Token): Parsed {
  close(parser, '}');
  return leaf({ kind: 'empty', at: index });
}

function itemOf(parser: Parser, target: Parsed, bracket: Token): Parsed {
  const index = inBrackets(parser, ']', () => parse(parser, LOOSEST));
  return made({ kind: 'item', at: bracket.index, target: target.node, index: index.node }, [target, index]);
}

function afterDot(parser: Parser, target: Parsed, dot: Token): Parsed {
  const name = parser.peek();
  if (name?.id === 'Name') return nameOrCall(parser, parser.consume(), target);
  throw new ExpressionError('a dot is followed by the name of an element or function', name?.index ?? dot.index);
}

function nameOrCall(parser: Parser, token: Token, target: Parsed | undefined): Parsed {
  const { value: name, index: at } = token;
  const ofTarget = target && { target: target.node };
  const parts = target ? [target] : [];
  if (!parser.match('(')) return made({ kind: 'member', at, ...ofTarget, name }, parts);
  if (name === 'is' || name === 'as' || name === 'ofType') {
    const type = inBrackets(parser, ')', () => typeName(parser));
    return made({ kind: 'type', at, operator: name, ...ofTarget, type }, parts);
  }
  const args = argumentsOf(parser);
  const node = { kind: 'call', at, ...ofTarget, name, args: args.map((arg) => arg.node) } as const;
  checkCall(node);
  return made(node, [...parts, ...args]);
}

function argumentsOf(parser: Parser): readonly Parsed[] {
  if (parser.match(')')) return [];
  const args = [parse(parser, LOOSEST)];
  while (parser.match(',')) args.push(parse(parser, LOOSEST));
  close(parser, ')');
  return args;
}

type TypeOperator = { readonly operator: 'is' | 'as'; readonly at: number };

function typeOperation(parser: Parser, target: Parsed, { operator, at }: TypeOperator): Parsed {
  const type = typeName(parser);
  const next = parser.peek();
  // HL7's grammar would take `x as Quantity.value` as the name of a type.
  if (next?.id === '.') throw new ExpressionError(`brackets are missing: (… ${operator} ${type}).…`, next.index);
  return made({ kind: 'type', at, operator, target: target.node, type }, [target]);
}

function typeName(parser: Parser): string {
  const token = expectMore(parser);
  if (token.id !== 'Name')
    throw new ExpressionError('the name of a type is missing: Quantity, Patient, string', token.index);
  const name = parser.consume().value;
  const isNamespace = (name === 'FHIR' || name === 'System') && parser.match('.');
  const inner = isNamespace ? expectMore(parser) : undefined;
  if (inner && inner.id !== 'Name') throw new ExpressionError('the name of a type is missing', inner.index);
  const full = inner ? `${name}.${parser.consume().value}` : name;
  checkTypeName(full, token.index);
  return full;
}

/** Names and signs of the mapping itself: they may be shown. */
function shown({ id, value }: Token): string {
  if (id === 'Variable') return `%${value}`;
  if (id === 'String') return `'${value.length > 20 ? `${value.slice(0, 20)}…` : value}'`;
  return value;
}
