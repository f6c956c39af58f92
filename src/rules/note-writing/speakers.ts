// Finds the role of each speaker: clinicians ask, examine and prescribe, patients speak about themselves, and companions about another
// person.

import { type FamilyWord, makeFindPhrases } from '../../clinical-text/phrases/family-phrases.ts';
import type { Language } from '../../domain/language.ts';
import type { CueFiles } from './cue-files.ts';
import type { Turn } from './read-turns.ts';
import { bestKind, DONE_KINDS, FOUND_KINDS, type KindCues, THOUGHT_KINDS } from './statement-kinds.ts';

export type Speakers = {
  readonly clinicians: ReadonlySet<number>;
  /** Speakers who talk about the patient and are not staff. */
  readonly companions: ReadonlySet<number>;
  /** Speakers who speak of another person about as often as of themselves, clinicians too. */
  readonly aboutOthers: ReadonlySet<number>;
  /** Two clinicians talk about a patient who is not with them. */
  readonly isHandover: boolean;
};

type Marks = { clinician: number; patient: number; first: number; others: number; third: number; turns: number };

const HANDOVER_CUES = 2;
const SURE_POINTS = 4;
/** A second clinician has at least this share of the first one's points. */
const SECOND_SHARE = 0.6;
const MIN_SECOND = 12;
const MIN_OTHERS = 2;
/** Of two who are no clinicians: this share of a companion's words is about another person, and twice that of the patient's. */
const MIN_SHARE = 0.25;

export function makeFindSpeakers({ speech }: CueFiles, cues: KindCues, language: Language) {
  const says = makeFindPhrases(
    (['first', 'others', 'doctor-called', 'doctor-says', 'handover'] as const).flatMap((sign) =>
      speech[sign][language].map((phrase) => [phrase, sign] as const),
    ),
  );
  const thirdPerson = endingIn(speech['third-person'][language]);
  return (turns: readonly Turn[], isHandoverTemplate: boolean): Speakers => {
    const marks = new Map<number, Marks>();
    let handover = 0;
    for (const { speaker, sentences } of turns) {
      const mark = marks.get(speaker) ?? { clinician: 0, patient: 0, first: 0, others: 0, third: 0, turns: 0 };
      marks.set(speaker, mark);
      mark.turns += 1;
      for (const { text, words, isQuestion } of sentences) {
        const signs = says(words).map(({ gives }) => gives);
        handover += signs.filter((sign) => sign === 'handover').length;
        mark.clinician +=
          clinicianPoints(words, isQuestion, signs.includes('first')) + (signs.includes('doctor-says') ? 6 : 0);
        mark.patient += signs.includes('doctor-called') && !signs.includes('doctor-says') ? 3 : 0;
        if (isQuestion) continue;
        mark.first += signs.filter((sign) => sign === 'first').length;
        mark.others += signs.filter((sign) => sign === 'others').length;
        mark.third += text.match(thirdPerson)?.length ?? 0;
      }
    }
    const isHandover = isHandoverTemplate || handover > HANDOVER_CUES;
    const clinicians = isHandover ? new Set(marks.keys()) : cliniciansOf(marks);
    const aboutOthers = new Set([...marks].filter(([, mark]) => isAboutOthers(mark)).map(([speaker]) => speaker));
    const companions = isHandover ? new Set<number>() : companionsOf(marks, clinicians);
    return { clinicians, companions, aboutOthers, isHandover };
  };

  function clinicianPoints(words: readonly FamilyWord[], isQuestion: boolean, isOfSpeaker: boolean): number {
    if (isQuestion) return Math.min(bestKind(cues.scoreQuestion(words), ASKABLE)?.score ?? 0, 4) / 2;
    const scores = cues.scoreStatement(words);
    const reported = bestKind(scores, ['medication', 'allergy', 'social', 'history'])?.score ?? 0;
    // `I also take loratadine, 10 milligrams` has a dose, and is said by the patient.
    if (isOfSpeaker && reported >= SURE_POINTS) return 0;
    const found = bestKind(scores, CLINICIAN_KINDS)?.score ?? 0;
    const command = (scores.get('command') ?? 0) > 0 ? 2 : 0;
    return (found >= 6 ? 2 : found >= 4 ? 1 : 0) + command;
  }
}

/** `Fumó`, `tomou`: in languages that leave out "he" and "she", the ending tells who is spoken of. */
function endingIn(endings: readonly string[]): RegExp {
  return endings.length === 0 ? /(?!)/g : new RegExp(`\\p{L}{${MIN_STEM},}(?:${endings.join('|')})(?!\\p{L})`, 'giu');
}

const MIN_STEM = 3;
const CLINICIAN_KINDS = [...DONE_KINDS, ...FOUND_KINDS, ...THOUGHT_KINDS];
const ASKABLE = ['complaint', 'history', 'past', 'medication', 'allergy', 'family', 'social'] as const;

function cliniciansOf(marks: ReadonlyMap<number, Marks>): ReadonlySet<number> {
  const points = [...marks].map(([speaker, { clinician, patient, first, turns }]) => ({
    speaker,
    points: clinician - patient * 2 - first * 0.5,
    each: clinician / Math.max(1, turns),
  }));
  const [best, ...rest] = points.toSorted((a, b) => b.points - a.points);
  if (best === undefined || best.points <= 0) return new Set();
  const also = rest.filter(
    ({ points: own, each }) =>
      own >= MIN_SECOND && own >= best.points * SECOND_SHARE && each >= best.each * SECOND_SHARE,
  );
  return new Set([best, ...also].map(({ speaker }) => speaker));
}

/** A speaker who is not a clinician is a companion if he talks more about another person than about himself, or than the other one does. */
function companionsOf(marks: ReadonlyMap<number, Marks>, clinicians: ReadonlySet<number>): ReadonlySet<number> {
  const present = [...marks].filter(([speaker]) => !clinicians.has(speaker));
  return new Set(
    present
      .filter(([speaker, own]) => {
        const rest = present.filter(([other]) => other !== speaker);
        const isPlain = own.others >= MIN_OTHERS && own.others > own.first;
        return isPlain || rest.some(([, other]) => isCompanionBeside(own, other));
      })
      .map(([speaker]) => speaker),
  );
}

function isCompanionBeside(own: Marks, other: Marks): boolean {
  return other.first > 0 && [shareOfOthers, shareOfThird].some((share) => isTwice(share(own), share(other)));
}

function isTwice(own: number, other: number): boolean {
  return own >= MIN_SHARE && other <= own / 2;
}

function isAboutOthers(mark: Marks): boolean {
  return mark.others >= MIN_OTHERS && shareOfOthers(mark) >= MIN_SHARE;
}

function shareOfOthers({ first, others }: Marks): number {
  return others / Math.max(1, first + others);
}

function shareOfThird({ first, others, third }: Marks): number {
  return (others + third) / Math.max(1, first + others + third);
}
