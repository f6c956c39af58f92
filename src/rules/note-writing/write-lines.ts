// Writes the text of a section: one line for each question with its answers, or for consecutive statements of one speaker. Statements of
// speakers other than the clinician are in quotation marks.
import type { Statement } from './statement.ts';

type LineParts = {
  /** What the note calls each speaker who is with the patient: `Mother`. */
  readonly labels: ReadonlyMap<number, string>;
  readonly clinicians: ReadonlySet<number>;
};

/** A line of a note, with the utterances that it is made of. */
export type Line = { readonly text: string; readonly cites: readonly number[] };

export function writeLines(statements: readonly Statement[], parts: LineParts): readonly Line[] {
  const lines: Statement[][] = [];
  for (const statement of statements) {
    const last = lines.at(-1);
    if (last?.[0]?.exchange === statement.exchange) last.push(statement);
    else lines.push([statement]);
  }
  return lines.map((line) => ({ text: writeLine(line, parts), cites: citesOf(line) }));
}

function citesOf(line: readonly Statement[]): readonly number[] {
  const all = line.flatMap(({ utterances, question }) => [...utterances, ...(question?.utterances ?? [])]);
  return [...new Set(all)].toSorted((a, b) => a - b);
}

function writeLine(line: readonly Statement[], parts: LineParts): string {
  const pieces: { speaker: number; text: string }[] = [];
  const asked = new Set<string>();
  for (const { question, speaker, text } of line) {
    if (question && !asked.has(question.text)) pieces.push({ speaker: question.speaker, text: question.text });
    if (question) asked.add(question.text);
    const last = pieces.at(-1);
    if (last?.speaker === speaker) last.text += ` ${text}`;
    else pieces.push({ speaker, text });
  }
  return pieces.map((piece) => attributed(piece, parts)).join(' ');
}

function attributed({ speaker, text }: { speaker: number; text: string }, { labels, clinicians }: LineParts): string {
  if (clinicians.has(speaker)) return text;
  const quoted = `“${text.replace(/[“”]/g, '"')}”`;
  const label = labels.get(speaker);
  return label === undefined ? quoted : `${label}: ${quoted}`;
}
