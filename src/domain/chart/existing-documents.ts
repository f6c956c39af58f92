// What of a session stands in its chart, as the ledger tells it: the newest resource of each document, over all revisions.
import type { ResourceType } from '@medplum/fhirtypes';
import type { Revision, WritePlace, WriteState } from './chart-write.ts';
import type { Identity } from './identity.ts';

export type ExistingDocument = {
  readonly document: string;
  readonly type: ResourceType;
  readonly base: Identity;
  readonly identity: Identity;
  readonly fullUrl: string;
  readonly reference: string;
  readonly version?: string;
  /** As it was frozen. */
  readonly body: string;
  /** Of the run that it came from. */
  readonly run: Revision['run'];
};

export type SessionSummary = {
  /** By the base's value. Retired ones are not here. */
  readonly documents: ReadonlyMap<string, ExistingDocument>;
  /** Older ones of the same base that nobody has retired: a revision was stopped between making the new one and that. */
  readonly older: readonly ExistingDocument[];
  /** By the base's value: how many resources were ever made of it, also those that are retired. */
  readonly used: ReadonlyMap<string, number>;
  /** Something was sent, and nobody has looked for it since. */
  readonly isInDoubt: boolean;
  /** The revision that is not at its end. */
  readonly open?: Revision;
};

const MAY_EXIST = new Set<WriteState>(['sending', 'stored', 'written']);

export function summarizeSession(revisions: readonly Revision[]): SessionSummary {
  const standing = new Map<string, ExistingDocument>();
  const used = new Map<string, number>();
  for (const revision of revisions) {
    for (const write of revision.writes) {
      if (write.action === 'create' && MAY_EXIST.has(write.state))
        used.set(write.base.value, (used.get(write.base.value) ?? 0) + 1);
      if (write.state !== 'written') continue;
      if (write.action === 'retire') standing.delete(write.target ?? '');
      else if (write.reference !== undefined) {
        const { document, type, base, identity, fullUrl, reference, version, body } = write;
        const now = { document, type, base, identity, fullUrl, reference, body, run: revision.run };
        standing.set(reference, { ...now, ...(version !== undefined && { version }) });
      }
    }
  }
  const documents = new Map([...standing.values()].map((each) => [each.base.value, each]));
  const older = [...standing.values()].filter((each) => documents.get(each.base.value) !== each);
  const isInDoubt = revisions.some(({ writes }) =>
    writes.some(({ state }) => state === 'sending' || state === 'stored'),
  );
  const open = revisions.findLast(({ state }) => state === 'open');
  return { documents, older, used, isInDoubt, ...(open && { open }) };
}

/** Models are authors at the whole site: they belong to no encounter. */
export function devicePlace(site: string): WritePlace {
  return { site, encounter: '', session: '' };
}
