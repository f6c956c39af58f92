// Combines the results of the scopes for each finding of a sentence.

import { isPregnancy } from '../knowledge/findings.ts';
import { type NeighbourSentences, supposedMentions } from './advice-scopes.ts';
import type { AskedSentence } from './asked-sentences.ts';
import { consideredMentions } from './considered-scopes.ts';
import { ignoredMentions, uncertainMentions } from './doubt-scopes.ts';
import type { Presence } from './history-facts.ts';
import type { Mention, SentenceView } from './mentions.ts';
import { negatedMentions } from './negation-scope.ts';
import { othersMentions, type PatientWords } from './person-scopes.ts';
import { type Answer, askedMentions } from './questions.ts';
import { testedMentions } from './test-results.ts';
import { pastMentions } from './time-scopes.ts';

/** `ignored`: the mention counts for nothing. */
export type Meaning = Presence | 'family' | 'past' | 'ignored';
export type JudgedMention = {
  readonly mention: Mention;
  readonly meaning: Meaning;
  /** True if it is only asked, and not answered with yes or no. */
  readonly isOpen?: boolean;
};

type Parts = {
  readonly view: SentenceView;
  readonly patient: PatientWords;
  readonly question: Pick<AskedSentence, 'isUnmarked' | 'answer' | 'isUnheard' | 'isLongAgo'>;
  readonly around: NeighbourSentences;
  /** Old reactions of an allergy. */
  readonly reactions: ReadonlySet<Mention>;
  /** Told of a relative whom the sentence before names. */
  readonly told: ReadonlySet<Mention>;
};

export function judgeMentions({ view, patient, question, around, reactions, told }: Parts): JudgedMention[] {
  if (view.mentions.length === 0) return [];
  const negated = negatedMentions(view);
  const uncertain = uncertainMentions(view);
  const ignored = ignoredMentions(view);
  const others = othersMentions(view, patient);
  const past = pastMentions(view);
  const tested = testedMentions(view);
  const unreal = new Set([...supposedMentions(view, around), ...consideredMentions(view)]);
  const { answer, isUnheard } = question;
  const asked = askedMentions(view, question.isUnmarked);
  return view.mentions.map(judge).map((one) => (isHeardAlone(view, one) ? one : { ...one, meaning: 'ignored' }));

  function judge(mention: Mention): JudgedMention {
    const result = tested.get(mention);
    const isNegated = result === undefined ? negated.has(mention) : result === 'negative';
    // A test for a disease denies no circumstance that its name stands for: "HIV negative" is no statement about the immune system.
    if (result === 'negative' && mention.finding.kind === 'circumstance' && !isPregnancy(mention.finding))
      return { mention, meaning: 'ignored' };
    // A result counts, although "flu" in "flu test" is only a name.
    if (unreal.has(mention) || (ignored.has(mention) && result === undefined)) return { mention, meaning: 'ignored' };
    if ((others.has(mention) || told.has(mention)) && !isOfOthers(view, mention))
      return { mention, meaning: isNegated ? 'ignored' : 'family' };
    if (past.has(mention) || (reactions.has(mention) && !isNegated))
      return { mention, meaning: isNegated ? 'ignored' : 'past' };
    if (asked.has(mention)) {
      const isNothing = isUnheard || DONE.has(mention.finding.id);
      if (answer === undefined && isNothing) return { mention, meaning: 'ignored', isOpen: true };
      if (answer === 'yes' && question.isLongAgo && !isNegated && mention.finding.kind !== 'condition')
        return { mention, meaning: 'past' };
      return { mention, meaning: askedMeaning(answer, isNegated), isOpen: answer === undefined };
    }
    if (isNegated) return { mention, meaning: 'absent' };
    if (!uncertain.has(mention)) return { mention, meaning: 'present' };
    // What a clinician holds for possible is only considered.
    return { mention, meaning: view.turn.role === 'clinician' ? 'ignored' : 'uncertain' };
  }
}

function isHeardAlone({ parts }: SentenceView, { mention, meaning }: JudgedMention): boolean {
  return !parts.has(mention) || (meaning !== 'present' && meaning !== 'uncertain');
}

/** Treatments: "¿Escayola?" asks if there should be one. */
const DONE = new Set(['leg-cast', 'immobility']);

/** The answer in "No fever? - No" denies the fever, too. */
function askedMeaning(answer: Answer, isNegated: boolean): Meaning {
  if (answer === 'no') return 'absent';
  if (answer === 'yes') return isNegated ? 'absent' : 'present';
  return 'uncertain';
}

/** True if the finding itself is about relatives: "family history of heart attack", "brother is sick". */
function isOfOthers(view: SentenceView, { words }: Mention): boolean {
  return words.some((at) => view.hasCue(at, 'relative', 'other', 'child', 'heritage'));
}
