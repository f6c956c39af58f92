// What one event of a streamed answer, or a whole answer, says: a piece of the text, a refusal, or the reason of the end.
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { ServerEvent } from './event-reader.ts';

export type AnswerPart = {
  /** As the vendor says it: unchecked. */
  readonly maker: { readonly model?: unknown; readonly fingerprint?: unknown };
  readonly content?: string | null | undefined;
  readonly refusal?: string | null | undefined;
  readonly finishReason?: string | null | undefined;
};

const said = { content: z.string().nullish(), refusal: z.string().nullish() };
const choiceRest = { index: z.number().default(0), finish_reason: z.string().nullish() };
// A model that is no text must not cost the answer.
const maker = { model: z.unknown().optional(), system_fingerprint: z.unknown().optional() };
const streamedPart = z.object({
  ...maker,
  choices: z.array(z.object({ ...choiceRest, delta: z.object(said).nullish() })),
});
const wholeAnswer = z.object({ ...maker, choices: z.array(z.object({ ...choiceRest, message: z.object(said) })) });

/** Throws an AppError, or a SyntaxError. */
export function readStreamedPart({ name, data }: ServerEvent): AnswerPart {
  const value: unknown = JSON.parse(data);
  if (name === 'error' || isError(value)) {
    throw new AppError('vendorAnswer', 'The reasoner reported an error within its answer');
  }
  const part = streamedPart.safeParse(value);
  if (!part.success) throw new AppError('vendorAnswer', 'The reasoner sent an event of an unknown form');
  const choice = part.data.choices.find(({ index }) => index === 0);
  return { ...choice?.delta, finishReason: choice?.finish_reason, maker: makerOf(part.data) };
}

/** Throws an AppError, or a SyntaxError. */
export function readWholePart(text: string): AnswerPart {
  const answer = wholeAnswer.safeParse(JSON.parse(text));
  if (!answer.success) throw new AppError('vendorAnswer', 'The reasoner answered in an unknown form');
  const choice = answer.data.choices.find(({ index }) => index === 0);
  return { ...choice?.message, finishReason: choice?.finish_reason, maker: makerOf(answer.data) };
}

function isError(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'error' in value && Boolean(value.error);
}

function makerOf(answer: { readonly model?: unknown; readonly system_fingerprint?: unknown }): AnswerPart['maker'] {
  return { model: answer.model, fingerprint: answer.system_fingerprint };
}
