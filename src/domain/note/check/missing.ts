// What was said and is in no statement of the note: acts and dangers, never a mere mention.
import type { MissingStatement } from '../check-report.ts';
import type { CheckWork } from './check-work.ts';
import { readNoted } from './missing/noted.ts';
import { missingActs } from './missing/said-acts.ts';
import { missingAlarms } from './missing/said-alarms.ts';
import { missingAllergies } from './missing/said-allergies.ts';
import { missingDrugs } from './missing/said-drugs.ts';
import { missingFollowUps } from './missing/said-follow-ups.ts';
import { readTalk, type SaidAct } from './missing/talk.ts';

/** In the order of the talk; one of each kind in an utterance. */
export function findMissing(work: CheckWork): readonly MissingStatement[] {
  const { spoken, language, transcript } = work;
  // Words of two languages cannot be compared, and all would be missing.
  if (spoken.language !== language || work.statements.length === 0) return [];
  const talk = readTalk(work, language);
  const noted = readNoted(work, language);
  const found = [missingFollowUps, missingActs, missingDrugs, missingAllergies, missingAlarms].flatMap((find) =>
    find(talk, noted),
  );
  const first = new Map<string, SaidAct>();
  for (const act of found.toSorted((a, b) => a.utterance - b.utterance || a.sentence - b.sentence)) {
    const key = `${act.utterance} ${act.kind}`;
    if (!first.has(key)) first.set(key, act);
  }
  return [...first.values()].map(({ kind, utterance, sentence }) => {
    const tokens = spoken.readings[utterance]?.tokens.filter((token) => token.sentence === sentence) ?? [];
    const { text = '', startSeconds = 0 } = transcript.utterances[utterance] ?? {};
    return { kind, text: text.slice(tokens[0]?.from ?? 0, tokens.at(-1)?.to), utterance, startSeconds };
  });
}
