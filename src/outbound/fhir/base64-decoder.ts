// Decodes base64 that comes in pieces, as strictly as FHIR writes it: white space may stand anywhere, any other stranger, a missing
// padding or anything behind it is an error. Node's own decoder passes over all of these in silence.

export class InvalidBase64 extends Error {}

const SPACE = /[ \t\r\n\f]+/g;
const QUADS = /^[A-Za-z0-9+/]*={0,2}$/;
/** Of another alphabet that Node takes for this one. */
const OTHER_ALPHABET = /[-_]/;

/** One for each text. */
export class Base64Decoder {
  /** Less than four letters, and white space. */
  #carry = '';
  #isEnded = false;

  push(piece: string): Buffer {
    const text = this.#carry + piece;
    const length = text.length - (text.length % 4);
    const quads = text.slice(0, length);
    const bytes = Buffer.from(quads, 'base64');
    // Whatever Node passes over makes the result shorter: a result of full length proves every letter but two.
    if (this.#isEnded || bytes.length !== (length / 4) * 3 || OTHER_ALPHABET.test(quads)) return this.#pushSlowly(text);
    this.#carry = text.slice(length);
    return bytes;
  }

  /** Throws where letters are missing. */
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
