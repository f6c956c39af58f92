// Takes the parts of one answer in their order and returns their text. An answer that is refused, too long or incomplete is a throw.
import { type AnsweringModel, readAnsweringModel } from '../../domain/answering-model.ts';
import { AppError } from '../../domain/errors.ts';
import type { AnswerPart } from './answer-part.ts';

const MAX_ANSWER_BYTES = 2 * 1_048_576;

export class AnswerText {
  readonly #onModel: (answeredBy: AnsweringModel) => void;
  #isModelKnown = false;
  #hasEnded = false;
  #sizeBytes = 0;

  constructor(onModel: (answeredBy: AnsweringModel) => void) {
    this.#onModel = onModel;
  }

  /** True if the model said that its answer is complete. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  take({ maker, refusal, content, finishReason }: AnswerPart): string {
    if (!this.#isModelKnown) this.#lookForModel(maker);
    if (refusal) throw new AppError('vendorAnswer', 'The reasoner refused to answer');
    if (content) this.#measure(content);
    if (finishReason !== null && finishReason !== undefined) {
      checkFinish(finishReason);
      this.#hasEnded = true;
    }
    return content ?? '';
  }

  /** To be called when no part is left. */
  finish(): void {
    if (!this.#hasEnded) throw new AppError('vendorAnswer', 'The answer of the reasoner was cut off');
  }

  /** The first part that names a model counts: some vendors begin with one that names none. */
  #lookForModel(maker: AnswerPart['maker']): void {
    const answeredBy = readAnsweringModel(maker);
    if (answeredBy === undefined) return;
    this.#isModelKnown = true;
    this.#onModel(answeredBy);
  }

  #measure(content: string): void {
    if (this.#hasEnded) throw new AppError('vendorAnswer', 'The reasoner went on behind its end');
    this.#sizeBytes += Buffer.byteLength(content);
    if (this.#sizeBytes > MAX_ANSWER_BYTES) {
      throw new AppError('vendorAnswer', 'The answer of the reasoner is too long');
    }
  }
}

function checkFinish(reason: string): void {
  if (reason === 'stop') return;
  const known = reason === 'length' || reason === 'content_filter' ? ` (${reason})` : '';
  throw new AppError('vendorAnswer', `The reasoner ended before its answer was complete${known}`);
}
