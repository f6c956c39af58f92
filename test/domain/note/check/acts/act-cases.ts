// Made-up talks with one statement each, for the tests of acts.
import type { Language } from '../../../../../src/domain/language.ts';
import { checkNote } from '../../../../../src/domain/note/check-note.ts';
import type { StatementKind } from '../../../../../src/domain/note/check-report.ts';

export type ActCase = {
  readonly language: Language;
  /** Each turn begins with who speaks: `D:` doctor, `P:` patient, `R:` relative. */
  readonly talk: string;
  readonly statement: string;
  readonly section: string;
};

const SPEAKERS = 'DPR';
const SECONDS = 5;
const KINDS: ReadonlySet<StatementKind> = new Set([
  'order',
  'procedure',
  'consent',
  'pregnancy',
  'resuscitation',
  'self-harm',
  'drug-change',
  'follow-up',
  'disposition',
]);

/** A line is `talk => statement | section`. */
export function casesOf(language: Language, lines: string): readonly ActCase[] {
  return lines
    .split('\n')
    .filter((line) => line.includes('=>'))
    .map((line) => {
      const [talk = '', rest = ''] = line.split('=>');
      const [statement = '', section = ''] = rest.split('|');
      return { language, talk: talk.trim(), statement: statement.trim(), section: section.trim() };
    });
}

/** The acts of the statement that are not supported. */
export function doubtsOf({ language, talk, statement, section }: ActCase): readonly string[] {
  const utterances = talk
    .split(/\s*(?=\b[DPR]: )/)
    .filter(Boolean)
    .map((turn, index) => ({
      speaker: SPEAKERS.indexOf(turn.charAt(0)),
      text: turn.slice('D:'.length).trim(),
      startSeconds: index * SECONDS,
      endSeconds: (index + 1) * SECONDS,
      confidence: 0.9,
    }));
  const report = checkNote({
    note: { note: { title: '', sections: [{ key: section, title: section, text: statement }] } },
    transcript: { language, durationSeconds: utterances.length * SECONDS, utterances },
    language,
    maxUnsupported: {},
  });
  return report.statements
    .filter(({ kind, verdict }) => KINDS.has(kind) && verdict !== 'supported')
    .map(({ kind, verdict, from, to }) => `${verdict} ${kind} ${statement.slice(from, to)}`);
}
