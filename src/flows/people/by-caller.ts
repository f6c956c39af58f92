// Entries of the audit trail about what a caller does.
import type { Access } from '../../domain/people/caller.ts';
import type { RecordedPurpose } from '../../domain/people/purpose.ts';
import { present } from '../../domain/present.ts';
import type { AuditEntry } from '../../ports/audit.ts';

/**
 * Adds who acts; of people and tokens also the role, the purpose and the network address. Entries of the keys stay as they were before there
 * were people. `purpose`: instead of that of the session.
 */
export function byCaller<Action extends string>(
  { caller, role }: Pick<Access, 'caller' | 'role'>,
  entry: Omit<AuditEntry<Action>, 'actor'>,
  purpose: RecordedPurpose | undefined = caller.purpose,
): AuditEntry<Action> {
  const { actor, kind, address } = caller;
  if (kind !== 'person' && kind !== 'token') return { ...entry, actor };
  return { ...entry, actor, details: { ...entry.details, ...present({ as: role, purpose, address }) } };
}
