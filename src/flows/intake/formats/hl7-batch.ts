// Takes a batch of HL7 v2 messages apart: [FHS] { [BHS] { MSH … } [BTS] } [FTS]. Several messages without any of these segments around them are
// no batch: they may be one message with another one in its text.
import { present } from '../../../domain/present.ts';
import { latin1Of, segmentsIn } from './hl7-message.ts';

type BatchGroup = {
  /** The BHS segment, as Latin-1; absent if the messages have none. */
  readonly header?: string;
  readonly messages: readonly Uint8Array[];
};

export type Hl7Batch = {
  /** The FHS segment, as Latin-1. */
  readonly fileHeader?: string;
  readonly groups: readonly BatchGroup[];
  /** Why the batch is not complete, in plain words. */
  readonly problem?: string;
};

type OpenGroup = { readonly header?: string; readonly messages: string[][] };

const MAX_MESSAGES = 10_000;
const BEGIN = /^[^!-~]{0,8}(?:FHS|BHS)[!-/:-@[-`{-~]/;
/** The segments around the messages. */
const AROUND = new Set(['FHS', 'BHS', 'BTS', 'FTS']);
const TOO_MANY = `It is a batch of more than ${MAX_MESSAGES} messages: send several`;

/** Undefined if the body is no batch. */
export function openBatch(body: Uint8Array): Hl7Batch | undefined {
  if (!BEGIN.test(latin1Of(body.subarray(0, 16)))) return undefined;
  const groups: OpenGroup[] = [];
  const problems: string[] = [];
  let fileHeader: string | undefined;
  let count = 0;
  /** The message that further segments belong to. */
  let message: string[] | undefined;
  for (const line of linesOf(latin1Of(body))) {
    const name = line.slice(0, 3);
    if (name === 'MSH') {
      count += 1;
      if (count > MAX_MESSAGES) return { groups: [], problem: TOO_MANY };
      if (groups.length === 0) groups.push({ messages: [] });
      message = [line];
      groups.at(-1)?.messages.push(message);
    } else if (!AROUND.has(name)) {
      message?.push(line);
    } else {
      message = undefined;
      if (name === 'FHS') fileHeader = line;
      if (name === 'BHS') groups.push({ header: line, messages: [] });
      if (name === 'BTS') problems.push(...countProblem(line, groups.at(-1)?.messages.length ?? 0, 'BTS'));
      if (name === 'FTS' && hasHeaders(groups)) problems.push(...countProblem(line, groups.length, 'FTS'));
    }
  }
  return {
    groups: groups.map(({ messages, ...group }) => ({ ...group, messages: messages.map(bytesOf) })),
    ...present({ fileHeader, problem: problems[0] }),
  };
}

/** The segments without the framing of a transport. */
function* linesOf(text: string): Generator<string> {
  for (const segment of segmentsIn(text)) {
    const line = segment.replace(/^[^!-~]+/, '').replaceAll('\u001c', '');
    if (line !== '') yield line;
  }
}

/** Without BHS segments it is open what FTS-1 counts. */
function hasHeaders(groups: readonly OpenGroup[]): boolean {
  return groups.every(({ header }) => header !== undefined);
}

function bytesOf(segments: readonly string[]): Uint8Array {
  return Buffer.from(segments.map((segment) => `${segment}\r`).join(''), 'latin1');
}

/** Empty if the trailer gives no count. */
function countProblem(trailer: string, count: number, name: 'BTS' | 'FTS'): readonly string[] {
  const given = /^\d{1,9}/.exec((trailer.split(trailer[3] ?? '|')[1] ?? '').trim())?.[0];
  if (given === undefined || Number(given) === count) return [];
  const what = name === 'BTS' ? 'messages' : 'batches';
  return [`The batch is not complete: it has ${count} ${what}, and its trailer counts ${Number(given)} (${name}-1)`];
}
