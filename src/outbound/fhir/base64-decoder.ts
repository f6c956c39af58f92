// Decodes base64 that comes in pieces, as strictly as FHIR writes it: white space is allowed anywhere; any other character, a
// missing padding or anything after it is an error. Node's own decoder silently ignores all of these.

export class InvalidBase64 extends Error {}

const SPACE = /[ \t\r\n\f]+/g;
const QUADS = /^[A-Za-z0-9+/]*={0,2}$/;
/** Letters of the URL-safe alphabet, which Node accepts too. */
const OTHER_ALPHABET = /[-_]/;

/** A decoder for one text. */
export class Base64Decoder {
  /** Fewer than four letters, and white space. */
  #carry = '';
  #isEnded = false;

  push(piece: string): Buffer {
    const text = this.#carry + piece;
    const length = text.length - (text.length % 4);
    const quads = text.slice(0, length);
    const bytes = Buffer.from(quads, 'base64');
    // Anything that Node ignores makes the result shorter: a result of full length proves every letter but two.
    if (this.#isEnded || bytes.length !== (length / 4) * 3 || OTHER_ALPHABET.test(quads)) return this.#pushSlowly(text);
    this.#carry = text.slice(length);
    return bytes;
  }

  /** Throws if letters are missing. */
  finish(): void {
    if (this.#carry.replace(SPACE, '') !== '') throw new InvalidBase64();
  }

  #pushSlowly(spaced: string): Buffer {
    const text = spaced.replace(SPACE, '');
    const length = text.length - (text.length % 4);
    const quads = text.slice(0, length);
    this.#carry = text.slice(length);
    if (!QUADS.test(quads) || (this.#isEnded && text !== '')) throw new InvalidBase64();
    this.#isEnded ||= quads.endsWith('=');
    return Buffer.from(quads, 'base64');
  }
}
