// Shared by all files of the ledger: the database, the encryption, and the keyed hash by which a name is found. A name may contain the
// code of a diagnosis.
import type { Lease } from '../../../ports/ledger.ts';
import type { Database } from '../database.ts';
import type { Sealing, Secrets } from '../secrets/secrets.ts';

export type LedgerRoom = {
  readonly database: Database;
  readonly sealing: Sealing;
  /** The same for the same name of a site, in every process and after every start. */
  readonly digest: (site: string, name: string) => Buffer;
  /** Leases that were released together with something else. */
  readonly released: WeakSet<Lease>;
};

export function makeLedgerRoom(database: Database, secrets: Secrets): LedgerRoom {
  return {
    database,
    sealing: secrets.sealing('chart-writes'),
    digest: secrets.digest('chart-names'),
    released: new WeakSet(),
  };
}
