// `%note`: the texts that are written, and each of their statements with its evidence.
import { cleanText, cleanTexts } from '../clean-text.ts';
import type { Language } from '../language.ts';
import type { ChartSource, MissingStatement } from '../note/check-report.ts';
import { type JoinedStatement, joinEvidence, type NoteEvidence } from '../note/joined-evidence.ts';
import type { WrittenNote } from '../note/note.ts';
import type { NoteType, TemplateName } from '../note/template.ts';
import { speakerLabel, type Transcript } from '../recording/transcript.ts';
import { clockTime, utteranceId } from './transcript-variable.ts';

/** Of a longer note the first statements are listed: what is made of them has to stay small. Its texts stay whole. */
const MOST_STATEMENTS = 500;

type NoteFacts = {
  readonly language: Language;
  readonly noteType?: NoteType;
  readonly template?: TemplateName | 'CUSTOM';
  /** Absent if the note was not checked. */
  readonly evidence?: NoteEvidence;
  readonly transcript?: Transcript;
};

export function noteVariable(note: WrittenNote, facts: NoteFacts): unknown {
  const { noteType, template, language, evidence, transcript } = facts;
  const bySection = firstOf(joinEvidence({ note: note.note, evidence, language }));
  const ids = sectionIds(note.note.sections.map(({ key }) => key));
  const sections = note.note.sections.map(({ key, title, text }, index) => ({
    ...cleanTexts({ key, title, text }),
    id: ids[index],
    statements: (bySection[index] ?? []).map((statement) => statementVariable(statement, transcript)),
  }));
  const fields = Object.entries(note.dynamicFields ?? {}).map(([name, value]) => cleanTexts({ name, value }));
  return {
    title: cleanText(note.note.title),
    type: noteType,
    template,
    language,
    sections,
    statements: sections.flatMap(({ statements }) => statements),
    missing: (evidence?.missing ?? []).map((missing) => missingVariable(missing, transcript)),
    fields,
    text: noteText({ sections, fields, empty: NOT_DISCUSSED[language] }),
  };
}

function firstOf<Item>(lists: readonly (readonly Item[])[]): readonly (readonly Item[])[] {
  let left = MOST_STATEMENTS;
  return lists.map((list) => {
    const first = list.slice(0, left);
    left -= first.length;
    return first;
  });
}

/** Fit for an id of FHIR and of XHTML, and for a URI: `section-knee-status`. Two keys that differ in accents alone have two ids. */
function sectionIds(keys: readonly string[]): readonly string[] {
  const used = new Set<string>();
  return keys.map((key) => {
    const plain = key.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
    const stem = `section-${plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'other'}`;
    let id = stem;
    for (let count = 2; used.has(id); count += 1) id = `${stem}-${count}`;
    used.add(id);
    return id;
  });
}

function statementVariable(
  { id, section, text, evidence }: JoinedStatement,
  transcript: Transcript | undefined,
): unknown {
  const words = { id, section, text: cleanText(text) };
  if (evidence === undefined) return { ...words, moments: [], chart: [] };
  const { kind, verdict, effect, polarity, whose, moments, chart } = evidence;
  return {
    ...words,
    kind,
    verdict,
    effect,
    polarity,
    whose,
    moments: moments.map((moment) => momentVariable(moment, transcript)),
    chart: chart.map(chartVariable),
  };
}

type Moment = { readonly utterance: number; readonly startSeconds: number; readonly endSeconds?: number };

function momentVariable(moment: Moment, transcript: Transcript | undefined): object {
  const { utterance, startSeconds } = moment;
  const said = transcript?.utterances[utterance];
  return {
    utterance,
    cue: utteranceId(utterance),
    start: startSeconds,
    end: moment.endSeconds ?? said?.endSeconds,
    clock: clockTime(startSeconds),
    speaker: said && speakerLabel(said.speaker),
    words: said && cleanText(said.text),
  };
}

function missingVariable({ kind, text, ...moment }: MissingStatement, transcript: Transcript | undefined): unknown {
  return { kind, text: cleanText(text), ...momentVariable(moment, transcript) };
}

function chartVariable({ list, text, reference }: ChartSource): unknown {
  return { list, text: cleanText(text), reference };
}

type NoteText = {
  readonly sections: readonly { readonly title: string; readonly text: string }[];
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  readonly empty: string;
};

/** The text below a heading that the conversation did not touch. */
const NOT_DISCUSSED: Readonly<Record<Language, string>> = {
  en: 'Not discussed.',
  es: 'No se habló de ello.',
  pt: 'Não foi abordado.',
};

/** The sections and fields as a person would read them on paper. The title is not in it: a document has its own. */
function noteText({ sections, fields, empty }: NoteText): string {
  const lines = fields.filter((field) => field.value.trim() !== '').map((field) => `${field.name}: ${field.value}`);
  const paragraphs = sections.map((section) => `${section.title.toUpperCase()}\n${section.text.trim() || empty}`);
  return [...paragraphs, ...(lines.length > 0 ? [lines.join('\n')] : [])].join('\n\n');
}
