// Plays all inventions, one after another, and each talk once without one.
import { type Case, readInventions, type Talk } from './cases.ts';
import { judgeInvention, marksOf, type Verdict } from './judge-invention.ts';
import { openPlayer, type Played } from './play-invention.ts';

export type JudgedCase = Case & { readonly verdict: Verdict };
export type InventionsReport = {
  readonly cases: readonly JudgedCase[];
  /** The talks with their faithful note and diagnosis: what the engine marks, takes out or holds of them. */
  readonly controls: readonly { readonly talk: Talk; readonly marks: readonly string[] }[];
  /** Questions for a diagnosis in which an invention of the note was found. */
  readonly leaks: number;
};

export async function playInventions(
  onDone: (done: number, of: number) => void = () => undefined,
): Promise<InventionsReport> {
  const cases = readInventions();
  const player = await openPlayer();
  try {
    const controls = new Map<Talk, Played>();
    for (const talk of new Set(cases.map((one) => one.talk))) controls.set(talk, await player.play(talk));
    const judged: JudgedCase[] = [];
    let leaks = 0;
    for (const one of cases) {
      const played = await player.play(one.talk, one.invention);
      const control = controls.get(one.talk) ?? played;
      judged.push({ ...one, verdict: judgeInvention(played, control, one.invention) });
      if (isLeaked(played, one)) leaks += 1;
      onDone(judged.length, cases.length);
    }
    const marks = [...controls].map(([talk, played]) => ({ talk, marks: marksOf(played) }));
    return { cases: judged, controls: marks, leaks };
  } finally {
    await player.close();
  }
}

/** The diagnosis is made of the talk. What the note adds to it must not become a diagnosis or an alarm. */
function isLeaked({ askedForDiagnosis }: Played, { invention }: Case): boolean {
  return 'adds' in invention && askedForDiagnosis.includes(JSON.stringify(invention.adds).slice(1, -1));
}
