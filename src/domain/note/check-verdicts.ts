// The verdict on each statement of a checked note. An unsupported statement is contradicted if the conversation says the opposite, or another
// value of the same thing: the other side, another dose of the same drug, a denied allergy that was affirmed.

import { findDrugsInNote, makeFindDrugsInSpeech, ownNames } from '../../clinical-text/drugs/find-drugs.ts';
import type { Language } from '../language.ts';
import type { Transcript } from '../recording/transcript.ts';
import type { ClaimContent } from './check/claim.ts';
import { readClaims } from './check/claims.ts';
import { contradictionOf } from './check/contradictions.ts';
import { readTranscript } from './check/spoken-facts.ts';
import { readFacts, type TextFacts } from './check/text-facts.ts';
import type { CheckedStatement, CheckReport } from './check-report.ts';
import type { WrittenNote } from './note.ts';

export const VERDICTS = ['supported', 'unsupported', 'contradicted'] as const;
export type Verdict = (typeof VERDICTS)[number];

export type JudgedStatement = Omit<CheckedStatement, 'said'> & {
  /** Its words in the note. */
  readonly text: string;
  readonly verdict: Verdict;
  /** What a run with these limits does: `hold` if there are more of its kind than the limit allows, `mark` if it only marks it. */
  readonly effect: 'none' | 'mark' | 'hold';
  /** The utterance that supports or contradicts it. */
  readonly said?: CheckedStatement['said'];
};

type JudgeParts = {
  readonly note: WrittenNote;
  readonly transcript: Transcript;
  readonly language: Language;
  /** The report on this note and this transcript. */
  readonly report: Pick<CheckReport, 'statements' | 'exceeded'>;
};

type Section = { readonly reading: TextFacts; readonly contents: ReadonlyMap<string, readonly ClaimContent[]> };

export function judgeStatements(parts: JudgeParts): readonly JudgedStatement[] {
  const { note, transcript, report } = parts;
  const contradictedBy = findContradictions(parts);
  return report.statements.map((statement): JudgedStatement => {
    const { said, ...place } = statement;
    const worded = { ...place, text: checkedText(note, place.section).slice(place.from, place.to) };
    if (said !== undefined) return { ...worded, verdict: 'supported', effect: 'none', said };
    const effect = report.exceeded.includes(place.kind) ? 'hold' : 'mark';
    const utterance = contradictedBy.get(statement);
    if (utterance === undefined) return { ...worded, verdict: 'unsupported', effect };
    const { startSeconds = 0 } = transcript.utterances[utterance] ?? {};
    return { ...worded, verdict: 'contradicted', effect, said: { utterance, startSeconds } };
  });
}

/** Reads the conversation once more, and only if something of the note was not found in it. */
function findContradictions(parts: JudgeParts): ReadonlyMap<CheckedStatement, number> {
  const { note, transcript, language, report } = parts;
  const unsupported = report.statements.filter(({ said }) => said === undefined);
  if (unsupported.length === 0) return new Map();
  const names = new Set(report.statements.map(({ section }) => section));
  const sections = new Map([...names].map((name) => [name, readSection(checkedText(note, name), language)]));
  const claimed = unsupported.map((statement) => {
    return [statement, sections.get(statement.section)?.contents.get(keyOf(statement)) ?? []] as const;
  });
  const findDrugs = makeFindDrugsInSpeech(ownNames([...sections.values()].flatMap(({ reading }) => reading.drugs)));
  const stems = new Set(claimed.flatMap(([, contents]) => contents.flatMap(stemsOf)));
  const spoken = readTranscript({ transcript, findDrugs, stems });
  return new Map(
    claimed.flatMap(([statement, contents]) => {
      const found = contents.map((content) => contradictionOf(content, spoken, language));
      const utterance = found.find((one) => one !== undefined);
      return utterance === undefined ? [] : [[statement, utterance] as const];
    }),
  );
}

function readSection(text: string, language: Language): Section {
  const reading = readFacts({ text, language, findDrugs: findDrugsInNote });
  const keyed = readClaims(reading, language).map(({ kind, first, end, content }) => {
    const [from, to] = [reading.tokens[first]?.from ?? 0, reading.tokens[end - 1]?.to ?? 0];
    return { key: keyOf({ kind, from, to }), content };
  });
  const contents = new Map(
    [...Map.groupBy(keyed, ({ key }) => key)].map(([key, found]) => [key, found.map(({ content }) => content)]),
  );
  return { reading, contents };
}

function keyOf({ kind, from, to }: Pick<CheckedStatement, 'kind' | 'from' | 'to'>): string {
  return `${kind} ${from} ${to}`;
}

function stemsOf(content: ClaimContent): readonly string[] {
  if (content.what === 'words') return content.stems;
  if (content.what !== 'allergy') return [];
  return content.substances.filter((id) => id.startsWith('word:')).map((id) => id.slice('word:'.length));
}

/** The text that a statement's `section` names: `title`, a section's key, or a dynamic field. */
export function checkedText({ note, dynamicFields = {} }: WrittenNote, name: string): string {
  if (name === 'title') return note.title;
  const section = note.sections.find(({ key }) => key === name);
  return section?.text ?? dynamicFields[name.replace(/^dynamic_fields\./, '')] ?? '';
}
