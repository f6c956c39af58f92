// One question to the model: its words, the form of the answer, and the attachments whose bytes replace placeholders in
// the words while they are sent.
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { Attachment } from '../../domain/diagnosis/attachment.ts';
import type { BadForm } from '../../domain/diagnosis/repair-diagnosis.ts';
import type { AnswerSchema } from './answer-schema.ts';

export type Question = {
  readonly schemaName: string;
  readonly schema: AnswerSchema;
  readonly messages: readonly ChatCompletionMessageParam[];
  /** By placeholder: a text that occurs nowhere else in the messages. */
  readonly attachments: ReadonlyMap<string, Attachment>;
};

const DOUBTS: Readonly<Record<BadForm, string>> = {
  'same-disease': 'One disease was there twice, under one code or under two names. Give each disease once.',
  probabilities:
    'The probabilities cannot all be right. Each is the probability that this disease is the cause, and together they are at most 1.',
  code: 'A code belonged to another disease than the name beside it. Give the code of the disease that you name.',
};

/** The same question with what was wrong in the answer before, in words that hold nothing of that answer. */
export function withDoubts(question: Question, doubts: readonly BadForm[]): Question {
  const [rules, ...data] = question.messages;
  if (doubts.length === 0 || rules?.role !== 'system') return question;
  const lines = [
    'Your answer to the same question a moment ago was in bad form:',
    ...doubts.map((doubt) => DOUBTS[doubt]),
  ];
  const content = `${rules.content}\n\n${lines.join('\n- ')}\nAnswer the whole question again.`;
  return { ...question, messages: [{ ...rules, content }, ...data] };
}
