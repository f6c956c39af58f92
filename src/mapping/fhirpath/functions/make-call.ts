// How a function is made into a closure, and what most of them share.
import type { Frame } from '../frame.ts';
import type { ExpressionNode } from '../syntax.ts';
import { numberOf, type Run, type Spot, single, textOf, type Value, wholeNumberOf } from '../values.ts';

export type CallParts = {
  /** The value before the dot; without one, the focus. */
  readonly target: Run;
  /** What an argument's bare names read was decided by who calls it. */
  readonly args: readonly Run[];
  /** The name as in `upper()`, and its position. */
  readonly spot: Spot;
  readonly node: Extract<ExpressionNode, { kind: 'call' }>;
};

export type MakeCall = (parts: CallParts) => Run;
export type Calls = Readonly<Record<string, MakeCall>>;

const NOTHING: Run = () => undefined;

/** The number of arguments was checked when the expression was parsed. */
export function argument({ args }: CallParts, index: number): Run {
  return args[index] ?? NOTHING;
}

/** Makes a function of a single text; an empty input has an empty result. */
export function ofText(work: (text: string, call: Running) => Value): MakeCall {
  return (parts) => (frame, focus) => {
    const text = textOf(parts.target(frame, focus), parts.spot);
    return text === undefined ? undefined : work(text, { frame, focus, parts });
  };
}

export function ofNumber(work: (value: number, call: Running) => Value): MakeCall {
  return (parts) => (frame, focus) => {
    const value = numberOf(parts.target(frame, focus), parts.spot);
    return value === undefined ? undefined : work(value, { frame, focus, parts });
  };
}

/** Makes a function of a single item of any type. */
export function ofItem(work: (item: unknown, call: Running) => Value): MakeCall {
  return (parts) => (frame, focus) => {
    const item = single(parts.target(frame, focus), parts.spot);
    return item === undefined ? undefined : work(item, { frame, focus, parts });
  };
}

/** Makes a function of a whole collection, which may be empty. */
export function ofItems(work: (value: Value, call: Running) => Value): MakeCall {
  return (parts) => (frame, focus) => work(parts.target(frame, focus), { frame, focus, parts });
}

/** A call while it runs. */
export type Running = { readonly frame: Frame; readonly focus: Value; readonly parts: CallParts };

export function valueAt({ frame, focus, parts }: Running, index: number): Value {
  return argument(parts, index)(frame, focus);
}

export function textAt(call: Running, index: number): string | undefined {
  return textOf(valueAt(call, index), call.parts.spot);
}

export function numberAt(call: Running, index: number): number | undefined {
  return numberOf(valueAt(call, index), call.parts.spot);
}

export function wholeNumberAt(call: Running, index: number): number | undefined {
  return wholeNumberOf(valueAt(call, index), call.parts.spot);
}

/** Spends before the text is made, so that a text over the budget is never made. */
export function spend({ frame }: Running, characters: number): void {
  frame.budget.spendCharacters(characters);
}
