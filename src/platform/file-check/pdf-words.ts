// The protocol of the child process that reads a PDF's text: one of these lines, then the text.

export const WHOLE = 'text\n';
/** Not all that is in it. */
export const PART = 'text in part\n';
/** UTF-16 units. */
export const MAX_TEXT_LENGTH = 200_000;
