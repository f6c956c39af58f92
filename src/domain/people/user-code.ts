// The code that a person types to confirm a sign-in of the command line (RFC 8628, section 6.1): 8 of 20 consonants, which spell no words and are
// not mistaken for one another.

export const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
/** Bytes from here on would make some letters likelier than others. */
const FAIR_BYTES = 256 - (256 % USER_CODE_LETTERS.length);

/** As it is shown: `WDJB-MJHT`. */
export function makeUserCode(makeSecret: (sizeBytes: number) => Uint8Array): string {
  let letters = '';
  while (letters.length < LENGTH) {
    for (const byte of makeSecret(LENGTH)) {
      if (byte < FAIR_BYTES && letters.length < LENGTH) letters += USER_CODE_LETTERS[byte % USER_CODE_LETTERS.length];
    }
  }
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** What was typed, in any case, with or without the hyphen; undefined if it cannot be a code. */
export function readUserCode(typed: string): string | undefined {
  const letters = typed.toUpperCase().replace(/[\s\-–—_.]+/g, '');
  const isCode = letters.length === LENGTH && [...letters].every((letter) => USER_CODE_LETTERS.includes(letter));
  return isCode ? `${letters.slice(0, 4)}-${letters.slice(4)}` : undefined;
}
