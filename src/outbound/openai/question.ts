// One question to the model: its words, the form of the answer, and the attachments whose bytes replace placeholders in
// the words while they are sent.
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { Attachment } from '../../domain/diagnosis/attachment.ts';
import type { AnswerSchema } from './answer-schema.ts';

export type Question = {
  readonly schemaName: string;
  readonly schema: AnswerSchema;
  readonly messages: readonly ChatCompletionMessageParam[];
  /** By placeholder: a text that occurs nowhere else in the messages. */
  readonly attachments: ReadonlyMap<string, Attachment>;
};
