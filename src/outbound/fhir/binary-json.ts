// Decodes the data of a FHIR Binary in JSON while it arrives: 100 MB of recording are 133 MB of base64, and none of it is held in
// memory. Everything around the data is small; it is collected and parsed as JSON at the end.
import { AppError } from '../../domain/errors.ts';
import { Base64Decoder, InvalidBase64 } from './base64-decoder.ts';

/** The rest is an id, a meta and a content type. */
const MAX_AROUND_BYTES = 262_144;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g;
const CUT_ESCAPE = /\\(?:u[0-9a-fA-F]{0,3})?$/;
/** The only escapes that base64 with line breaks can need. */
const ESCAPED: Readonly<Record<string, string>> = { '/': '/', n: '\n', r: '\r', t: '\t', f: '\f' };

/** Throws `ehrAnswer` at the end at the latest: the bytes are valid only after it. Rethrows what `chunks` throws. */
export async function* readBinaryJson(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = new BinaryJsonReader();
  for await (const chunk of chunks) yield* reader.push(chunk);
  reader.finish();
}

class BinaryJsonReader {
  /** The text outside the data, in which the data is an empty string. */
  readonly #around: Buffer[] = [];
  #aroundBytes = 0;
  #scanner = new MemberScanner();
  /** Set while its letters arrive. */
  #data: DataText | undefined;
  #hasData = false;

  *push(chunk: Uint8Array): Generator<Uint8Array, void, undefined> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let at = 0; at < bytes.length; ) {
      if (this.#data === undefined) at = this.#passAround(bytes, at);
      else {
        const end = bytes.indexOf(QUOTE, at);
        const decoded = this.#data.push(bytes.toString('latin1', at, end < 0 ? bytes.length : end));
        if (decoded.length > 0) yield decoded;
        at = end < 0 ? bytes.length : end;
        if (end >= 0) this.#endData();
      }
    }
  }

  finish(): void {
    const text = Buffer.concat(this.#around).toString('utf8');
    const resource = parseObject(text.replace(/^\ufeff/, ''));
    if (resource === undefined) throw unusable('it is cut or no JSON');
    if (!('resourceType' in resource) || resource.resourceType !== 'Binary') throw unusable('it is no Binary');
    if (!this.#hasData) throw unusable('it has no data');
  }

  /** Collects bytes up to the beginning of the data or the end of the chunk. */
  #passAround(bytes: Buffer, from: number): number {
    let at = from;
    while (at < bytes.length && this.#data === undefined) {
      if (this.#scanner.isDataAt(bytes[at] ?? 0)) this.#beginData();
      at += 1;
    }
    this.#aroundBytes += at - from;
    if (this.#aroundBytes > MAX_AROUND_BYTES) throw unusable('it is too long');
    // A copy: a slice would keep the whole chunk.
    this.#around.push(Buffer.from(bytes.subarray(from, at)));
    return at;
  }

  #beginData(): void {
    if (this.#hasData) throw unusable('it has data twice');
    this.#hasData = true;
    this.#data = new DataText();
  }

  #endData(): void {
    this.#data?.finish();
    this.#data = undefined;
  }
}

/** Tracks the position in the JSON as far as needed to recognise the member `data` of the outermost object. */
class MemberScanner {
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  /** True between the colon of a member and the comma after it. */
  #isValue = false;
  /** In the outermost object: the member name that is being read, and the last one. */
  #letters: number[] | undefined;
  #name: string | undefined;

  /** True if this byte is the quotation mark before the data. */
  isDataAt(byte: number): boolean {
    if (this.#isInText) this.#passText(byte);
    else if (byte === QUOTE) return this.#beginText();
    else if (OPENING.has(byte)) this.#depth += 1;
    else if (CLOSING.has(byte)) this.#depth -= 1;
    else if (byte === COLON) this.#isValue = true;
    else if (byte === COMMA) this.#isValue = false;
    return false;
  }

  /** The scanner sees only the closing mark of the data, as if it were an empty string. */
  #beginText(): boolean {
    this.#isInText = true;
    if (this.#depth !== 1) return false;
    if (!this.#isValue) this.#letters = [];
    return this.#isValue && this.#name === 'data';
  }

  #passText(byte: number): void {
    if (!this.#isEscaped && byte === QUOTE) {
      this.#endText();
    } else {
      this.#isEscaped = !this.#isEscaped && byte === BACKSLASH;
      this.#letters?.push(byte);
    }
  }

  #endText(): void {
    this.#isInText = false;
    if (this.#letters === undefined) return;
    this.#name = parseText(Buffer.from(this.#letters).toString('utf8'));
    this.#letters = undefined;
  }
}

/** The base64 in a JSON text: escapes may be cut at the end of a chunk. */
class DataText {
  readonly #decoder = new Base64Decoder();
  #carry = '';

  push(piece: string): Buffer {
    const text = this.#carry + piece;
    this.#carry = '';
    return this.#decode(text.includes('\\') ? this.#unescape(text) : text);
  }

  finish(): void {
    if (this.#carry !== '') throw unusable('its data is no base64');
    asAnswer(() => this.#decoder.finish());
  }

  #unescape(text: string): string {
    this.#carry = CUT_ESCAPE.exec(text)?.[0] ?? '';
    const whole = text.slice(0, text.length - this.#carry.length);
    return whole.replace(ESCAPE, (_, code: string | undefined, letter: string) =>
      code === undefined ? (ESCAPED[letter] ?? '\\') : String.fromCharCode(Number.parseInt(code, 16)),
    );
  }

  #decode(text: string): Buffer {
    return asAnswer(() => this.#decoder.push(text));
  }
}

function asAnswer<T>(decode: () => T): T {
  try {
    return decode();
  } catch (thrown) {
    throw thrown instanceof InvalidBase64 ? unusable('its data is no base64') : thrown;
  }
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function parseText(letters: string): string | undefined {
  try {
    return String(JSON.parse(`"${letters}"`));
  } catch {
    return undefined;
  }
}

function unusable(why: string): AppError {
  return new AppError('ehrAnswer', `The EHR gave a recording as JSON that cannot be used: ${why}`);
}
