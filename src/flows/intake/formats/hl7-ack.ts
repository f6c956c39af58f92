// Writes the acknowledgement (ACK) of an HL7 v2 message, also of an invalid one. Pure: time and id are parameters.
import { type Hl7Header, readHl7Header } from './hl7-message.ts';

/** Stored; refused for good; failed, and to be sent again. */
export type Hl7Result = {
  readonly kind: 'stored' | 'refused' | 'failed';
  /** In plain words, without any content of the message. */
  readonly text?: string | undefined;
};

export type AckOrder = {
  /** The message to acknowledge. */
  readonly message: Uint8Array;
  readonly result: Hl7Result;
  readonly now: Date;
  /** The id of the acknowledgement. */
  readonly controlId: string;
};

/** The codes of MSA-1: of an accept acknowledgement (enhanced mode), and of an application acknowledgement (original mode). */
const CODES = {
  stored: { accept: 'CA', application: 'AA' },
  refused: { accept: 'CR', application: 'AR' },
  failed: { accept: 'CE', application: 'AE' },
} as const;

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
  acceptAck: '',
  applicationAck: '',
  separators: STANDARD,
};

/**
 * Uses the separators of the sender, because returned fields may contain them. Segments end with a carriage return. Each character stands for
 * one byte: the control id goes back as it came, whatever its charset. Empty if the sender wants no acknowledgement.
 */
export function makeHl7Ack({ message, result, now, controlId }: AckOrder): string {
  const sent = readHl7Header(message) ?? UNKNOWN;
  const mode = wantedMode(sent, result);
  if (mode === undefined) return '';
  const { separators } = sent;
  const [field = '|', component = '^'] = separators;
  const type = /^[A-Z]\d\d$/.test(sent.trigger) ? ['ACK', sent.trigger, 'ACK'].join(component) : 'ACK';
  const header = [
    `MSH${field}${separators.slice(1)}`,
    ...[sent.receivingApplication, sent.receivingFacility, sent.sendingApplication, sent.sendingFacility].map(asciiOf),
    hl7Time(now),
    '',
    type,
    escaped(controlId, separators),
    /^[DPT]$/.test(sent.processingId.slice(0, 1)) ? sent.processingId.slice(0, 1) : 'P',
    /^2(?:\.\d){0,2}$/.test(sent.version) ? sent.version : '2.5.1',
  ];
  const { kind, text = '' } = result;
  const answer = [
    'MSA',
    CODES[kind][mode],
    echoOf(sent.controlId),
    ...(text === '' ? [] : [escaped(text, separators)]),
  ];
  return `${header.join(field)}\r${answer.join(field)}\r`;
}

/**
 * In the original mode (MSH-15 and MSH-16 empty) each message gets an application acknowledgement. In the enhanced mode it gets the accept
 * acknowledgement if MSH-15 asks for it, otherwise the application acknowledgement if MSH-16 does: storing is all that is acknowledged.
 */
function wantedMode({ acceptAck, applicationAck }: Hl7Header, result: Hl7Result): 'accept' | 'application' | undefined {
  if (acceptAck === '' && applicationAck === '') return 'application';
  if (isWanted(acceptAck, result)) return 'accept';
  return isWanted(applicationAck, result) ? 'application' : undefined;
}

/** An unknown condition counts as `AL` (always): an answer too many is better than a failure that is not reported. */
function isWanted(condition: string, { kind }: Hl7Result): boolean {
  if (condition === '' || condition === 'NE') return false;
  if (condition === 'SU') return kind === 'stored';
  return condition === 'ER' ? kind !== 'stored' : true;
}

/** Only characters that end a segment or frame a message are replaced. */
function echoOf(controlId: string): string {
  return controlId.replace(/[^\t\u0020-\u00ff]/g, '?');
}

/** The value as it was sent, limited to ASCII so that it stays one field in every charset. */
export function asciiOf(value: string): string {
  return value.replace(/[^ -~]/g, '?').slice(0, MAX_FIELD);
}

export function escaped(value: string, separators: string): string {
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

export function hl7Time(now: Date): string {
  return `${now.toISOString().slice(0, 19).replace(/[-:T]/g, '')}+0000`;
}
