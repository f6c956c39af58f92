// Searches the conversation for an allergy, or for its denial.
import { findDrugsInNote } from '../../../clinical-text/drugs/find-drugs.ts';
import { readTokens } from '../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../language.ts';
import type { SpokenFacts } from './spoken-facts.ts';
import { type ContentOf, latest, type Support } from './support-value.ts';

const ALLERGY_REACH = 2;
const NSAIDS = findDrugsInNote(
  readTokens(
    'ibuprofen naproxen diclofenac aspirin ketorolac meloxicam celecoxib indomethacin ketoprofen dexketoprofen',
  ),
).flatMap(({ ids }) => ids.map((id) => `drug:${id}`));

export function allergySupport(content: ContentOf<'allergy'>, spoken: SpokenFacts, language: Language): Support {
  const { substances, isDenied } = content;
  if (spoken.language !== language && substances.some((id) => id.startsWith('word:'))) return 'incomparable';
  if (isDenied && substances.length === 0) return spoken.noAllergy ?? 'unsupported';
  const utterances = substances.map((id) => substanceUtterance(id, content, spoken));
  if (utterances.every((utterance) => utterance !== undefined)) return latest(utterances);
  return (isDenied ? spoken.noAllergy : undefined) ?? 'unsupported';
}

function substanceUtterance(
  id: string,
  { isDenied, isIntolerance, isOfOther }: ContentOf<'allergy'>,
  spoken: SpokenFacts,
): number | undefined {
  const isWord = id.startsWith('word:');
  const mentions = isWord
    ? (spoken.words.get(id.slice('word:'.length)) ?? [])
    : membersOf(id).flatMap((member) =>
        (spoken.substances.get(member) ?? []).filter((one) => isOfOther || !one.isOfOther),
      );
  // `Ibuprofen upsets my stomach` is no allergy.
  const talks = isIntolerance ? [spoken.allergyTalk, spoken.toleranceTalk] : [spoken.allergyTalk];
  return mentions.find(({ utterance, polarity }) => {
    const isTalk = talks.some((talk) => isAskedNear(talk, utterance, spoken));
    return isTalk && (polarity === 'denied') === isDenied;
  })?.utterance;
}

/** Who has asked for allergies names none: `Any allergies?` - `No, just hives once.` - `I will give you penicillin.` */
function isAskedNear(talk: ReadonlySet<number>, utterance: number, spoken: SpokenFacts): boolean {
  const { speakers, isOneVoice, allergyQuestions, reactionTalk } = spoken;
  for (let at = utterance - ALLERGY_REACH; at <= utterance + 1; at += 1) {
    if (!talk.has(at)) continue;
    if (at >= utterance || isOneVoice) return true;
    const isSame = speakers[at] === speakers[utterance];
    if (isSame ? !allergyQuestions.has(at) : !reactionTalk.has(at)) return true;
  }
  return false;
}

/** A note may name the class of a drug: `allergic to NSAIDs`. */
function membersOf(id: string): readonly string[] {
  return id === 'nsaid' ? [id, ...NSAIDS] : [id];
}
