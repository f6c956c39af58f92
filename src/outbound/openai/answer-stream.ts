// One try of one question: the answer's text as it comes, in one piece for each network chunk. Ends normally only when the model says that
// its answer is complete; refused, cut, filtered, endless or late answers are throws.
//
// The SDK sends the question, but its reader of events is not used: it takes ten nested asynchronous steps for each event, which cost more
// than all else that the engine does for a stream.
import type { AnsweringModel } from '../../domain/answering-model.ts';
import { AppError } from '../../domain/errors.ts';
import { AnswerForm } from './answer-form.ts';
import { readWholePart } from './answer-part.ts';
import { AnswerText } from './answer-text.ts';
import { abortReason, CallWatch, type Timeouts } from './call-watch.ts';
import { EventReader, type ServerEvent } from './event-reader.ts';
import type { Question } from './question.ts';
import { sendQuestion, type VendorSettings } from './question-sender.ts';
import { answerFailure } from './vendor-failure.ts';

type AskParts = {
  readonly settings: VendorSettings;
  readonly fetch: typeof fetch;
  readonly timeouts: Timeouts;
  readonly question: Question;
  /** Called with what the vendor says about the model that answers, before any text. Not called if it says nothing. */
  readonly onModel: (answeredBy: AnsweringModel) => void;
  readonly signal: AbortSignal;
};
type Body = ReadableStreamDefaultReader<Uint8Array>;
type Reading = { readonly body: Body; readonly answer: AnswerText; readonly watch: CallWatch };

/** Bytes on the wire without one whole event: more than any event holds. */
const MAX_EVENT_BYTES = 16 * 1_048_576;
const LAST_EVENT = '[DONE]';
const END_WITHIN_MS = 100;

/** Throws an AppError, or a VendorBusy where no answer has begun and it may be tried again. */
export async function* streamAnswer(parts: AskParts): AsyncGenerator<string> {
  const { settings, fetch, timeouts, question, onModel, signal } = parts;
  const watch = new CallWatch({ timeouts, signal });
  try {
    if (watch.signal.aborted) throw abortReason(watch.signal);
    const response = await sendQuestion({ settings, fetch, question, watch });
    const body = response.body?.getReader();
    // A read that waits ends as if the body were whole.
    const letGo = () => void body?.cancel().catch(() => undefined);
    watch.signal.addEventListener('abort', letGo, { once: true });
    try {
      watch.signal.throwIfAborted();
      const read = readerFor(response);
      const answer = new AnswerText(onModel);
      if (body !== undefined) yield* read({ body, answer, watch });
      if (watch.signal.aborted) throw abortReason(watch.signal);
      answer.finish();
    } catch (error) {
      throw watch.signal.aborted ? abortReason(watch.signal) : answerFailure(error);
    } finally {
      letGo();
    }
  } finally {
    watch.stop();
  }
}

function readerFor(response: Response): (reading: Reading) => AsyncGenerator<string> {
  const type = response.headers.get('content-type')?.toLowerCase() ?? '';
  if (/^application\/(?:[\w.-]+\+)?json\b/.test(type)) return readWhole;
  if (type.includes('text/event-stream')) return readEvents;
  throw new AppError('vendorAnswer', 'The reasoner answered with something that is no answer: check OPENAI_BASE_URL');
}

async function* readEvents({ body, answer, watch }: Reading): AsyncGenerator<string> {
  const reader = new EventReader();
  const form = new AnswerForm();
  let bytesSinceEvent = 0;
  for (;;) {
    const { done, value } = await body.read();
    if (done) return;
    bytesSinceEvent += value.length;
    if (bytesSinceEvent > MAX_EVENT_BYTES) throw tooLong();
    const events = reader.read(value);
    // Comments are no sign that the answer goes on.
    if (events.length === 0) continue;
    bytesSinceEvent = 0;
    watch.pause();
    const { text, isLast, failure } = takeEvents(events, form, answer);
    if (text !== '') yield text;
    if (failure !== undefined) throw failure.error;
    if (isLast) break;
    watch.expect('idleMs');
  }
  if (answer.hasEnded) await hearOut(body);
}

type Taken = {
  /** What came before the failure, if there is one. */
  readonly text: string;
  readonly isLast: boolean;
  readonly failure?: { readonly error: unknown };
};

function takeEvents(events: readonly ServerEvent[], form: AnswerForm, answer: AnswerText): Taken {
  let text = '';
  try {
    for (const event of events) {
      if (event.data === LAST_EVENT) return { text, isLast: true };
      text += answer.take(form.read(event));
    }
  } catch (error) {
    return { text, isLast: false, failure: { error } };
  }
  return { text, isLast: false };
}

/** Read to the end of its body, the connection can be used for the next question. */
async function hearOut(body: Body): Promise<void> {
  const timer = setTimeout(() => void body.cancel().catch(() => undefined), END_WITHIN_MS);
  await body.read().catch(() => undefined);
  clearTimeout(timer);
}

/** A server that does not stream: the whole answer as one JSON document. */
async function* readWhole({ body, answer, watch }: Reading): AsyncGenerator<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for (;;) {
    const { done, value } = await body.read();
    if (done) break;
    sizeBytes += value.length;
    if (sizeBytes > MAX_EVENT_BYTES) throw tooLong();
    chunks.push(value);
    watch.expect('idleMs');
  }
  watch.pause();
  yield answer.take(readWholePart(Buffer.concat(chunks).toString()));
}

function tooLong(): AppError {
  return new AppError('vendorAnswer', 'The answer of the reasoner is too long');
}
