// The ledger, in PostgreSQL: what was written where, who may write, and discrepancies. Unique indices keep single what must be single;
// changes that need a lease are transactions that lock it.
import type { Ledger } from '../../../ports/ledger.ts';
import type { Database } from '../database.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { makeLedgerFindings } from './ledger-findings.ts';
import { makeLedgerLeases } from './ledger-leases.ts';
import { makeLedgerLookups } from './ledger-lookups.ts';
import { makeLedgerRevisions } from './ledger-revisions.ts';
import { makeLedgerRoom } from './ledger-room.ts';
import { makeLedgerWrites } from './ledger-writes.ts';

type LedgerParts = { readonly database: Database; readonly secrets: Secrets };

export function makePostgresLedger({ database, secrets }: LedgerParts): Ledger {
  const room = makeLedgerRoom(database, secrets);
  return {
    ...makeLedgerLeases(room),
    ...makeLedgerRevisions(room),
    ...makeLedgerWrites(room),
    ...makeLedgerLookups(room),
    ...makeLedgerFindings(room),
  };
}
