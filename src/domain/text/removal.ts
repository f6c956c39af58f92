// What the parts of `removeMarkup` share.

/** Is put where something was removed, so that the words on both sides do not become one. No clean text has this character. */
export const GAP = '\uffff';

export type RemovalCount = { markup: number; addresses: number };
