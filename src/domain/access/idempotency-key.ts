// The Idempotency-Key of a request: a client sends the same one again when it does not know whether its first try was answered.

const MOST_CHARACTERS = 255;
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

export const IDEMPOTENCY_KEY_RULE = `The Idempotency-Key must be one text of 1 to ${MOST_CHARACTERS} printable ASCII characters, with or without quotes`;

/** The key in a header, quoted (as the draft of the IETF has it) or bare; undefined for any other text. */
export function readIdempotencyKey(header: string): string | undefined {
  const text = header.trim();
  const [, quoted] = QUOTED.exec(text) ?? [];
  if (quoted === undefined && text.includes('"')) return undefined;
  const key = quoted?.replace(/\\(["\\])/g, '$1') ?? text;
  return key.length <= MOST_CHARACTERS && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(key) ? key : undefined;
}
