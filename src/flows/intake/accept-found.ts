// How resources that a search found are taken in. The type has a file of its own, so that searches do not depend on the doors.
import type { Resource } from '@medplum/fhirtypes';
import type { LoadedSite } from '../../ports/sites.ts';

/** Found resources get the same keys as their events would have. Throws `overloaded` if not all of them could be stored. */
export type AcceptFound = (order: {
  readonly site: LoadedSite;
  readonly source: 'poll' | 'catch-up';
  readonly receivedAt: Date;
  readonly resources: readonly Resource[];
}) => Promise<{ readonly accepted: number; readonly repeated: number }>;
