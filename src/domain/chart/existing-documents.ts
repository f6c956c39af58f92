// The documents of a session that are in its chart according to the ledger: the newest resource of each, over all revisions.
import type { Patient, Resource, ResourceType } from '@medplum/fhirtypes';
import type { Revision, WritePlace, WriteState } from './chart-write.ts';
import { isRetired, literalOf } from './existing-resource.ts';
import type { Identity } from './identity.ts';

export type ExistingDocument = {
  readonly document: string;
  readonly type: ResourceType;
  readonly base: Identity;
  readonly identity: Identity;
  readonly fullUrl: string;
  readonly reference: string;
  readonly version?: string;
  /** The frozen bytes. */
  readonly body: string;
  /** The run whose result it is. */
  readonly run: Revision['run'];
  /** The patient for whom it was written. */
  readonly patient: string;
};

export type SessionSummary = {
  /** By the base's value, without retired ones. */
  readonly documents: ReadonlyMap<string, ExistingDocument>;
  /** Older ones of the same base that are not retired yet: a revision was stopped after it had made the new one. */
  readonly older: readonly ExistingDocument[];
  /** By the base's value: how many resources were ever made of it, retired ones included. */
  readonly used: ReadonlyMap<string, number>;
  /** The revision that has not ended. */
  readonly open?: Revision;
};

const MAY_EXIST = new Set<WriteState>(['sending', 'stored', 'written']);

export function summarizeSession(revisions: readonly Revision[]): SessionSummary {
  const current = new Map<string, ExistingDocument>();
  const used = new Map<string, number>();
  for (const revision of revisions) {
    for (const write of revision.writes) {
      if (write.action === 'create' && MAY_EXIST.has(write.state))
        used.set(write.base.value, (used.get(write.base.value) ?? 0) + 1);
      if (write.state !== 'written') continue;
      if (write.action === 'retire') current.delete(write.target ?? '');
      else if (write.reference !== undefined) {
        const { document, type, base, identity, fullUrl, reference, version, body } = write;
        const now = { document, type, base, identity, fullUrl, reference, body };
        const { run, patient } = revision;
        current.set(reference, { ...now, run, patient, ...(version !== undefined && { version }) });
      }
    }
  }
  const documents = new Map([...current.values()].map((each) => [each.base.value, each]));
  const older = [...current.values()].filter((each) => documents.get(each.base.value) !== each);
  const open = revisions.findLast(({ state }) => state === 'open');
  return { documents, older, used, ...(open && { open }) };
}

type Former = {
  /** The patient of the new result. */
  readonly patient: Patient;
  /** By reference; undefined if the resource is gone. */
  readonly inChart: ReadonlyMap<string, { readonly resource: Resource } | undefined>;
};

/**
 * Leaves out what a person has removed from the chart of another patient, to whom the encounter belonged before: that says nothing about
 * this patient's chart. Of a patient who was merged into this one it still does.
 */
export function withoutFormerPatient(session: SessionSummary, { patient, inChart }: Former): SessionSummary {
  const replaced = (patient.link ?? []).filter(({ type }) => type === 'replaces');
  const own = new Set([`Patient/${patient.id}`, ...replaced.map(({ other }) => literalOf(other))]);
  const counts = (each: ExistingDocument) => {
    const now = inChart.get(each.reference);
    return own.has(each.patient) || (now !== undefined && !isRetired(now.resource));
  };
  const documents = new Map([...session.documents].filter(([, each]) => counts(each)));
  return { ...session, documents, older: session.older.filter(counts) };
}

/** The place of a site's Devices: a model is an author at the whole site and belongs to no encounter. */
export function devicePlace(site: string): WritePlace {
  return { site, encounter: '', session: '' };
}
