// A session: the group of recordings that one note is about. Its key is made of their references, so that the same recordings are always the
// same session.
import { createHash } from 'node:crypto';

export type TimedRecording = {
  readonly reference: string;
  /** In milliseconds since 1970, if known. */
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
};

export type RecordingGroup = { readonly session: string; readonly recordings: readonly string[] };

const GAP = /^gap:(\d+)(ms|s|m|h|d)$/;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `s-` and 24 hex digits, independent of the order of the recordings. */
export function sessionKey(recordings: readonly string[]): string {
  const names = [...new Set(recordings)].toSorted();
  return `s-${createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 24)}`;
}

/** Groups by the site's setting `recording.group`. The recordings must be in the order in which they were made. */
export function groupRecordings(recordings: readonly TimedRecording[], group: string): readonly RecordingGroup[] {
  const groups: TimedRecording[][] = [];
  for (const recording of recordings) {
    const last = groups.at(-1);
    if (last !== undefined && belongsTogether(last, recording, group)) last.push(recording);
    else groups.push([recording]);
  }
  return groups.map((members) => {
    const references = members.map(({ reference }) => reference);
    return { session: sessionKey(references), recordings: references };
  });
}

/** A recording without a known time belongs to the group before it: two notes of one conversation would be worse. */
function belongsTogether(members: readonly TimedRecording[], next: TimedRecording, group: string): boolean {
  if (group === 'encounter') return true;
  if (group === 'recording') return false;
  const [, count = '0', unit = 's'] = GAP.exec(group) ?? [];
  const gapMs = Number(count) * (UNIT_MS[unit] ?? 1_000);
  const ends = members.flatMap(({ endMs, startMs }) => endMs ?? startMs ?? []);
  if (ends.length === 0 || next.startMs === undefined) return true;
  return next.startMs - Math.max(...ends) <= gapMs;
}
