// Deletes what people and their sign-ins have left behind. Opened charts stay: auditors need them.
import type { Stores } from './make-stores.ts';

type Swept = Pick<
  Stores,
  'personSessions' | 'signInAttempts' | 'localAccounts' | 'deviceSignIns' | 'notices' | 'auditEvents'
>;

/** Long enough to look up whether a notice, or an AuditEvent, was sent. */
const MESSAGES_KEPT_MS = 30 * 86_400_000;

export async function sweepPeople(stores: Swept): Promise<void> {
  await stores.personSessions.sweep();
  await stores.signInAttempts.sweep();
  await stores.localAccounts.sweep();
  await stores.deviceSignIns.sweep();
  await stores.notices.sweep(MESSAGES_KEPT_MS);
  await stores.auditEvents.sweep(MESSAGES_KEPT_MS);
}
