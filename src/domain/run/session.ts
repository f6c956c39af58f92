// What one note is about: a group of recordings of an encounter. Its key is made of what they are called in the chart, so that the
// same recordings are the same session, whoever finds them, and whenever.
import { createHash } from 'node:crypto';

export type TimedRecording = {
  readonly reference: string;
  /** In milliseconds since 1970, where they are known. */
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
};

export type RecordingGroup = { readonly session: string; readonly recordings: readonly string[] };

const GAP = /^gap:(\d+)(ms|s|m|h|d)$/;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `s-` and 24 hex digits: the order in which they were found does not matter. */
export function sessionKey(recordings: readonly string[]): string {
  const names = [...new Set(recordings)].toSorted();
  return `s-${createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 24)}`;
}

/** As the site's `recording.group` says. The recordings come in the order in which they were made. */
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

/** Where nobody knows when something was recorded, it belongs to what was before: two notes of one talk would be worse. */
function belongsTogether(members: readonly TimedRecording[], next: TimedRecording, group: string): boolean {
  if (group === 'encounter') return true;
  if (group === 'recording') return false;
  const [, count = '0', unit = 's'] = GAP.exec(group) ?? [];
  const gapMs = Number(count) * (UNIT_MS[unit] ?? 1_000);
  const ends = members.flatMap(({ endMs, startMs }) => endMs ?? startMs ?? []);
  if (ends.length === 0 || next.startMs === undefined) return true;
  return next.startMs - Math.max(...ends) <= gapMs;
}
