// Chains each entry of the audit trail to the one before it: a hash of everything stored, under a key that the database does not have.
// The order and form of the hashed text must never change: all older entries would look tampered with.
import { createHmac, type KeyObject } from 'node:crypto';
import { AppError } from '../../../domain/errors.ts';
import type { AuditEntry } from '../../../ports/audit.ts';

export type AuditHead = { readonly seq: number; readonly hash: string };

/** An entry as texts that the database returns unchanged. */
export type AuditText = Readonly<Record<'action' | 'actor', string>> &
  Readonly<Record<'site' | 'run' | 'details', string | null>>;

/** Hashes are in hex. `seq` and `at` are texts: a forged row may hold values that are no valid number or time. */
export type AuditRow = AuditText &
  Readonly<Record<'seq' | 'at', string>> & { readonly prevHash: string | null; readonly hash: string | null };

/** The head before the first entry. */
export const NO_ENTRY: AuditHead = { seq: 0, hash: '0'.repeat(64) };

/** Throws `invalidRequest` for text that the database cannot store, before it could fail a batch with entries of others. */
export function asAuditText({ action, actor, site, run, details }: AuditEntry<string>): AuditText {
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

/** Makes rows of these entries, chained to that head. */
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
