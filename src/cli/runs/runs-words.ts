// Words for the state of a run, and the commands that help with it.
import type { RunStatus } from '../../domain/run/run.ts';
import type { RunAnswer } from '../../wire/run.ts';

/** `rests`: a run stays in this state unless a person acts. */
const STATES = {
  queued: { words: 'starts as soon as a worker is free', rests: false },
  running: { words: 'a worker is processing it', rests: false },
  waiting: { words: 'continues by itself', rests: false },
  held: { words: 'waits for a person’s decision', rests: true },
  written: { words: 'the documents are in the chart', rests: true },
  skipped: { words: 'there was nothing to document', rests: true },
  parked: { words: 'operator action required', rests: true },
  rejected: { words: 'a clinician rejected the draft', rests: true },
  retracted: { words: 'its documents were retracted', rests: true },
  cancelled: { words: 'ended by an operator', rests: true },
} satisfies Record<RunStatus, { readonly words: string; readonly rests: boolean }>;

/** Describes the state; a state of another engine version refers to its message. */
export function statusWords({ status, replayedBy }: Pick<RunAnswer, 'status' | 'replayedBy'>): string {
  if (status === 'parked' && replayedBy !== undefined) return 'a replay has written its session; nothing to do';
  return STATES[status]?.words ?? 'see its message';
}

export function isAtRest({ status }: Pick<RunAnswer, 'status'>): boolean {
  return STATES[status]?.rests ?? false;
}

const EXPECTED_SKIPS: ReadonlySet<string | undefined> = new Set(['shadow', 'dry-run', 'nothing-new']);
const MEANT_HOLDS: ReadonlySet<string | undefined> = new Set(['review', 'drafts']);

/** True if the run ended as the site wants it: written, held for a reviewer, or shown only. */
export function hasExpectedEnd({ status, reason }: Pick<RunAnswer, 'status' | 'reason'>): boolean {
  if (status === 'skipped') return EXPECTED_SKIPS.has(reason);
  return status === 'held' ? MEANT_HOLDS.has(reason) : status === 'written';
}

/** Reasons for which a reviewer decides. For these the draft is shown first, so that no reviewer approves it unseen. */
const REVIEWED: ReadonlySet<string | undefined> = new Set(['review', 'drafts', 'unsupported', 'coverage']);

/** The commands that can follow, one per line. */
export function nextCommands({
  id,
  status,
  reason,
  site,
  encounter,
  revision,
  isDry,
  replayedBy,
  movedTo,
  movedBy,
}: RunAnswer): readonly string[] {
  if (movedBy !== undefined) return [`Documented for ${movedTo}: npm run cli -- runs show ${movedBy}`];
  // A dry run needs no decision.
  if (isDry && status === 'held') return [`Next: npm run cli -- runs replay ${id} --from map --dry-run`];
  if (status === 'held' && revision > 0 && REVIEWED.has(reason)) {
    return [
      `Next: npm run cli -- runs show ${id} --patient-data`,
      `Then: npm run cli -- runs review ${id} --revision ${revision}`,
      '      with --approve, --edit SECTION=@file or --reject "reason", and the key of a reviewer',
    ];
  }
  if (status === 'queued' || status === 'running' || status === 'waiting')
    return [`Next: npm run cli -- runs watch ${id}`];
  if (status === 'parked' && replayedBy !== undefined)
    return [`Written by its replay: npm run cli -- runs show ${replayedBy}`];
  // A replay would be for the patient of before.
  if (status === 'parked' && movedTo !== undefined) return [`Then: npm run cli -- runs start ${site} ${encounter}`];
  if (status === 'parked') return [`Next: npm run cli -- runs retry ${id}`];
  if (status === 'held' && reason === 'sensitive')
    return [`To let it go on: npm run cli -- runs release ${id} --reason "…"`];
  const isOpen = status === 'skipped' && !EXPECTED_SKIPS.has(reason);
  return isOpen ? [`Next: npm run cli -- runs explain ${site} ${encounter}`] : [];
}

/** Names a run as `Run 0198c5b2 of mercy, Encounter/123`. */
export function nameOfRun({ id, site, encounter }: Pick<RunAnswer, 'id' | 'site' | 'encounter'>): string {
  return `Run ${id} of ${site}, ${encounter}`;
}
