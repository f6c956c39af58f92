// Reads a multipart form from an untrusted client, part by part while it arrives. Everything has a limit: the body, its rate, the
// number of parts, their headers, the text fields. Every violation is an AppError; nothing is skipped silently.
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../domain/errors.ts';
import { MINIMUM_RATE, type MinimumRate } from './body-pace.ts';
import { printOf } from './body-print.ts';
import { readParameterized } from './content-type.ts';
import { type FormPartBytes, splitParts } from './form-parts.ts';
import { IncomingBody } from './incoming-body.ts';
import { fileLabel, readPartHeaders } from './part-headers.ts';
import { MEBIBYTE, mebibytes } from './sizes.ts';

export type FormPace = { readonly deadlineMs: number; readonly minimumRate: MinimumRate };

export const FORM_PACE: FormPace = { deadlineMs: 15 * 60_000, minimumRate: MINIMUM_RATE };

export type FormRules = {
  readonly fileField: string;
  readonly maxFiles: number;
  readonly maxBodyBytes: number;
  readonly pace: FormPace;
};

export type FormField = { readonly kind: 'field'; readonly name: string; readonly value: string };
export type FormFile = {
  readonly kind: 'file';
  /** The file's name for messages only. */
  readonly label: string;
  readonly bytes: AsyncGenerator<Uint8Array, void, undefined>;
};

export type Form = {
  /** The parts in the order of the body. Unread bytes of a file are discarded when the next part is requested. */
  readonly parts: AsyncIterator<FormField | FormFile, void, undefined>;
  /** Stops reading; a pending read throws `cancelled`. A second call does nothing. */
  readonly close: () => void;
};

/** The size that a form may have in addition to its files: text fields, headers, boundaries. */
export const FORM_OVERHEAD_BYTES = 4 * MEBIBYTE;

const MAX_FIELDS = 50;
const MAX_FIELD_BYTES = MEBIBYTE;
const MAX_FIELDS_BYTES = 2 * MEBIBYTE;
const MAX_BOUNDARY_CHARS = 70;

/** Throws `unsupportedMedia` (not multipart), `invalidRequest` (no boundary) or `payloadTooLarge` (by Content-Length). */
export function openForm(req: IncomingMessage, rules: FormRules, signal: AbortSignal): Form {
  const boundary = readBoundary(req);
  const { deadlineMs, minimumRate } = rules.pace;
  const body = new IncomingBody(req, { maxBytes: rules.maxBodyBytes, deadlineMs, minimumRate }, signal);
  return { parts: readParts(splitParts(body, boundary, printOf(req)), rules), close: () => body.release() };
}

/** Reads a form to its end and discards it: its hash is taken, if one was started. */
export async function readForm(
  req: IncomingMessage,
  { maxBodyBytes, pace }: Pick<FormRules, 'maxBodyBytes' | 'pace'>,
  signal: AbortSignal,
): Promise<void> {
  const boundary = readBoundary(req);
  const { deadlineMs, minimumRate } = pace;
  const body = new IncomingBody(req, { maxBytes: maxBodyBytes, deadlineMs, minimumRate }, signal);
  const parts = splitParts(body, boundary, printOf(req));
  try {
    for (let next = await parts.next(); next.done !== true; next = await parts.next());
  } finally {
    body.release();
  }
}

function readBoundary({ headers }: IncomingMessage): string {
  const type = readParameterized(headers['content-type'] ?? '');
  if (type === undefined || type.value !== 'multipart/form-data') {
    throw new AppError('unsupportedMedia', 'The Content-Type must be multipart/form-data');
  }
  if ((headers['content-encoding'] ?? 'identity').trim().toLowerCase() !== 'identity') {
    throw new AppError('unsupportedMedia', 'A form is sent without a Content-Encoding');
  }
  const boundary = type.parameters.get('boundary') ?? '';
  if (boundary.length > MAX_BOUNDARY_CHARS || !/^[\x20-\x7e]*[\x21-\x7e]$/.test(boundary)) {
    throw invalid('The Content-Type has no usable boundary');
  }
  return boundary;
}

async function* readParts(
  parts: AsyncIterable<FormPartBytes>,
  { fileField, maxFiles }: FormRules,
): AsyncGenerator<FormField | FormFile, void, undefined> {
  const fields = new FieldReader(fileField);
  let files = 0;
  for await (const { headers, bytes } of parts) {
    const { name, fileName } = readPartHeaders(headers);
    if (fileName === undefined) {
      // Swagger UI sends an empty text field if no file was chosen.
      if (name === fileField && (await begin(bytes)) === undefined) continue;
      yield await fields.read(name, bytes);
      continue;
    }
    if (name !== fileField) throw invalid(`Files belong in the form field "${fileField}"`);
    const begun = fileName === '' ? await begin(bytes) : bytes;
    if (begun === undefined) continue;
    files += 1;
    if (files > maxFiles)
      throw invalid(maxFiles === 1 ? 'One file is allowed' : `At most ${maxFiles} files are allowed`);
    yield { kind: 'file', label: fileLabel(fileName, files - 1), bytes: begun };
  }
}

/** Returns undefined if there are no bytes: a browser sends a part without name and bytes for an empty file input. */
async function begin(bytes: FormFile['bytes']): Promise<FormFile['bytes'] | undefined> {
  const first = await bytes.next();
  return first.done === true ? undefined : prepend(first.value, bytes);
}

async function* prepend(first: Uint8Array, rest: FormFile['bytes']): FormFile['bytes'] {
  yield first;
  yield* rest;
}

/** Reads text fields. Their number and size are limited; each must be UTF-8, occur once, and have a flat name. */
class FieldReader {
  readonly #fileField: string;
  readonly #names = new Set<string>();
  #sizeBytes = 0;

  constructor(fileField: string) {
    this.#fileField = fileField;
  }

  async read(name: string, bytes: AsyncIterable<Uint8Array>): Promise<FormField> {
    if (name === this.#fileField) throw invalid(`The form field "${name}" must be a file, with a file name`);
    if (/[[\]]/.test(name)) throw invalid('A text field of the form has brackets in its name; names are flat');
    if (this.#names.has(name)) throw invalid('A text field of the form is given twice');
    this.#names.add(name);
    if (this.#names.size > MAX_FIELDS) throw invalid(`The form has more than ${MAX_FIELDS} text fields`);
    return { kind: 'field', name, value: decodeText(await this.#collect(bytes)) };
  }

  async #collect(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
    const collected: Uint8Array[] = [];
    let sizeBytes = 0;
    for await (const piece of bytes) {
      sizeBytes += piece.length;
      this.#sizeBytes += piece.length;
      if (sizeBytes > MAX_FIELD_BYTES) throw invalid(`A text field is larger than ${mebibytes(MAX_FIELD_BYTES)}`);
      if (this.#sizeBytes > MAX_FIELDS_BYTES) {
        throw invalid(`The text fields are larger than ${mebibytes(MAX_FIELDS_BYTES)} together`);
      }
      collected.push(piece);
    }
    return Buffer.concat(collected);
  }
}

/** Lone surrogates are not valid UTF-8, so that they are refused here too. */
function decodeText(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid('A text field of the form is not valid UTF-8');
  }
  if (text.includes('\0')) throw invalid('A text field of the form has the character U+0000 in it');
  return text;
}

function invalid(message: string): AppError {
  return new AppError('invalidRequest', message);
}
