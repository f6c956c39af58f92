// Acts that the note states: orders, procedures, consent, changes of drugs, referrals, and others that the talk has to mention.

import type { PhraseSet } from '../../../clinical-text/cues/phrase-set.ts';
import type { Token } from '../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../language.ts';
import type { StatementKind } from '../check-report.ts';
import { actCuesOf } from './acts/act-cues.ts';
import { judgeChange, readSpokenDrugChanges, type SpokenChanges } from './acts/change-claims.ts';
import { chartEntryOf, readChartedActs } from './acts/charted-acts.ts';
import { judgeConsent, readConsents } from './acts/consents.ts';
import { readNotedChanges } from './acts/drug-changes.ts';
import { judgeGravidity, readGravidities } from './acts/gravidity.ts';
import { type ActJudgement, judgeAct } from './acts/judge-act.ts';
import { type Act, readNotedActs } from './acts/read-acts.ts';
import { readSpokenActs } from './acts/spoken-acts.ts';
import { beginningsOf, isNamedIn } from './acts/spoken-words.ts';
import { isUnmistakable } from './acts/unmistakable.ts';
import type { CheckWork, ClaimWithVerdict, NoteText } from './check-work.ts';
import { placeOf } from './stated-claims.ts';

export function actClaims({
  texts,
  language,
  spoken,
  transcript,
  chart,
  statements,
}: CheckWork): readonly ClaimWithVerdict[] {
  // In another language than the three no act can be read.
  if (spoken.language === undefined) return [];
  const said = readSpokenActs(spoken, spoken.language);
  const momentOf = (utterance: number) => {
    return { utterance, startSeconds: transcript.utterances[utterance]?.startSeconds ?? 0 };
  };
  const charted = chart === undefined ? [] : readChartedActs(chart, language);
  const spokenLanguage = spoken.language;
  let changes: SpokenChanges | undefined;
  // Only for a note that states a change.
  const changesSaid = (): SpokenChanges => {
    changes ??= readSpokenDrugChanges(spoken, spokenLanguage);
    return changes;
  };
  let begun: ReadonlySet<string> | undefined;
  // Only for a note that states an act that was not said.
  const beginnings = (): ReadonlySet<string> => {
    begun ??= beginningsOf(spoken.readings);
    return begun;
  };
  const claimOf = (
    kind: StatementKind,
    text: NoteText,
    { first, end }: Span,
    judgement: ActJudgement,
  ): ClaimWithVerdict => {
    const { verdict, utterance } = judgement;
    return {
      kind,
      ...placeOf(text, first, end),
      verdict,
      ...(utterance !== undefined && { said: momentOf(utterance) }),
    };
  };
  const changeClaims = (text: NoteText): readonly ClaimWithVerdict[] =>
    readNotedChanges(text.reading, text.text, language).flatMap((change) => {
      const judgement = judgeChange(change, changesSaid());
      return judgement === undefined ? [] : [claimOf('drug-change', text, change, judgement)];
    });
  const tableClaims = (text: NoteText, noted: readonly Act[]): readonly ClaimWithVerdict[] =>
    withoutAdjectives(noted).flatMap((act, _, acts) => {
      const kind = kindOf(act, text, language);
      if (kind === undefined || isOfRelative(act, text)) return [];
      const place = { tokens: text.reading.tokens, language, isPresent: PRESENT.test(text.name) };
      if (!isUnmistakable(act, place)) return [];
      const isOfLimits = kind === 'procedure' && withinLimits(act, acts, text);
      const isNamed = () =>
        isNamedIn(beginnings(), text.reading.tokens.slice(act.first, act.end), kind !== 'procedure');
      const cites = citesAt(statements, text, act);
      const judgement = judgeAct({ ...act, isEarlier: !place.isPresent, cites }, said, isNamed);
      if (judgement === undefined || (isOfLimits && judgement.verdict === 'unsupported')) return [];
      const entry = judgement.verdict === 'unsupported' ? chartEntryOf(act, charted) : undefined;
      if (entry !== undefined)
        return [{ kind, ...placeOf(text, act.first, act.end), verdict: 'supported', chart: entry }];
      return [claimOf(kind, text, act, judgement)];
    });
  const consentClaims = (text: NoteText, noted: readonly Act[]): readonly ClaimWithVerdict[] => {
    const sentenceOf = ({ first }: Pick<Span, 'first'>) => text.reading.tokens[first]?.sentence;
    const isKnown = (consent: Span) =>
      noted.some((act) => {
        if (act.kind === 'resuscitation') return sentenceOf(act) === sentenceOf(consent);
        return act.first >= consent.first && act.first < consent.end;
      });
    return readConsents(text.reading.tokens, language)
      .filter((consent) => !isKnown(consent))
      .flatMap((consent) => {
        const judgement = spoken.language === language ? judgeConsent(consent, spoken, language) : undefined;
        return judgement === undefined ? [] : [claimOf('consent', text, consent, judgement)];
      });
  };
  const gravidityClaims = (text: NoteText): readonly ClaimWithVerdict[] =>
    readGravidities(text.reading.tokens).flatMap((gravidity) => {
      const judgement = judgeGravidity(gravidity, said, spoken);
      return judgement === undefined ? [] : [claimOf('pregnancy', text, gravidity, judgement)];
    });
  const readers = [tableClaims, changeClaims, consentClaims, gravidityClaims];
  return texts.filter(isChecked).flatMap((text) => {
    const noted = readNotedActs(text.reading, language);
    return readers.flatMap((read) => read(text, noted));
  });
}

type Span = { readonly first: number; readonly end: number };

const NAMING_KINDS: ReadonlySet<string> = new Set(['order', 'procedure']);
const NAMED_KINDS: ReadonlySet<string> = new Set(['follow-up', 'disposition']);

/** `Eco obstétrica`, `endoscopia alta`: what is right behind a test or a procedure says which one. */
function withoutAdjectives(acts: readonly Act[]): readonly Act[] {
  const named = acts.filter(({ kind }) => NAMING_KINDS.has(kind));
  const isAdjective = ({ kind, first }: Act) =>
    NAMED_KINDS.has(kind) && named.some((act) => first > act.first && first <= act.end);
  return acts.filter((act) => !isAdjective(act));
}

/** The utterances that the writer names for the statement of an act. */
function citesAt(statements: CheckWork['statements'], { name, reading }: NoteText, { first }: Act): readonly number[] {
  const place = reading.tokens[first]?.from ?? 0;
  const own = statements.find(({ section, from, to }) => section === name && from <= place && place < to);
  return own?.cites ?? [];
}

/** `For fluids and NIV, not for ITU`: a list of what may be done, asked for in one question. */
function withinLimits(act: Act, acts: readonly Act[], { text, reading: { tokens } }: NoteText): boolean {
  const placeOf = ({ first }: Act) => tokens[first]?.from ?? 0;
  return acts.some((other) => {
    const [from = 0, to] = [placeOf(act), placeOf(other)].toSorted((a, b) => a - b);
    return other.kind === 'resuscitation' && !text.slice(from, to).includes('\n');
  });
}

function isChecked({ name }: NoteText): boolean {
  return name !== 'title';
}

const PLANS = /PLAN|RECOMMEND|FOLLOW|ORDER|DISPOSITION|INSTRUCTION|MANAGEMENT|CONDUCT|CONDUTA/;
/** The sections about what is done in the visit or after it. */
const PRESENT = new RegExp(`OBJECT|EXAM|PROCEDURE|ASSESS|${PLANS.source}`);
/** What relatives had; of other acts they speak for the patient: `mother declined suturing`. */
const OWN_KINDS: ReadonlySet<string> = new Set(['pregnancy', 'self-harm']);

function isOfRelative({ kind, relative }: Act, { name }: NoteText): boolean {
  return relative !== undefined && (OWN_KINDS.has(kind) || !PRESENT.test(name));
}

/** Tokens between a thing and the word that makes an act of it. */
const CUE_REACH = 5;

function kindOf(act: Act, { name, reading }: NoteText, language: Language): StatementKind | undefined {
  const cues = actCuesOf(language);
  const isPlan = PLANS.test(name);
  if (act.kind === 'order') return isPlan || isNear(reading.tokens, act, cues.ordering) ? 'order' : undefined;
  if (act.kind === 'disposition') return isPlan ? act.kind : undefined;
  if (act.kind === 'follow-up') return isPlan || isNear(reading.tokens, act, cues.referring) ? 'follow-up' : undefined;
  return act.kind;
}

function isNear(tokens: readonly Token[], { first, end }: Act, set: PhraseSet): boolean {
  for (let index = first - CUE_REACH; index < end + CUE_REACH; index += 1) {
    if (tokens[index]?.sentence === tokens[first]?.sentence && set.lengthAt(tokens, index) > 0) return true;
  }
  return false;
}
