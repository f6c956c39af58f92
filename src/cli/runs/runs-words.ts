// How a run is, in words; and what a person can do about it.
import type { RunStatus } from '../../domain/run/run.ts';
import type { RunAnswer } from '../../wire/run.ts';

const STATUS_WORDS = {
  queued: 'its turn comes as soon as somebody is free',
  running: 'it is being worked on',
  waiting: 'it goes on by itself',
  held: 'it waits for a person’s decision',
  written: 'it stands in the chart',
  skipped: 'there was nothing to do, or not here',
  parked: 'it needs a person’s help',
  retracted: 'what was written was taken back',
  cancelled: 'somebody ended it',
} satisfies Record<RunStatus, string>;

/** Those from which it does not go on without a person. */
const AT_REST = {
  queued: false,
  running: false,
  waiting: false,
  held: true,
  written: true,
  skipped: true,
  parked: true,
  retracted: true,
  cancelled: true,
} satisfies Record<RunStatus, boolean>;

/** What an engine of another version calls otherwise is shown as it calls it. */
export function statusWords({ status }: Pick<RunAnswer, 'status'>): string {
  return STATUS_WORDS[status] ?? 'see its message';
}

export function isAtRest({ status }: Pick<RunAnswer, 'status'>): boolean {
  return AT_REST[status] ?? false;
}

const MEANT_SKIPS: ReadonlySet<string | undefined> = new Set(['shadow', 'dry-run', 'nothing-new']);
const MEANT_HOLDS: ReadonlySet<string | undefined> = new Set(['review', 'drafts']);

/** It came to where the site wants it: written, before a reviewer, or shown only. */
export function isAsMeant({ status, reason }: Pick<RunAnswer, 'status' | 'reason'>): boolean {
  if (status === 'skipped') return MEANT_SKIPS.has(reason);
  return status === 'held' ? MEANT_HOLDS.has(reason) : status === 'written';
}

/** What a clinician's word settles. Nobody is led to say yes to what they have not seen. */
const REVIEWED: ReadonlySet<string | undefined> = new Set(['review', 'drafts', 'unsupported', 'coverage']);

/** What can be typed next, a line each; nothing where there is nothing. */
export function nextCommands({ id, status, reason, site, encounter, revision, isDry }: RunAnswer): readonly string[] {
  // Nobody has to decide about what was only to be shown.
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
  if (status === 'parked') return [`Next: npm run cli -- runs replay ${id}`];
  const isOpen = status === 'skipped' && !MEANT_SKIPS.has(reason);
  return isOpen ? [`Next: npm run cli -- runs explain ${site} ${encounter}`] : [];
}

/** Run 0198c5b2 of mercy, Encounter/123. */
export function nameOfRun({ id, site, encounter }: Pick<RunAnswer, 'id' | 'site' | 'encounter'>): string {
  return `Run ${id} of ${site}, ${encounter}`;
}
