// Writes a note from a transcript by rules: each statement is placed in its section, in the words of the speaker. Nothing is added,
// translated or concluded, and the same talk always gives the same note.

import { foldWord } from '../../clinical-text/fold.ts';
import { LANGUAGES, type Language } from '../../domain/language.ts';
import type { NoteSection } from '../../domain/note/note.ts';
import type { NoteAnswer, NoteRequest } from '../../ports/reasoner.ts';
import { fillTemplate } from '../knowledge/fill-template.ts';
import type { LanguageKnowledge } from '../knowledge/knowledge.ts';
import type { Wording } from '../knowledge/language-schema.ts';
import { type CleanSpeech, makeCleanSpeech } from './clean-speech.ts';
import type { CueFiles } from './cue-files.ts';
import { makePlaceInCustom } from './custom-sections.ts';
import { makeFillFields } from './fill-fields.ts';
import { makeFindRelatives, type Relatives } from './find-relatives.ts';
import { makeJudgeMedical } from './judge-medical.ts';
import { makeAsksPlan, makeEndsWithTag, makeOrders, makePlans } from './look-ahead.ts';
import { makeMakeTitle } from './make-title.ts';
import { makePlaceStatements, type PlacedStatements, WITH_RESPONSE } from './place-statements.ts';
import { languageOfTalk, readTurns, type Turn } from './read-turns.ts';
import { labelOf, makeRelativeWords } from './relative-words.ts';
import { makeTextOfSilent } from './silent-sections.ts';
import { sortStatements } from './sort-statements.ts';
import { makeFindSpeakers, type Speakers } from './speakers.ts';
import { makeKindCues } from './statement-kinds.ts';
import { finds, makeReadWords, startsWith } from './word-families.ts';
import { type Line, writeLines } from './write-lines.ts';

export type NoteWriter = (request: NoteRequest) => NoteAnswer;
type NoteKnowledge = Pick<LanguageKnowledge, 'notes' | 'wording'>;

const HANDOVER_TEMPLATE = 'SBAR';
const SESSIONS: ReadonlySet<string> = new Set(['BIRP', 'DAP']);

/** Throws an Error that names everything in the cues that cannot be used. */
export function checkCues(knowledge: NoteKnowledge): void {
  makeNoteWriter(knowledge);
  for (const language of LANGUAGES) makeReader(knowledge.notes, language);
}

/**
 * The cues must be checked already. The parts for a language are made for the first talk in it. `onStep` is called after each piece of work, the
 * time for which grows with the talk; it may throw to end it.
 */
export function makeNoteWriter({ notes, wording }: NoteKnowledge, onStep: () => void = () => undefined): NoteWriter {
  const place = makePlaceStatements(notes.sections);
  const placeInCustom = makePlaceInCustom(notes.sections);
  const readers = new Map<Language, ReturnType<typeof makeReader>>();
  return ({ transcript, template, language }) => {
    const spoken = languageOfTalk(transcript, notes.speech);
    const reader = readers.get(spoken) ?? makeReader(notes, spoken);
    readers.set(spoken, reader);
    const cleanSpeech: CleanSpeech = (text) => {
      onStep();
      return reader.talk.cleanSpeech(text);
    };
    const turns = readTurns(transcript, { ...reader.talk, cleanSpeech });
    if (!reader.isMedical(turns)) return { isMedical: false };
    const speakers = withRelatives(reader, turns, template.name === HANDOVER_TEMPLATE);
    onStep();
    const statements = sortStatements(turns, {
      ...reader,
      onStep,
      speakers,
      isSession: SESSIONS.has(template.name),
      keepsResponses: WITH_RESPONSE.has(template.name),
    });
    const placed =
      template.name === 'CUSTOM' ? placeInCustom(statements, template.sections) : place(statements, template.name);
    const words = wording[language].note;
    const textOfSilent = makeTextOfSilent(notes.sections, words);
    const labels = labelsOf(speakers, notes.relatives, language, words.companion);
    const lines = new Map<string, readonly Line[]>();
    const sections = template.sections.map(({ key, title }): NoteSection => {
      onStep();
      const own = writeLines(placed.get(key) ?? [], { ...speakers, labels });
      lines.set(key, own);
      const text = own.map((line) => line.text).join('\n');
      return { key, title, text: text || textOfSilent(key, template, placed) };
    });
    const stated = [...lines].flatMap(([section, own]) => own.map((line) => ({ section, ...line })));
    const note =
      spoken === language
        ? { title: reader.makeTitle(statements, words), sections }
        : { title: words.plainTitle, sections: withLanguageLine(sections, placed, languageLine(words, spoken)) };
    return {
      isMedical: true,
      note,
      statements: stated,
      ...(template.dynamicFields.length > 0 && {
        dynamicFields: reader.fillFields(template.dynamicFields, statements),
      }),
    };
  };
}

/** The parts that depend on the language of the talk. */
function makeReader(files: CueFiles, language: Language) {
  const readWords = makeReadWords(files, language);
  const cues = makeKindCues(files, language);
  const isYesOrNo = startsWith([...files.speech.yes[language], ...files.speech.no[language]]);
  const relatives = makeRelativeWords(files, language);
  return {
    cues,
    talk: {
      readWords,
      cleanSpeech: makeCleanSpeech(files, language),
      emptyWords: new Set(files.speech.empty[language].map(foldWord)),
    },
    isYesOrNo,
    isOfRelative: (sentence: Parameters<typeof relatives.signsIn>[0]) => {
      const signs = relatives.signsIn(sentence).map(({ sign }) => sign);
      return signs.includes('theirs') && !signs.includes('along');
    },
    isOfSpeaker: finds(files.speech.first[language]),
    findRelatives: makeFindRelatives({ words: relatives, isYesOrNo, isNo: startsWith(files.speech.no[language]) }),
    looksAhead: finds(files.speech.ahead[language]),
    plans: makePlans(files.speech, language),
    orders: makeOrders(files.speech, language),
    endsWithTag: makeEndsWithTag(files.speech, language),
    asksPlan: makeAsksPlan(files.speech, language),
    requests: finds(files.speech.requests[language]),
    hasTag: finds(files.speech.tags[language]),
    asks: startsWith(files.speech.asks[language]),
    isMedical: makeJudgeMedical(files, language),
    findSpeakers: makeFindSpeakers(files, cues, language),
    makeTitle: makeMakeTitle(files, language),
    fillFields: makeFillFields(files, readWords, language),
  };
}

/** A relative is no clinician, even in a handover, and is a companion from the first word on. */
function withRelatives(
  { findSpeakers, findRelatives }: ReturnType<typeof makeReader>,
  turns: readonly Turn[],
  isHandoverTemplate: boolean,
): Speakers & { readonly relatives: Relatives } {
  const speakers = findSpeakers(turns, isHandoverTemplate);
  const relatives = findRelatives(turns, speakers);
  const clinicians = new Set([...speakers.clinicians].filter((speaker) => !relatives.has(speaker)));
  return { ...speakers, clinicians, companions: new Set([...speakers.companions, ...relatives.keys()]), relatives };
}

function labelsOf(
  { companions, relatives }: Speakers & { readonly relatives: Relatives },
  file: CueFiles['relatives'],
  language: Language,
  companion: string,
): ReadonlyMap<number, string> {
  return new Map(
    [...companions].map((speaker) => {
      const relation = relatives.get(speaker);
      return [speaker, (relation && labelOf(file, relation, language)) ?? companion] as const;
    }),
  );
}

function languageLine({ untranslated, languages }: Wording['note'], talk: Language): string {
  return fillTemplate(untranslated, { language: languages[talk] });
}

function withLanguageLine(
  sections: readonly NoteSection[],
  placed: PlacedStatements,
  line: string,
): readonly NoteSection[] {
  if (![...placed.values()].some((statements) => statements.length > 0)) return sections;
  return sections.map((section, index) => (index === 0 ? { ...section, text: `${line}\n${section.text}` } : section));
}
