// How words are compared: lower case, without accents. Languages that are told apart by an accent are told apart before.

const NOT_ASCII = /[^\0-\x7f]/;

export function fold(text: string): string {
  const lower = text.toLowerCase();
  return NOT_ASCII.test(lower) ? lower.normalize('NFD').replace(/\p{M}/gu, '') : lower;
}
