// What a planned revision would do to each document in the chart, in the words of a dry replay.
import type { ResourceType } from '@medplum/fhirtypes';
import type { LeftDocument } from './chart-write.ts';
import type { ExistingDocument } from './existing-documents.ts';
import { isRetired, isSigned } from './existing-resource.ts';
import type { ExistingResource } from './planned-writes.ts';
import type { WritePlan } from './write-plan.ts';

/**
 * `replace`: a new one is made, and the old one is retracted or named as replaced. `append`: a new one beside one that a person signed.
 * `park`: a person changed it, so that the replay is parked and nothing is written. `keep`: nothing is done.
 */
export const PLANNED_ACTIONS = ['create', 'update', 'replace', 'append', 'retract', 'park', 'keep'] as const;

/** Why a document is kept that differs, or that the new result lacks. `removed`: a person removed it. `parked`: see `park`. */
export const KEPT_REASONS = ['touched', 'signed', 'unchangeable', 'removed', 'parked'] as const;

export type PlannedChange = {
  readonly would: (typeof PLANNED_ACTIONS)[number];
  readonly why?: (typeof KEPT_REASONS)[number];
};

type ChangeParts = {
  readonly plan: WritePlan;
  /** The base of the document's name. */
  readonly base: string;
  readonly existing?: ExistingDocument | undefined;
  /** The existing document as the EHR has it now; undefined if it is gone. */
  readonly now?: ExistingResource;
};

export function plannedChange({ plan, base, existing, now }: ChangeParts): PlannedChange {
  const isOwn = ({ reference }: LeftDocument) => reference === existing?.reference;
  if (plan.touched.some(isOwn)) return { would: 'park', why: 'touched' };
  const left = plan.left.find(isOwn);
  if (left !== undefined) return { would: 'keep', why: isRemoved(now) ? 'removed' : left.why };
  const actions = new Set(plan.writes.filter((write) => write.base.value === base).map(({ action }) => action));
  if (actions.size === 0) return existing !== undefined && isRemoved(now) ? REMOVED : { would: 'keep' };
  if (plan.touched.length > 0) return { would: 'keep', why: 'parked' };
  if (actions.has('update')) return { would: 'update' };
  if (!actions.has('create')) return { would: 'retract' };
  if (existing === undefined || isRecord(existing.type)) return { would: 'create' };
  return { would: !actions.has('retire') && now !== undefined && isSigned(now.resource) ? 'append' : 'replace' };
}

const REMOVED: PlannedChange = { would: 'keep', why: 'removed' };

function isRemoved(now: ExistingResource): boolean {
  return now === undefined || isRetired(now.resource);
}

/** Each revision has a record of its own. */
function isRecord(type: ResourceType): boolean {
  return type === 'Provenance' || type === 'AuditEvent';
}
