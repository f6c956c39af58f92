// Writes the acknowledgement (ACK) of an HL7 v2 message, also of an invalid one. Pure: time and id are parameters.
import { type Hl7Header, readHl7Header } from './hl7-message.ts';

export type AckOrder = {
  /** The message to acknowledge. */
  readonly message: Uint8Array;
  /** Accepted; an error that a person must check; rejected. */
  readonly code: 'AA' | 'AE' | 'AR';
  /** In plain words, without any content of the message. */
  readonly text?: string | undefined;
  readonly now: Date;
  /** The id of the acknowledgement. */
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

/** Uses the separators of the sender, because returned fields may contain them. Segments end with a carriage return. */
export function makeHl7Ack({ message, code, text = '', now, controlId }: AckOrder): string {
  const sent = readHl7Header(message) ?? UNKNOWN;
  const { separators } = sent;
  const [field = '|', component = '^'] = separators;
  const type = /^[A-Z]\d\d$/.test(sent.trigger) ? ['ACK', sent.trigger, 'ACK'].join(component) : 'ACK';
  const header = [
    `MSH${field}${separators.slice(1)}`,
    ...[sent.receivingApplication, sent.receivingFacility, sent.sendingApplication, sent.sendingFacility].map(asciiOf),
    timeOf(now),
    '',
    type,
    escaped(controlId, separators),
    /^[DPT]$/.test(sent.processingId.slice(0, 1)) ? sent.processingId.slice(0, 1) : 'P',
    /^2(?:\.\d){0,2}$/.test(sent.version) ? sent.version : '2.5.1',
  ];
  const answer = ['MSA', code, asciiOf(sent.controlId), ...(text === '' ? [] : [escaped(text, separators)])];
  return `${header.join(field)}\r${answer.join(field)}\r`;
}

/** The value as it was sent, limited to ASCII so that it stays one field in every charset. */
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
