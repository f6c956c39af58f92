// Joins spoken turns with short pauses and returns the times of each turn. Samples have 16 bits and one channel.
import type { TurnTimes } from './recording-facts.ts';

type Joined = { readonly samples: Int16Array; readonly turns: readonly TurnTimes[] };

/** Amplitudes below this count as silence. */
const AUDIBLE = 100;
const EDGE_SECONDS = 0.5;
/** Pauses have different lengths, as between people; their order is fixed. */
const PAUSES_SECONDS = [0.35, 0.55, 0.25, 0.7, 0.45] as const;

export function joinTurns(spoken: readonly Int16Array[], hertz: number): Joined {
  const turns: TurnTimes[] = [];
  const pieces: { readonly at: number; readonly samples: Int16Array }[] = [];
  let at = Math.round(EDGE_SECONDS * hertz);
  for (const [index, turn] of spoken.entries()) {
    const samples = audiblePart(turn);
    if (index > 0) at += Math.round((PAUSES_SECONDS[index % PAUSES_SECONDS.length] ?? 0) * hertz);
    pieces.push({ at, samples });
    turns.push({ start: toMilliseconds(at / hertz), end: toMilliseconds((at + samples.length) / hertz) });
    at += samples.length;
  }
  const joined = new Int16Array(at + Math.round(EDGE_SECONDS * hertz));
  for (const piece of pieces) joined.set(piece.samples, piece.at);
  return { samples: joined, turns };
}

/** Removes the silence around a synthesised turn, which would count as speech in the times. */
function audiblePart(samples: Int16Array): Int16Array {
  const isHeard = (sample: number) => Math.abs(sample) > AUDIBLE;
  const first = samples.findIndex(isHeard);
  return first === -1 ? samples.subarray(0, 0) : samples.subarray(first, samples.findLastIndex(isHeard) + 1);
}

function toMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
