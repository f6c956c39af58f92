// The answer to an HL7 v2 message (ACK), also to what only claims to be one. Pure: the clock and the id are handed in.
import { type Hl7Header, readHl7Header } from './hl7-message.ts';

export type AckOrder = {
  /** What is answered. */
  readonly message: Uint8Array;
  /** Accepted; an error that a person must look at; refused as such. */
  readonly code: 'AA' | 'AE' | 'AR';
  /** In plain words, without anything of the message. */
  readonly text?: string | undefined;
  readonly now: Date;
  /** Of the answer itself. */
  readonly controlId: string;
};

export type MakeHl7Ack = (order: AckOrder) => string;

const STANDARD = '|^~\\&';
const MAX_FIELD = 250;
const UNKNOWN: Hl7Header = {
  sendingApplication: '',
  sendingFacility: '',
  receivingApplication: '',
  receivingFacility: '',
  time: '',
  type: '',
  trigger: '',
  controlId: '',
  processingId: '',
  version: '',
  separators: STANDARD,
};

/** In the sender's own separators, since what is given back to it may hold them. Segments end with a carriage return. */
export function makeHl7Ack({ message, code, text = '', now, controlId }: AckOrder): string {
  const asked = readHl7Header(message) ?? UNKNOWN;
  const { separators } = asked;
  const [field = '|', component = '^'] = separators;
  const type = /^[A-Z]\d\d$/.test(asked.trigger) ? ['ACK', asked.trigger, 'ACK'].join(component) : 'ACK';
  const header = [
    `MSH${field}${separators.slice(1)}`,
    ...[asked.receivingApplication, asked.receivingFacility, asked.sendingApplication, asked.sendingFacility].map(
      asciiOf,
    ),
    timeOf(now),
    '',
    type,
    escaped(controlId, separators),
    /^[DPT]$/.test(asked.processingId.slice(0, 1)) ? asked.processingId.slice(0, 1) : 'P',
    /^2(?:\.\d){0,2}$/.test(asked.version) ? asked.version : '2.5.1',
  ];
  const answer = ['MSA', code, asciiOf(asked.controlId), ...(text === '' ? [] : [escaped(text, separators)])];
  return `${header.join(field)}\r${answer.join(field)}\r`;
}

/** As it came, and so that it stays one field whatever the charset is. */
function asciiOf(value: string): string {
  return value.replace(/[^ -~]/g, '?').slice(0, MAX_FIELD);
}

function escaped(value: string, separators: string): string {
  const [field = '|', component, repetition, escaping = '\\', subcomponent] = separators;
  const codes = new Map([
    [field, 'F'],
    [component, 'S'],
    [repetition, 'R'],
    [escaping, 'E'],
    [subcomponent, 'T'],
  ]);
  const escapeOne = (character: string) => {
    const code = codes.get(character);
    return code === undefined ? character : `${escaping}${code}${escaping}`;
  };
  return [...asciiOf(value.replace(/[\r\n\t]+/g, ' '))].map(escapeOne).join('');
}

function timeOf(now: Date): string {
  return `${now.toISOString().slice(0, 19).replace(/[-:T]/g, '')}+0000`;
}
