// Writes a note from a transcript by rules: each statement is placed in its section, in the words of the speaker. Nothing is added,
// translated or concluded, and the same talk always gives the same note.

import { foldWord } from '../../clinical-text/fold.ts';
import { type FamilyWord, makeFindPhrases } from '../../clinical-text/phrases/family-phrases.ts';
import type { Language } from '../../domain/language.ts';
import { LANGUAGES } from '../../domain/language.ts';
import type { NoteSection } from '../../domain/note/note.ts';
import type { NoteAnswer, NoteRequest } from '../../ports/reasoner.ts';
import { makeCleanSpeech } from './clean-speech.ts';
import { type CueFiles, readCueFiles } from './cue-files.ts';
import { makePlaceInCustom } from './custom-sections.ts';
import { makeFillFields } from './fill-fields.ts';
import { NOT_SAID, untranslated } from './fixed-words.ts';
import { makeJudgeMedical } from './judge-medical.ts';
import { makeMakeTitle } from './make-title.ts';
import { makePlaceStatements, type PlacedStatements } from './place-statements.ts';
import { languageOfTalk, readTurns } from './read-turns.ts';
import { sortStatements } from './sort-statements.ts';
import { makeFindSpeakers } from './speakers.ts';
import { makeKindCues } from './statement-kinds.ts';
import { makeReadWords } from './word-families.ts';
import { writeLines } from './write-lines.ts';

export type NoteWriter = (request: NoteRequest) => NoteAnswer;

const HANDOVER_TEMPLATE = 'SBAR';
const SESSIONS: ReadonlySet<string> = new Set(['BIRP', 'DAP']);

/** Throws an Error that names everything in the cues that cannot be used. */
export function checkCues(files: CueFiles): void {
  makeNoteWriter(files);
  for (const language of LANGUAGES) makeReader(files, language);
}

/** `files` must be checked already. The parts for a language are made for the first talk in it. */
export function makeNoteWriter(files: CueFiles = readCueFiles()): NoteWriter {
  const place = makePlaceStatements(files.sections);
  const placeInCustom = makePlaceInCustom(files.sections);
  const readers = new Map<Language, ReturnType<typeof makeReader>>();
  return ({ transcript, template, language }) => {
    const spoken = languageOfTalk(transcript, files.speech);
    const reader = readers.get(spoken) ?? makeReader(files, spoken);
    readers.set(spoken, reader);
    const turns = readTurns(transcript, reader.talk);
    if (!reader.isMedical(turns)) return { isMedical: false };
    const speakers = reader.findSpeakers(turns, template.name === HANDOVER_TEMPLATE);
    const statements = sortStatements(turns, { ...reader, speakers, isSession: SESSIONS.has(template.name) });
    const placed =
      template.name === 'CUSTOM' ? placeInCustom(statements, template.sections) : place(statements, template.name);
    const sections = template.sections.map(({ key, title }): NoteSection => {
      const text = writeLines(placed.get(key) ?? [], { language, ...speakers });
      return { key, title, text: text || NOT_SAID[language] };
    });
    return {
      isMedical: true,
      note: {
        title: reader.makeTitle(statements, language),
        sections: spoken === language ? sections : withLanguageLine(sections, placed, { note: language, talk: spoken }),
      },
      ...(template.dynamicFields.length > 0 && {
        dynamicFields: reader.fillFields(template.dynamicFields, statements),
      }),
    };
  };
}

/** The parts that depend on the language of the talk. */
function makeReader(files: CueFiles, language: Language) {
  const readWords = makeReadWords(files.words, language);
  const cues = makeKindCues(files, language);
  return {
    cues,
    talk: {
      readWords,
      cleanSpeech: makeCleanSpeech(files, language),
      emptyWords: new Set(files.speech.empty[language].map(foldWord)),
    },
    isYesOrNo: startsWith([...files.speech.yes[language], ...files.speech.no[language]]),
    looksAhead: finds(files.speech.ahead[language]),
    requests: finds(files.speech.requests[language]),
    hasTag: finds(files.speech.tags[language]),
    asks: startsWith(files.speech.asks[language]),
    isMedical: makeJudgeMedical(files, language),
    findSpeakers: makeFindSpeakers(files, cues, language),
    makeTitle: makeMakeTitle(files, language),
    fillFields: makeFillFields(files, readWords, language),
  };
}

function finds(phrases: readonly string[]): (words: readonly FamilyWord[]) => boolean {
  const find = makeFindPhrases(phrases.map((phrase) => [phrase, phrase] as const));
  return (words) => find(words).length > 0;
}

function startsWith(phrases: readonly string[]): (words: readonly FamilyWord[]) => boolean {
  const find = makeFindPhrases(phrases.map((phrase) => [phrase, phrase] as const));
  return (words) => find(words.slice(0, 3)).some(({ first }) => first === 0);
}

function withLanguageLine(
  sections: readonly NoteSection[],
  placed: PlacedStatements,
  { note, talk }: { readonly note: Language; readonly talk: Language },
): readonly NoteSection[] {
  if (![...placed.values()].some((statements) => statements.length > 0)) return sections;
  const line = untranslated(note, talk);
  return sections.map((section, index) => (index === 0 ? { ...section, text: `${line}\n${section.text}` } : section));
}
