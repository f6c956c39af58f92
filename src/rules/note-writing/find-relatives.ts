// Finds which speakers came with the patient, and what they are to the patient: they say so, are asked, are called so, or call the patient
// so. A relative who is only talked about is no speaker.
import type { FamilyWord } from '../../clinical-text/phrases/family-phrases.ts';
import type { Sentence, Turn } from './read-turns.ts';
import type { Relation, RelativeSign, RelativeWords } from './relative-words.ts';

export type Relatives = ReadonlyMap<number, Relation>;

type Parts = {
  readonly words: RelativeWords;
  readonly isYesOrNo: (words: readonly FamilyWord[]) => boolean;
  readonly isNo: (words: readonly FamilyWord[]) => boolean;
};
type Roles = {
  readonly isHandover: boolean;
  readonly clinicians: ReadonlySet<number>;
  /** Speakers who talk about another person more than about themselves. */
  readonly companions: ReadonlySet<number>;
  readonly aboutOthers: ReadonlySet<number>;
};

/** What a speaker says about himself counts most; what others call him, less. */
const WEIGHTS = { self: 8, asked: 6, shown: 5, called: 2, calls: 2, along: 2 } as const;

export type FindRelatives = (turns: readonly Turn[], roles: Roles) => Relatives;

export function makeFindRelatives(parts: Parts): FindRelatives {
  return (turns, roles) => {
    const votes = new Map<number, Map<Relation, number>>();
    const vote = (speaker: number | undefined, relation: Relation | undefined, weight: number) => {
      if (speaker === undefined || relation === undefined) return;
      if (roles.clinicians.has(speaker) && !roles.isHandover) return;
      const own = votes.get(speaker) ?? new Map<Relation, number>();
      votes.set(speaker, own.set(relation, (own.get(relation) ?? 0) + weight));
    };
    for (const [index, turn] of turns.entries()) {
      const isClinician = roles.clinicians.has(turn.speaker);
      const around = { before: turns[index - 1], next: turns[index + 1] };
      if (!isClinician || roles.isHandover) readOther(turn, vote, roles);
      else readClinician(turn, around, vote, roles);
    }
    const present = new Set(turns.map(({ speaker }) => speaker).filter((speaker) => !roles.clinicians.has(speaker)));
    const isAlone = present.size === 1;
    return named(votes, (speaker) => !isAlone || roles.aboutOthers.has(speaker));
  };

  function readClinician(
    { sentences }: Turn,
    { before, next }: { readonly before: Turn | undefined; readonly next: Turn | undefined },
    vote: Vote,
    { companions, aboutOthers }: Roles,
  ): void {
    for (const [place, sentence] of sentences.entries()) {
      const answer = place === sentences.length - 1 && sentence.isQuestion ? next?.sentences[0] : undefined;
      if (answer && confirms(answer))
        for (const { relation } of signsOf(sentence, 'asked')) vote(next?.speaker, relation, WEIGHTS.asked);
      for (const { relation } of signsOf(sentence, 'along')) vote(only(companions), relation, WEIGHTS.along);
      const called = vocativeIn(sentence, parts.words);
      if (called === undefined) continue;
      // `Thanks, Mum.` answers the speaker before; `Mum, any illnesses?` asks the next one.
      const whom = place === 0 && !sentence.isQuestion && before ? before : next;
      if (whom && (companions.has(whom.speaker) || aboutOthers.has(whom.speaker)))
        vote(whom.speaker, called, WEIGHTS.called);
    }
  }

  function readOther({ speaker, sentences }: Turn, vote: Vote, { companions }: Roles): void {
    for (const sentence of sentences) {
      for (const { relation } of signsOf(sentence, 'self')) vote(speaker, relation, WEIGHTS.self);
      for (const { relation } of signsOf(sentence, 'shown')) {
        if (companions.has(speaker)) vote(speaker, parts.words.otherSideOf(relation), WEIGHTS.shown);
        else vote(only(companions), relation, WEIGHTS.along);
      }
      for (const { relation } of signsOf(sentence, 'along')) {
        const other = only(companions);
        if (other !== speaker) vote(other, relation, WEIGHTS.along);
      }
      const called = vocativeIn(sentence, parts.words);
      if (called && companions.has(speaker)) vote(speaker, parts.words.otherSideOf(called), WEIGHTS.calls);
    }
  }

  /** `Yes, that's my daughter` is said by the patient. */
  function confirms(sentence: Sentence): boolean {
    const isYes = parts.isYesOrNo(sentence.words) || parts.words.confirms(sentence.words);
    return isYes && !parts.isNo(sentence.words) && signsOf(sentence, 'shown').length === 0;
  }

  function signsOf(sentence: Sentence, wanted: RelativeSign) {
    return parts.words.signsIn(sentence).filter(({ sign }) => sign === wanted);
  }
}

type Vote = (speaker: number | undefined, relation: Relation | undefined, weight: number) => void;

/** The only one beside the clinician may be the patient: he is a relative only if he speaks of another person. */
function named(
  votes: ReadonlyMap<number, ReadonlyMap<Relation, number>>,
  mayBe: (speaker: number) => boolean,
): Relatives {
  const relatives = new Map<number, Relation>();
  for (const [speaker, own] of votes) {
    const [best] = [...own].toSorted(([, a], [, b]) => b - a);
    if (best && mayBe(speaker)) relatives.set(speaker, best[0]);
  }
  return relatives;
}

function only(speakers: ReadonlySet<number>): number | undefined {
  const [one, ...others] = speakers;
  return others.length === 0 ? one : undefined;
}

/** `Dad, you couldn't get out.`, `Quatro, mãe.`: the relation by which a person is called, at an end of the sentence. */
function vocativeIn({ text, words }: Sentence, { relationOf }: RelativeWords): Relation | undefined {
  const [first, last] = [words[0], words.at(-1)];
  if (first && /^[,!.?]/.test(text.slice(first.to)) && words.length > 1) {
    const relation = relationOf(first);
    if (relation) return relation;
  }
  const before = words.at(-2);
  if (last && before && text.slice(before.to, last.from).includes(',')) return relationOf(last);
  return undefined;
}
