// Finds literal text that was probably meant as an expression: a variable without braces, or braces too many. Without this check
// it would go into the chart as it is written.
import { CONSTANTS } from '../fhirpath/check-names.ts';

/** `at` is a position in the part. */
export type TextProblem = { readonly part: number; readonly at: number; readonly message: string };

/** `parts` are the parts of one text; undefined is an expression. */
export function textProblems(
  parts: readonly (string | undefined)[],
  isKnown: (name: string) => boolean,
): readonly TextProblem[] {
  const problems: TextProblem[] = [];
  // Text may hold braces of its own, as JSON does: those that close them are not too many.
  let open = 0;
  for (const [part, text] of parts.entries()) {
    if (text === undefined) continue;
    for (const { at, name } of namesIn(text)) {
      if (isKnown(name) || CONSTANTS.has(name))
        problems.push({ part, at, message: `%${name} is only read inside {{ … }}` });
    }
    const block = text.indexOf('{%');
    if (block >= 0)
      problems.push({ part, at: block, message: 'a block such as {% if … %} is a key, not a part of a text' });
    const left = leftover(text, open);
    open = left.open;
    if (left.at !== undefined)
      problems.push({ part, at: left.at, message: `there is a ${text.slice(left.at, left.at + 2)} too many` });
  }
  return problems;
}

/** Not the `%ab` of an address, which encodes a character. */
function namesIn(text: string): readonly { readonly at: number; readonly name: string }[] {
  return [...text.matchAll(/%([A-Za-z_]\w*)/g)]
    .map(({ index, 1: name = '' }) => ({ at: index, name }))
    .filter(({ name }) => !/^[0-9A-Fa-f]{2}$/.test(name));
}

/** The first `}}` or `%}` that nothing in the text has opened. */
function leftover(text: string, openBefore: number): { readonly open: number; readonly at?: number } {
  let open = openBefore;
  for (let at = text.search(/[{}]/); at >= 0 && at < text.length; at++) {
    if (text[at] === '{') open++;
    if (text[at] !== '}') continue;
    if (open > 0) open--;
    else if (text[at + 1] === '}') return { open, at };
    else if (text[at - 1] === '%') return { open, at: at - 1 };
  }
  return { open };
}
