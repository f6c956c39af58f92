// Writes the answer to an HL7 v2 delivery: one acknowledgement, or a batch of them for a batch. Pure.
import { asciiOf, escaped, type Hl7Result, hl7Time, makeHl7Ack } from './hl7-ack.ts';
import { type Hl7Batch, openBatch } from './hl7-batch.ts';
import { separatorsOf } from './hl7-message.ts';

export type Hl7AnswerOrder = {
  readonly body: Uint8Array;
  /** One result for each message of a batch; a single one counts for all messages. */
  readonly results: readonly Hl7Result[];
  /** What is wrong with the batch as a whole, in plain words. */
  readonly comment?: string | undefined;
  readonly now: Date;
  readonly makeId: () => string;
};

/** Each character stands for one byte. Empty if the sender wants no acknowledgement. */
export function makeHl7Answer(order: Hl7AnswerOrder): string {
  const { body, results, now, makeId } = order;
  const batch = openBatch(body);
  const ackOf = (message: Uint8Array, index: number) => {
    const result = results[results.length === 1 ? 0 : index] ?? { kind: 'failed' };
    return makeHl7Ack({ message, result, now, controlId: makeId() });
  };
  return batch === undefined ? ackOf(body, 0) : answerBatch(batch, order, ackOf);
}

function answerBatch(
  { fileHeader, groups }: Hl7Batch,
  order: Hl7AnswerOrder,
  ackOf: (message: Uint8Array, index: number) => string,
): string {
  let index = 0;
  const answered = groups.map(({ header, messages }) => {
    const acks = messages.map((message) => ackOf(message, index++)).filter((ack) => ack !== '');
    return { header, acks };
  });
  if (order.comment === undefined && answered.every(({ acks }) => acks.length === 0)) return '';
  // The comment is in the first header only.
  let { comment } = order;
  const open = (header: string) => {
    const line = headerLine(header, comment, order);
    comment = undefined;
    return line;
  };
  const file = fileHeader === undefined ? [] : [open(fileHeader)];
  const batches = answered.map(({ header, acks }) =>
    header === undefined ? acks.join('') : `${open(header)}${acks.join('')}${trailerLine(header, 'BTS', acks.length)}`,
  );
  const end = fileHeader === undefined ? [] : [trailerLine(fileHeader, 'FTS', batches.length)];
  return [...file, ...batches, ...end].join('');
}

/** Addressed to the sender: field 12 of the answer is field 11 (the control id) of what is answered. */
function headerLine(header: string, comment: string | undefined, { now, makeId }: Hl7AnswerOrder): string {
  const separators = separatorsOf(header) ?? `${header[3] ?? '|'}^~\\&`;
  const [field = '|'] = separators;
  const fields = header.split(field);
  const raw = (number: number) => asciiOf((fields[number - 1] ?? '').trim());
  const shown = comment === undefined ? '' : escaped(comment, separators);
  const names = [raw(5), raw(6), raw(3), raw(4), hl7Time(now), '', '', shown, escaped(makeId(), separators), raw(11)];
  return `${[`${header.slice(0, 3)}${field}${separators.slice(1)}`, ...names].join(field)}\r`;
}

function trailerLine(header: string, name: 'BTS' | 'FTS', count: number): string {
  return `${name}${header[3] ?? '|'}${count}\r`;
}
