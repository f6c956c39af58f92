// Text from outside on its way into a prompt: data, never instructions. Characters that a person cannot see, but a model
// reads, are taken out; the rest stays as it is, between marks that its author cannot guess.
import { randomBytes } from 'node:crypto';

// Zero-width and joining characters, bidirectional controls, fillers, variation selectors, tags, control characters.
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad]|\u034f|[\u061c\u115f\u1160\u17b4\u17b5]|[\u180b-\u180f]|[\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164]|[\ufe00-\ufe0f]|[\ufeff\uffa0\ufff0-\ufffb]|[\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** The text without characters that cannot be seen. A line or paragraph separator becomes a line break. */
export function stripHidden(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u0085\u2028\u2029]/g, '\n')
    .replace(HIDDEN, '');
}

export type Fence = { readonly begin: string; readonly end: string };

/** Random marks for one call: the author of the text between them cannot know them. */
export function makeFence(label: string): Fence {
  const secret = randomBytes(12).toString('hex');
  return { begin: `<<<${label} ${secret}>>>`, end: `<<<END OF ${label} ${secret}>>>` };
}

export function fenced(fence: Fence, text: string): string {
  return `${fence.begin}\n${text}\n${fence.end}`;
}
