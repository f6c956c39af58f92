// The ledger, in PostgreSQL: what was written where, who may write, and discrepancies. Unique indices keep single what must be single;
// changes that need a lease are transactions that lock it.
import { deriveKey } from '../../../platform/crypto.ts';
import type { Ledger } from '../../../ports/ledger.ts';
import type { Database } from '../database.ts';
import { makeLedgerFindings } from './ledger-findings.ts';
import { makeLedgerLeases } from './ledger-leases.ts';
import { makeLedgerLookups } from './ledger-lookups.ts';
import { makeLedgerRevisions } from './ledger-revisions.ts';
import { makeLedgerWrites } from './ledger-writes.ts';

export function makePostgresLedger(parts: { readonly database: Database; readonly masterKey: Uint8Array }): Ledger {
  const room = { database: parts.database, key: deriveKey(parts.masterKey, 'chart-writes') };
  return {
    ...makeLedgerLeases(room.database),
    ...makeLedgerRevisions(room),
    ...makeLedgerWrites(room.database),
    ...makeLedgerLookups(room),
    ...makeLedgerFindings(room.database),
  };
}
