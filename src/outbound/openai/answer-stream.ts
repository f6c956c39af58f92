// One try of one question: the answer's text, piece by piece, as it comes. Ends normally only when the model says that its
// answer is complete; refused, cut, filtered, endless or late answers are throws.
import { Stream } from 'openai/streaming';
import { z } from 'zod';
import { type AnsweringModel, readAnsweringModel } from '../../domain/answering-model.ts';
import { AppError } from '../../domain/errors.ts';
import { abortReason, CallWatch, type Timeouts } from './call-watch.ts';
import type { Question } from './question.ts';
import { sendQuestion, type VendorSettings } from './question-sender.ts';
import { answerFailure } from './vendor-failure.ts';

type AskParts = {
  readonly settings: VendorSettings;
  readonly timeouts: Timeouts;
  readonly question: Question;
  /** Called with what the vendor says about the model that answers, before any text. Not called if it says nothing. */
  readonly onModel: (answeredBy: AnsweringModel) => void;
  readonly signal: AbortSignal;
};

const MAX_ANSWER_BYTES = 2 * 1_048_576;
/** Bytes on the wire without one whole event: more than any event holds. */
const MAX_EVENT_BYTES = 16 * 1_048_576;

const said = { content: z.string().nullish(), refusal: z.string().nullish() };
const choiceRest = { index: z.number().default(0), finish_reason: z.string().nullish() };
// A model that is no text must not cost the answer.
const maker = { model: z.unknown().optional(), system_fingerprint: z.unknown().optional() };
const streamedPart = z.object({
  ...maker,
  choices: z.array(z.object({ ...choiceRest, delta: z.object(said).nullish() })),
});
const wholeAnswer = z.object({ ...maker, choices: z.array(z.object({ ...choiceRest, message: z.object(said) })) });
type AnswerEvent = {
  readonly answeredBy: AnsweringModel | undefined;
  readonly content?: string | null | undefined;
  readonly refusal?: string | null | undefined;
  readonly finishReason?: string | null | undefined;
};

/** Throws an AppError, or a VendorBusy where no answer has begun and it may be tried again. */
export async function* streamAnswer(parts: AskParts): AsyncGenerator<string> {
  const { settings, timeouts, question, onModel, signal } = parts;
  const watch = new CallWatch({ timeouts, signal });
  try {
    if (watch.signal.aborted) throw abortReason(watch.signal);
    const { response, client } = await sendQuestion({ settings, question, watch });
    try {
      const events = isJson(response) ? readWhole(response, watch) : readEvents(response, client, watch);
      yield* readText(reportModel(events, onModel), watch);
    } catch (error) {
      throw watch.signal.aborted ? abortReason(watch.signal) : answerFailure(error);
    }
  } finally {
    watch.stop();
  }
}

/** The first event that names a model counts: some vendors begin with one that has none. */
async function* reportModel(
  events: AsyncIterable<AnswerEvent>,
  onModel: AskParts['onModel'],
): AsyncGenerator<AnswerEvent> {
  let isReported = false;
  for await (const event of events) {
    if (!isReported && event.answeredBy !== undefined) {
      isReported = true;
      onModel(event.answeredBy);
    }
    yield event;
  }
}

async function* readText(parts: AsyncIterable<AnswerEvent>, watch: CallWatch): AsyncGenerator<string> {
  let finishReason: string | undefined;
  let sizeBytes = 0;
  for await (const part of parts) {
    watch.pause();
    if (part.refusal) throw new AppError('vendorAnswer', 'The reasoner refused to answer');
    if (part.content) {
      if (finishReason !== undefined) throw new AppError('vendorAnswer', 'The reasoner went on behind its end');
      sizeBytes += Buffer.byteLength(part.content);
      if (sizeBytes > MAX_ANSWER_BYTES) throw new AppError('vendorAnswer', 'The answer of the reasoner is too long');
      yield part.content;
    }
    finishReason = checkedFinish(part.finishReason) ?? finishReason;
    watch.expect('idleMs');
  }
  // An abort ends the SDK's loop as if the answer were whole.
  if (watch.signal.aborted) throw abortReason(watch.signal);
  if (finishReason === undefined) throw new AppError('vendorAnswer', 'The answer of the reasoner was cut off');
}

function checkedFinish(reason: string | null | undefined): 'stop' | undefined {
  if (reason === null || reason === undefined) return undefined;
  if (reason === 'stop') return reason;
  const known = reason === 'length' || reason === 'content_filter' ? ` (${reason})` : '';
  throw new AppError('vendorAnswer', `The reasoner ended before its answer was complete${known}`);
}

async function* readEvents(
  response: Response,
  client: ConstructorParameters<typeof Stream>[2],
  watch: CallWatch,
): AsyncGenerator<AnswerEvent> {
  if (!contentType(response).includes('text/event-stream')) {
    throw new AppError('vendorAnswer', 'The reasoner answered with something that is no answer: check OPENAI_BASE_URL');
  }
  // The stream aborts what it is handed when it ends early; the reason of our own abort must stay ours.
  const controller = new AbortController();
  const onAbort = () => controller.abort();
  watch.signal.addEventListener('abort', onAbort, { once: true });
  const sinceEvent: Counter = { bytes: 0 };
  const bounded = new Response(boundBytes(response.body, sinceEvent), { headers: response.headers });
  try {
    for await (const event of Stream.fromSSEResponse<unknown>(bounded, controller, client)) {
      sinceEvent.bytes = 0;
      const part = streamedPart.safeParse(event);
      if (!part.success) throw new AppError('vendorAnswer', 'The reasoner sent an event of an unknown form');
      const choice = part.data.choices.find(({ index }) => index === 0);
      if (choice?.finish_reason === 'stop') sinceEvent.isAtEnd = true;
      yield { ...choice?.delta, finishReason: choice?.finish_reason, answeredBy: answeredBy(part.data) };
    }
  } finally {
    watch.signal.removeEventListener('abort', onAbort);
  }
  await sinceEvent.heardOut;
}

/** A server that does not stream: the whole answer as one JSON document. */
async function* readWhole(response: Response, watch: CallWatch): AsyncGenerator<AnswerEvent> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of boundBytes(response.body, { bytes: 0 })) {
    watch.expect('idleMs');
    chunks.push(chunk);
  }
  const answer = wholeAnswer.safeParse(JSON.parse(Buffer.concat(chunks).toString()));
  if (!answer.success) throw new AppError('vendorAnswer', 'The reasoner answered in an unknown form');
  const choice = answer.data.choices.find(({ index }) => index === 0);
  yield { ...choice?.message, finishReason: choice?.finish_reason, answeredBy: answeredBy(answer.data) };
}

function answeredBy(answer: { readonly model?: unknown; readonly system_fingerprint?: unknown }) {
  return readAnsweringModel({ model: answer.model, fingerprint: answer.system_fingerprint });
}

/** `isAtEnd`: the model is through, and all that may come is the end of the body. */
type Counter = { bytes: number; isAtEnd?: boolean; heardOut?: Promise<void> };

function boundBytes(body: Response['body'], counter: Counter): ReadableStream<Uint8Array> {
  const reader = body?.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done || value === undefined) {
          controller.close();
          return;
        }
        counter.bytes += value.length;
        if (counter.bytes > MAX_EVENT_BYTES) {
          throw new AppError('vendorAnswer', 'The answer of the reasoner is too long');
        }
        controller.enqueue(value);
      },
      async cancel() {
        if (reader && counter.isAtEnd === true) counter.heardOut = hearOut(reader);
        else await reader?.cancel();
      },
    },
    { highWaterMark: 0 },
  );
}

const END_WITHIN_MS = 100;

/** The SDK reads no further than `[DONE]`. Heard out to the end of the body, the connection can be used for the next question. */
async function hearOut(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const letGo = () => void reader.cancel().catch(() => undefined);
  const timer = setTimeout(letGo, END_WITHIN_MS);
  const { done } = await reader.read().catch(() => ({ done: true }));
  clearTimeout(timer);
  if (!done) letGo();
}

function isJson(response: Response): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/.test(contentType(response));
}

function contentType(response: Response): string {
  return response.headers.get('content-type')?.toLowerCase() ?? '';
}
