// Reads the headers of one part of a form strictly: its name, whether it is a file, and the label of a file in messages. The type
// that the client states for a file is ignored.
import { AppError } from '../../../domain/errors.ts';
import { isUtf8, type ParameterizedValue, readParameterized } from './content-type.ts';

export type PartHeaders = {
  readonly name: string;
  /** The name from the client; empty if a browser's file input was empty. Undefined for a text field. */
  readonly fileName: string | undefined;
};

/** Headers as the form splitter returns them: names in lower case, values with one character per byte. */
export type RawPartHeaders = Readonly<Record<string, readonly string[]>>;

const MAX_PAIRS = 32;
const MAX_CHARS = 8_192;
const MAX_NAME_CHARS = 200;
const MAX_LABEL_CHARS = 100;
const PLAIN_ENCODINGS = new Set(['7bit', '8bit', 'binary']);
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** Throws `invalidRequest` unless the part is `form-data`, has a name and plain bytes. */
export function readPartHeaders(headers: RawPartHeaders): PartHeaders {
  const values = Object.entries(headers).flatMap(([name, given]) => given.map((value) => name.length + value.length));
  if (values.length > MAX_PAIRS || values.reduce((sum, chars) => sum + chars, 0) > MAX_CHARS) {
    throw malformed('A part of the form has too many or too long headers');
  }
  const disposition = readOnce(headers, 'content-disposition');
  if (disposition?.value !== 'form-data') throw malformed('A part of the form has no Content-Disposition: form-data');
  const name = readName(disposition);
  const type = readOnce(headers, 'content-type');
  requirePlain(headers, type);
  return { name, fileName: readFileName(disposition, type) };
}

/** Makes the name of a file for messages: without path or invisible characters, and short. It is used for nothing else. */
export function fileLabel(fileName: string | undefined, index: number): string {
  const base = (fileName ?? '').split(/[/\\]/).at(-1) ?? '';
  const visible = base.replace(INVISIBLE, '').replace(/\s+/g, ' ').trim();
  const label = [...visible].slice(0, MAX_LABEL_CHARS).join('');
  return /^\.*$/.test(label) ? `file ${index + 1}` : label;
}

function readOnce(headers: RawPartHeaders, name: string): ParameterizedValue | undefined {
  const given = headers[name] ?? [];
  if (given.length === 0) return undefined;
  const read = given.length === 1 ? readParameterized(given[0] ?? '') : undefined;
  if (read === undefined) throw malformed('A part of the form has a malformed header');
  return read;
}

function readName({ parameters }: ParameterizedValue): string {
  const name = decodeUtf8(parameters.get('name') ?? '');
  if (name === undefined) throw malformed('A part of the form has a name that is not UTF-8');
  if (name === '') throw malformed('A part of the form has no name');
  if (name.length > MAX_NAME_CHARS)
    throw malformed(`A part of the form has a name of over ${MAX_NAME_CHARS} characters`);
  if (/\p{Cc}/u.test(name)) throw malformed('A part of the form has a control character in its name');
  return name;
}

function requirePlain(headers: RawPartHeaders, type: ParameterizedValue | undefined): void {
  const encodings = headers['content-transfer-encoding'] ?? [];
  if (!encodings.every((encoding) => PLAIN_ENCODINGS.has(encoding.trim().toLowerCase()))) {
    throw malformed('A part of the form has a Content-Transfer-Encoding; parts are sent as they are');
  }
  if (type?.value.startsWith('multipart/')) throw malformed('A part of the form has parts itself');
  if (type?.value.startsWith('text/') && !isUtf8(type.parameters.get('charset'))) {
    throw malformed('A text field of the form is not in the charset utf-8');
  }
}

/** Some clients send bytes from memory as `application/octet-stream` without a file name. */
function readFileName({ parameters }: ParameterizedValue, type: ParameterizedValue | undefined): string | undefined {
  const plain = parameters.get('filename');
  if (plain !== undefined) return decodeUtf8(plain) ?? '?';
  const extended = parameters.get('filename*');
  if (extended !== undefined) return decodeExtended(extended) ?? '?';
  return type?.value === 'application/octet-stream' ? 'blob' : undefined;
}

function decodeExtended(text: string): string | undefined {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(text) ?? [];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

function decodeUtf8(binaryText: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(binaryText, 'latin1'));
  } catch {
    return undefined;
  }
}

function malformed(message: string): AppError {
  return new AppError('invalidRequest', message);
}
