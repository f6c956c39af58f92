// The schemas of cues/ and wording/, as FORMAT.md describes them.
import { z } from 'zod';
import { problemOf } from '../../clinical-text/phrases/phrase-notation.ts';
import { CUE_KINDS } from '../extraction/cue-kinds.ts';
import { inLanguages, phrase, text } from './schema-parts.ts';

/** A choice may repeat the word beside it, unlike in the lexicon: "very|too|so really [very] cold". */
export const CUES_FILE = z.partialRecord(z.enum(CUE_KINDS), z.array(phrase(problemOf)));
/** Words around findings, by the kind of the cue. */
export type CueWords = z.output<typeof CUES_FILE>;

/** A sentence with places for words: exactly these. */
function template(...places: readonly string[]) {
  const wanted = places.map((place) => `{${place}}`);
  return text.refine(
    (written) => (written.match(/\{.*?\}/g) ?? []).join() === wanted.join(),
    `has not exactly ${wanted.join(' and ')}`,
  );
}

const sentence = template();
const list = template('list');
const counted = z.strictObject({ one: sentence, more: template('count') });

export const WORDING_FILE = z.strictObject({
  quote: template('text'),
  uncertain: sentence,
  why: z.strictObject({
    speaksFor: list,
    speaksAgainst: list,
    saidAbsent: list,
    peopleFor: sentence,
    peopleAgainst: sentence,
    unexplained: list,
    exclude: list,
    notToBeMissed: sentence,
    notMentioned: sentence,
    ask: list,
    look: list,
  }),
  dosage: sentence,
  triage: z.strictObject({
    danger: list,
    together: list,
    conditions: list,
    unclear: list,
    age: sentence,
    outweighs: list,
    unexplained: list,
    notUnderstood: sentence,
    notSeen: sentence,
    noDanger: sentence,
    littleRecognised: sentence,
    nothingRecognised: sentence,
    soundsUrgent: sentence,
    soundsUrgentAllTheSame: sentence,
    noHealth: sentence,
    family: list,
    past: list,
    madeByRules: sentence,
  }),
  unseen: z.strictObject({ sentence: list, images: counted, documents: counted, parts: counted }),
  next: z.strictObject({
    now: sentence,
    original: sentence,
    regular: sentence,
    sendHistory: sentence,
    clarify: list,
    becomesUrgent: list,
    generalDangers: sentence,
  }),
  note: z.strictObject({
    notSaid: sentence,
    elsewhere: template('sections'),
    plainTitle: sentence,
    visit: sentence,
    companion: sentence,
    untranslated: template('language'),
    languages: inLanguages(sentence),
  }),
});
/** All sentences of diagnoses and notes in one language. */
export type Wording = z.output<typeof WORDING_FILE>;
