// What one event of a streamed answer, or a whole answer, says: a piece of the text, a refusal, or the reason of the end. The form is checked by
// hand: an answer has thousands of events, and a schema would make more garbage of each than its JSON does.
import { AppError } from '../../domain/errors.ts';
import type { ServerEvent } from './event-reader.ts';

type TextOrNothing = string | null | undefined;

export type AnswerPart = {
  /** As the vendor says it: unchecked. */
  readonly maker: { readonly model?: unknown; readonly fingerprint?: unknown };
  readonly content?: TextOrNothing;
  readonly refusal?: TextOrNothing;
  readonly finishReason?: TextOrNothing;
};

type Members = Readonly<Record<string, unknown>>;

/** Throws an AppError, or a SyntaxError. */
export function readStreamedPart({ name, data }: ServerEvent): AnswerPart {
  const value: unknown = JSON.parse(data);
  if (name === 'error' || (isObject(value) && Boolean(value['error']))) {
    throw new AppError('vendorAnswer', 'The reasoner reported an error within its answer');
  }
  const part = readPart(value, 'delta');
  if (part === undefined) throw new AppError('vendorAnswer', 'The reasoner sent an event of an unknown form');
  return part;
}

/** Throws an AppError, or a SyntaxError. */
export function readWholePart(text: string): AnswerPart {
  const part = readPart(JSON.parse(text), 'message');
  if (part === undefined) throw new AppError('vendorAnswer', 'The reasoner answered in an unknown form');
  return part;
}

/** What the first choice says; all of them are checked. Undefined if the form is unknown. */
function readPart(answer: unknown, saidIn: 'delta' | 'message'): AnswerPart | undefined {
  if (!isObject(answer) || !Array.isArray(answer['choices'])) return undefined;
  const maker = { model: answer['model'], fingerprint: answer['system_fingerprint'] };
  let part: AnswerPart | undefined;
  for (const choice of answer['choices'] as readonly unknown[]) {
    if (!isObject(choice)) return undefined;
    const { index = 0, finish_reason: finishReason } = choice;
    // Only an event may say nothing.
    const said = saidIn === 'delta' ? (choice[saidIn] ?? NOTHING) : choice[saidIn];
    if (typeof index !== 'number' || !isTextOrNothing(finishReason) || !isObject(said)) return undefined;
    const { content, refusal } = said;
    if (!isTextOrNothing(content) || !isTextOrNothing(refusal)) return undefined;
    if (index === 0) part ??= { maker, content, refusal, finishReason };
  }
  return part ?? { maker };
}

const NOTHING: Members = {};

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTextOrNothing(value: unknown): value is TextOrNothing {
  return value === undefined || value === null || typeof value === 'string';
}
