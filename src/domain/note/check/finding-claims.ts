// Affirmed findings, histories and habits of the note, which the talk or the chart has to mention.
import type { CheckWork, ClaimWithVerdict } from './check-work.ts';
import { makeFindInChart } from './findings/chart-things.ts';
import { judgeThing } from './findings/judge-thing.ts';
import { noteThings } from './findings/note-things.ts';
import { readSpokenThings } from './findings/spoken-things.ts';
import { broaderKeys, kindredKeys } from './findings/thing-keys.ts';

export function findingClaims(work: CheckWork): readonly ClaimWithVerdict[] {
  const { spoken, language, transcript, lexicon } = work;
  // Words are compared with words of the same language only.
  if (lexicon === undefined || spoken.language !== language) return [];
  const things = noteThings(work);
  if (things.length === 0) return [];
  const stated = [...new Set(things.flatMap(({ keys }) => keys))];
  const said = readSpokenThings(work, new Set([...kindredKeys(stated, lexicon), ...broaderKeys(stated)]));
  const chart = makeFindInChart(work);
  return things.flatMap((thing) => {
    const judgement = judgeThing({ thing, spoken: said, work, chart });
    if (judgement === undefined) return [];
    const { utterance, ...verdict } = judgement;
    const { section, tokens, first, end, kind } = thing;
    const place = { kind, section, from: tokens[first]?.from ?? 0, to: tokens[end - 1]?.to ?? 0 };
    if (utterance === undefined) return [{ ...place, ...verdict }];
    const startSeconds = transcript.utterances[utterance]?.startSeconds ?? 0;
    return [{ ...place, ...verdict, said: { utterance, startSeconds } }];
  });
}
