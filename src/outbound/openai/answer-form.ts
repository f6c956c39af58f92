// Reads the events of one answer, which differ in their text alone: once the place of the text is known, an event of the same form is read by
// it, without its JSON. Thousands of events an answer would else be taken apart in full, which costs more than all else that is done with them.
import { type AnswerPart, readStreamedPart } from './answer-part.ts';
import type { ServerEvent } from './event-reader.ts';

/** The event is `head`, the characters of the text as JSON writes them, and `tail`. */
type Form = { readonly name: string; readonly head: string; readonly tail: string; readonly part: AnswerPart };

/** A vendor whose events differ in more than their text is not searched for a form again and again. */
const MOST_FORMS = 4;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these within a string.
const NEEDS_JSON = /["\\\u0000-\u001f]/;

export class AnswerForm {
  #form: Form | undefined;
  #formsTried = 0;

  /** Throws an AppError, or a SyntaxError. */
  read(event: ServerEvent): AnswerPart {
    const content = this.#form && textIn(this.#form, event);
    if (this.#form !== undefined && content !== undefined) return { ...this.#form.part, content };
    const part = readStreamedPart(event);
    if (part.content && this.#formsTried < MOST_FORMS) {
      this.#formsTried += 1;
      this.#form = formOf(event, part.content);
    }
    return part;
  }
}

/** Undefined: the event has another form, or its text has to be read with all of it. */
function textIn({ name, head, tail }: Form, { name: ofEvent, data }: ServerEvent): string | undefined {
  const end = data.length - tail.length;
  // Slices are compared in whole words of memory; `startsWith` goes through the characters, and takes twice as long.
  if (ofEvent !== name || end < head.length || data.slice(0, head.length) !== head || data.slice(end) !== tail)
    return undefined;
  const written = data.slice(head.length, end);
  return NEEDS_JSON.test(written) ? unescaped(written) : written;
}

/** Undefined if these are not the characters of one string. */
function unescaped(written: string): string | undefined {
  try {
    return JSON.parse(`"${written}"`);
  } catch {
    return undefined;
  }
}

/** The place of the text is proven: with another string there, the event has that as its text, and is still an event. */
function formOf({ name, data }: ServerEvent, content: string): Form | undefined {
  const written = JSON.stringify(content).slice(1, -1);
  const at = data.lastIndexOf(`"${written}"`) + 1;
  if (at === 0) return undefined;
  const [head, tail] = [data.slice(0, at), data.slice(at + written.length)];
  const other = content === 'a' ? 'b' : 'a';
  const part = readStreamedPart({ name, data: `${head}${other}${tail}` });
  return part.content === other ? { name, head, tail, part } : undefined;
}
