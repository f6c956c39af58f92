// Checks a call when it is parsed: an unknown or refused function, or a wrong number of arguments, is an error.
import { didYouMean } from '../suggest.ts';
import { ExpressionError } from './frame.ts';
import { FUNCTIONS, REFUSED_FUNCTIONS, TYPE_FUNCTIONS } from './known-functions.ts';
import type { ExpressionNode } from './syntax.ts';

type Call = Extract<ExpressionNode, { kind: 'call' }>;

export function checkCall({ name, args, at }: Call): void {
  const reason = REFUSED_FUNCTIONS.get(name);
  if (reason !== undefined) throw new ExpressionError(`${name}() is not allowed: ${reason}`, at);
  const known = FUNCTIONS.get(name);
  if (!known) {
    const hint = didYouMean(name, [...FUNCTIONS.keys(), ...TYPE_FUNCTIONS.keys()], (other) => `${other}()`);
    throw new ExpressionError(`there is no function ${name}()${hint}`, at);
  }
  const { minArguments, maxArguments, usage } = known;
  if (args.length < minArguments || args.length > maxArguments) {
    throw new ExpressionError(`${name}() takes ${arity(minArguments, maxArguments)}: ${usage}`, at);
  }
  const [projection] = args;
  if (name === 'repeat' && projection && !isPath(projection)) {
    throw new ExpressionError(
      'repeat() takes a path of elements only, as in repeat(item): it could go on for ever',
      at,
    );
  }
}

function arity(min: number, max: number): string {
  if (max === 0) return 'no argument';
  const count = min === max ? `${max}` : `${min} to ${max}`;
  return `${count} argument${max === 1 ? '' : 's'}`;
}

/** Elements below an item are fewer at every level, so this ends. */
function isPath(node: ExpressionNode): boolean {
  return node.kind === 'member' && (node.target === undefined || isPath(node.target));
}
