// Checks a note against its transcript: each drug, dose, number, side, allergy, date, denied finding and attestation of the note is searched
// in the transcript, and a statement that is not found is marked in the draft. It proves neither that the rest is right nor that nothing is
// missing.

import { findDrugsInNote, makeFindDrugsInSpeech, ownNames } from '../../clinical-text/drugs/find-drugs.ts';
import type { Language } from '../language.ts';
import { coverSpeech } from '../recording/speech-coverage.ts';
import type { Transcript } from '../recording/transcript.ts';
import type { SoundSpan } from '../run/run.ts';
import type { Claim, ClaimContent } from './check/claim.ts';
import { readClaims } from './check/claims.ts';
import { readTranscript } from './check/spoken-facts.ts';
import { supportOf } from './check/support.ts';
import type { Support } from './check/support-value.ts';
import { readFacts, type TextFacts } from './check/text-facts.ts';
import type { CheckedStatement, CheckReport, StatementKind } from './check-report.ts';
import { STATEMENT_KINDS } from './check-report.ts';
import type { WrittenNote } from './note.ts';

type CheckParts = {
  readonly note: WrittenNote;
  readonly transcript: Transcript;
  /** The language of the note. */
  readonly language: Language;
  /** The parts of the recording with sound, if they could be measured. */
  readonly sound?: readonly SoundSpan[];
  /** The length of the recordings as the caller declares it. */
  readonly declaredSeconds?: number;
  /** The limit of each kind; a kind without an entry has no limit. */
  readonly maxUnsupported: Readonly<Record<string, number>>;
};

const MARKERS: Readonly<Record<Language, string>> = {
  en: '[not found in the recording]',
  es: '[no se encontró en la grabación]',
  pt: '[não encontrado na gravação]',
};
/** The name of the title in a report. It cannot be the key of a section, because those are in capitals. */
const TITLE = 'title';
const FIELDS = 'dynamic_fields.';

type Section = { readonly name: string; readonly reading: TextFacts; readonly claims: readonly Claim[] };

/** The same note and transcript always give the same report. Places are character offsets of the unmarked text. */
export function checkNote(parts: CheckParts): CheckReport {
  const { note, transcript, language, maxUnsupported } = parts;
  const sections = textsOf(note).map(([name, text]): Section => {
    const reading = readFacts({ text, language, findDrugs: findDrugsInNote });
    return { name, reading, claims: readClaims(reading, language) };
  });
  const findDrugs = makeFindDrugsInSpeech(ownNames(sections.flatMap(({ reading }) => reading.drugs)));
  const spoken = readTranscript({ transcript, findDrugs, stems: stemsOf(sections) });
  const cache = new Map<string, Support>();
  const findSupport = (content: ClaimContent): Support => {
    const key = JSON.stringify(content);
    const support = cache.get(key) ?? supportOf(content, spoken, language);
    cache.set(key, support);
    return support;
  };
  const statements = sections.flatMap((section) =>
    section.claims.flatMap((claim) => toStatement(section, claim, findSupport(claim.content), transcript)),
  );
  const unsupported = countUnsupported(statements);
  const isExceeded = (kind: StatementKind) =>
    (unsupported[kind] ?? 0) > (maxUnsupported[kind] ?? Number.POSITIVE_INFINITY);
  return { statements, unsupported, exceeded: STATEMENT_KINDS.filter(isExceeded), ...coverSpeech(parts) };
}

/** Returns the checked note with a mark behind each unsupported statement. */
export function markNote(parts: {
  readonly note: WrittenNote;
  readonly report: Pick<CheckReport, 'statements'>;
  readonly language: Language;
}): WrittenNote {
  const { note, dynamicFields } = parts.note;
  const unsupported = Map.groupBy(
    parts.report.statements.filter(({ said }) => said === undefined),
    ({ section }) => section,
  );
  const mark = (name: string, text: string) => markText(text, unsupported.get(name) ?? [], MARKERS[parts.language]);
  return {
    note: {
      title: mark(TITLE, note.title),
      sections: note.sections.map((section) => ({ ...section, text: mark(section.key, section.text) })),
    },
    ...(dynamicFields && {
      dynamicFields: Object.fromEntries(
        Object.entries(dynamicFields).map(([name, text]) => [name, mark(FIELDS + name, text)]),
      ),
    }),
  };
}

function textsOf({ note, dynamicFields = {} }: WrittenNote): readonly (readonly [name: string, text: string])[] {
  return [
    [TITLE, note.title],
    ...note.sections.map(({ key, text }) => [key, text] as const),
    ...Object.entries(dynamicFields).map(([name, text]) => [FIELDS + name, text] as const),
  ];
}

/** Words of the note that no lexicon lists, so that they are searched as they are. */
function stemsOf(sections: readonly Section[]): ReadonlySet<string> {
  return new Set(
    sections.flatMap(({ claims }) =>
      claims.flatMap(({ content }) => {
        if (content.what === 'words') return content.stems;
        if (content.what !== 'allergy') return [];
        return content.substances.filter((id) => id.startsWith('word:')).map((id) => id.slice('word:'.length));
      }),
    ),
  );
}

function toStatement(
  { name, reading }: Section,
  { kind, first, end }: Claim,
  support: Support,
  { utterances }: Transcript,
): readonly CheckedStatement[] {
  if (support === 'incomparable') return [];
  const place = { kind, section: name, from: reading.tokens[first]?.from ?? 0, to: reading.tokens[end - 1]?.to ?? 0 };
  if (support === 'unsupported') return [place];
  return [{ ...place, said: { utterance: support, startSeconds: utterances[support]?.startSeconds ?? 0 } }];
}

function countUnsupported(statements: readonly CheckedStatement[]): Readonly<Partial<Record<StatementKind, number>>> {
  const byKind = Map.groupBy(
    statements.filter(({ said }) => said === undefined),
    ({ kind }) => kind,
  );
  return Object.fromEntries([...byKind].map(([kind, found]) => [kind, found.length]));
}

/** Sets one mark per place, even if two statements end there, and never within a word. */
function markText(text: string, unsupported: readonly CheckedStatement[], marker: string): string {
  const ends = [...new Set(unsupported.map(({ to }) => endOfWord(text, to)))].toSorted((a, b) => a - b);
  let [marked, done] = ['', 0];
  for (const end of ends) {
    marked += `${text.slice(done, end)} ${marker}`;
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
