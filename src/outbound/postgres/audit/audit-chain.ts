// How an entry of the audit trail hangs on the one before it: a hash, under a key that the database does not have, over everything that
// is kept of it. The order and form of what is hashed is never changed: it would make all that was kept before look tampered with.
import { createHmac, type KeyObject } from 'node:crypto';
import { AppError } from '../../../domain/errors.ts';
import type { AuditEntry } from '../../../ports/audit.ts';

export type AuditHead = { readonly seq: number; readonly hash: string };

/** An entry as texts that come back from the database as they went in. */
export type AuditText = Readonly<Record<'action' | 'actor', string>> &
  Readonly<Record<'site' | 'run' | 'details', string | null>>;

/** Hashes in hex. `seq` and `at` are texts: whoever tampers may put in what is no number, or no time, of ours. */
export type AuditRow = AuditText &
  Readonly<Record<'seq' | 'at', string>> & { readonly prevHash: string | null; readonly hash: string | null };

/** Before the first entry. */
export const NO_ENTRY: AuditHead = { seq: 0, hash: '0'.repeat(64) };

/** Throws `invalidRequest` for what the database cannot hold, before it could spoil the turn of others. */
export function asAuditText({ action, actor, site, run, details }: AuditEntry): AuditText {
  return {
    action: asKept(action),
    actor: asKept(actor),
    site: site === undefined ? null : asKept(site),
    run: run === undefined ? null : asKept(run),
    details: details === undefined ? null : canonicalDetails(details),
  };
}

export function chainHash(key: KeyObject, row: Omit<AuditRow, 'hash'>): string {
  const { seq, at, action, actor, site, run, details, prevHash } = row;
  const text = JSON.stringify([seq, at, action, actor, site, run, details, prevHash]);
  return createHmac('sha256', key).update(text).digest('hex');
}

/** These entries, as rows that hang on that head. */
export function chainOn(
  key: KeyObject,
  head: AuditHead,
  at: Date,
  entries: readonly AuditText[],
): readonly (AuditRow & { readonly hash: string })[] {
  let prevHash = head.hash;
  return entries.map((entry, index) => {
    const row = { ...entry, seq: String(head.seq + 1 + index), at: at.toISOString(), prevHash };
    const hash = chainHash(key, row);
    prevHash = hash;
    return { ...row, hash };
  });
}

function asKept(text: string): string {
  if (text.includes('\0')) throw new AppError('invalidRequest', 'Text must not hold NUL characters');
  // Half a character is stored as a replacement: it has to be hashed as one.
  return text.toWellFormed();
}

/** JSON escapes what a text column cannot hold. */
function canonicalDetails(details: NonNullable<AuditEntry['details']>): string {
  const names = Object.keys(details).sort();
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, details[name]])));
}
