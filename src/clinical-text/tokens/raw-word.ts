/** A word or a number on its way to a token: the readers of this room join and replace raw words. Places are characters. */
export type RawWord = { text: string; start: number; end: number; number?: number };
