// Checks a note against its transcript and the chart: what each statement claims is searched in what was said. A statement that is not found, or
// that was said otherwise, is marked in the draft, or holds it. What was said and is in no statement is listed. It proves neither that the
// rest is right nor that nothing else is missing.

import { findDrugsInNote, makeFindDrugsInSpeech, ownNames } from '../../clinical-text/drugs/find-drugs.ts';
import type { Diagnosis } from '../diagnosis/diagnosis.ts';
import type { Language } from '../language.ts';
import { coverSpeech } from '../recording/speech-coverage.ts';
import type { Transcript } from '../recording/transcript.ts';
import type { SoundSpan } from '../run/step-results.ts';
import type { ChartToCheck } from './chart-to-check.ts';
import { actClaims } from './check/act-claims.ts';
import { compareWithChart } from './check/chart-claims.ts';
import type { CheckWork, ClaimWithVerdict } from './check/check-work.ts';
import { supportCopied } from './check/copied.ts';
import { gatherEvidence } from './check/evidence.ts';
import { findingClaims } from './check/finding-claims.ts';
import { findMisplaced } from './check/misplaced.ts';
import { findMissing } from './check/missing.ts';
import { pointReasons } from './check/reasons.ts';
import { readTranscript } from './check/spoken-facts.ts';
import { statedClaims, stemsOf } from './check/stated-claims.ts';
import { readFacts } from './check/text-facts.ts';
import { type CheckSettings, effectOf } from './check-policy.ts';
import {
  type CheckedStatement,
  type CheckReport,
  STATEMENT_KINDS,
  type StatementKind,
  verdictOf,
} from './check-report.ts';
import { changeTexts, checkedText, checkedTexts } from './checked-text.ts';
import type { Lexicon } from './lexicon.ts';
import { CONFLICT_MARKS, NOT_FOUND_MARKS } from './marks.ts';
import type { WrittenNote } from './note.ts';
import { placeStatements } from './statements.ts';

export type CheckParts = CheckSettings & {
  readonly note: WrittenNote;
  readonly transcript: Transcript;
  /** The language of the note. */
  readonly language: Language;
  /** The parts of the recording with sound, if they could be measured. */
  readonly sound?: readonly SoundSpan[];
  /** The length of the recordings as the caller declares it. */
  readonly declaredSeconds?: number;
  /** Absent: the note is compared with the talk alone. */
  readonly chart?: ChartToCheck;
  /** The differential diagnosis of the same session: its reasons are looked up, not judged. */
  readonly diagnosis?: Diagnosis;
};

/** The same note, talk and chart always give the same report. Places are character offsets of the unmarked text. */
export function checkNote(parts: CheckParts, lexicon?: Lexicon): CheckReport {
  const work = readAll(parts, lexicon);
  const readAgain = (index: number, utterances: readonly number[]) => claimsIn(limitTo(work, index, utterances));
  const judged = findMisplaced({ claims: claimsIn(work), work, readAgain });
  const claims = inOrder(supportCopied(judged, work), work);
  const unsupported = countUnsupported(claims);
  const statements = withEffects(claims, parts, unsupported);
  return {
    statements,
    evidence: gatherEvidence({ work, claims: statements }),
    missing: findMissing(work),
    ...(parts.diagnosis && { reasons: pointReasons(work, parts.diagnosis) }),
    unsupported,
    exceeded: heldKinds(statements),
    ...coverSpeech(parts),
  };
}

function claimsIn(work: CheckWork): readonly ClaimWithVerdict[] {
  return compareWithChart([...statedClaims(work), ...findingClaims(work), ...actClaims(work)], work);
}

/** The work on one statement, as if it were the note and nothing but these utterances had been said, and without the chart. */
function limitTo({ chart: _, ...work }: CheckWork, index: number, utterances: readonly number[]): CheckWork {
  const { section = '', from = 0, to = 0 } = work.statements[index] ?? {};
  const reading = work.statementFacts[index];
  const text = work.texts.find(({ name }) => name === section)?.text.slice(from, to) ?? '';
  const texts = reading === undefined ? [] : [{ name: section, text, reading }];
  const said = utterances.flatMap((at) => work.transcript.utterances[at] ?? []);
  const transcript = { ...work.transcript, utterances: said };
  return {
    ...work,
    texts,
    statements: [{ section, from: 0, to: text.length, cites: [...said.keys()] }],
    statementFacts: texts.map((one) => one.reading),
    transcript,
    spoken: readSpoken(texts, transcript, work.language),
  };
}

function readSpoken(texts: CheckWork['texts'], transcript: Transcript, language: Language): CheckWork['spoken'] {
  const findDrugs = makeFindDrugsInSpeech(ownNames(texts.flatMap(({ reading }) => reading.drugs)));
  return readTranscript({ transcript, findDrugs, stems: stemsOf(texts, language) });
}

function readAll({ note, transcript, language, chart }: CheckParts, lexicon: Lexicon | undefined): CheckWork {
  const texts = checkedTexts(note).map(([name, text]) => {
    return { name, text, reading: readFacts({ text, language, findDrugs: findDrugsInNote }) };
  });
  const statements = placeStatements(note);
  return {
    texts,
    statements,
    statementFacts: statements.map(({ section, from, to }) => {
      return readFacts({ text: checkedText(note, section).slice(from, to), language, findDrugs: findDrugsInNote });
    }),
    language,
    transcript,
    spoken: readSpoken(texts, transcript, language),
    ...(lexicon && { lexicon }),
    ...(chart && { chart }),
  };
}

function inOrder(claims: readonly ClaimWithVerdict[], { texts }: CheckWork): readonly ClaimWithVerdict[] {
  const order = new Map(texts.map(({ name }, index) => [name, index]));
  const placeOf = ({ section }: ClaimWithVerdict) => order.get(section) ?? 0;
  return claims.toSorted((a, b) => placeOf(a) - placeOf(b) || a.from - b.from || a.to - b.to);
}

/** What a run does with each claim, by its site's settings and the counts of all claims. */
export function withEffects(
  claims: readonly CheckedStatement[],
  settings: CheckSettings,
  unsupported: CheckReport['unsupported'],
): readonly CheckedStatement[] {
  return claims.map((claim) => {
    const count = isUnsupported(claim) ? (unsupported[claim.kind] ?? 0) : 0;
    return { ...claim, effect: effectOf({ ...settings, kind: claim.kind, verdict: verdictOf(claim), count }) };
  });
}

/** What was said elsewhere, or only contradicts the chart, has support in the recording. */
function isUnsupported(claim: Pick<CheckedStatement, 'verdict' | 'said'>): boolean {
  const verdict = verdictOf(claim);
  return verdict === 'unsupported' || verdict === 'contradicted';
}

export function countUnsupported(
  claims: readonly CheckedStatement[],
): Readonly<Partial<Record<StatementKind, number>>> {
  const byKind = Map.groupBy(claims.filter(isUnsupported), ({ kind }) => kind);
  return Object.fromEntries([...byKind].map(([kind, found]) => [kind, found.length]));
}

/** The kinds for which the note is held. */
export function heldKinds(statements: readonly CheckedStatement[]): readonly StatementKind[] {
  const held = new Set(statements.filter(({ effect }) => effect === 'hold').map(({ kind }) => kind));
  return STATEMENT_KINDS.filter((kind) => held.has(kind));
}

/**
 * Returns the checked note with a mark behind each claim that is not supported by the recording, or that the chart contradicts, unless the
 * site lets it pass.
 */
export function markNote(parts: {
  readonly note: WrittenNote;
  readonly report: Pick<CheckReport, 'statements'>;
  readonly language: Language;
}): WrittenNote {
  const marked = Map.groupBy(
    parts.report.statements.filter((claim) => isMarked(claim) && claim.effect !== 'none'),
    ({ section }) => section,
  );
  return changeTexts(parts.note, (name, text) => markText(text, marked.get(name) ?? [], parts.language));
}

function isMarked(claim: CheckedStatement): boolean {
  return isUnsupported(claim) || verdictOf(claim) === 'conflict';
}

/** Sets one mark per place, even if two claims end there, and never within a word. That it was not said counts more. */
function markText(text: string, claims: readonly CheckedStatement[], language: Language): string {
  const byEnd = Map.groupBy(claims, ({ to }) => endOfWord(text, to));
  let [marked, done] = ['', 0];
  for (const [end, ending] of [...byEnd].toSorted(([a], [b]) => a - b)) {
    const markers = ending.some(isUnsupported) ? NOT_FOUND_MARKS : CONFLICT_MARKS;
    marked += `${text.slice(done, end)} ${markers[language]}`;
    done = end;
  }
  return marked + text.slice(done);
}

function endOfWord(text: string, place: number): number {
  let end = place;
  while (/^[\p{L}\p{M}\p{N}]/u.test(text.slice(end, end + 2)))
    end += text.codePointAt(end) === text.charCodeAt(end) ? 1 : 2;
  return end;
}
