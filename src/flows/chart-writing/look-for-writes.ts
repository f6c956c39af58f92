// Looks for resources in the chart before they are sent, and again afterwards: each identity exactly once, on the right patient. Finding
// nothing is no proof as long as a search may still miss a stored resource.
import type { Resource } from '@medplum/fhirtypes';
import { type ChartWrite, LONGEST_WRITE_MS } from '../../domain/chart/chart-write.ts';
import { isRetired, matchesBody, matchesBodyExactly, patientOf } from '../../domain/chart/existing-resource.ts';
import { referencesIn } from '../../domain/chart/frozen-body.ts';
import { carriesIdentity } from '../../domain/chart/stamp.ts';
import { isAbsenceReliable } from '../../domain/chart/write-strategies.ts';
import type { StoredResource } from '../../ports/ehr.ts';
import type { WriteResult } from '../../ports/ledger.ts';
import { type FoundWrites, findWrites, knownTargets } from './find-writes.ts';
import { type Delivery, learn, type Parked, parked, recordResults } from './track-delivery.ts';

export type Look = {
  /** Writes that are certainly not in the chart. */
  readonly absent: readonly ChartWrite[];
  /** For a write that was sent and not found yet: how long until its absence is certain. */
  readonly waitMs: number;
  readonly parked?: Parked;
};

type WritesToLookFor = {
  readonly writes: readonly ChartWrite[];
  /** What was found of them a moment ago, when none of them had been sent. */
  readonly before?: FoundWrites | undefined;
};

type Found = { readonly write: ChartWrite; readonly stored: readonly StoredResource[] | undefined };

type Verdict =
  | { readonly kind: 'absent' }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'there'; readonly result: WriteResult }
  | { readonly kind: 'ambiguous'; readonly why: string; readonly references: readonly string[] };

/**
 * Records what it finds. A Provenance is looked for after its targets: an EHR that cannot search for its identity finds it by a target,
 * and if no target is in the chart, neither is the Provenance.
 */
export async function lookForWrites(
  delivery: Delivery,
  { writes, before }: WritesToLookFor,
  signal: AbortSignal,
): Promise<Look> {
  const isFirstLook = writes.every(({ state }) => state === 'frozen');
  const isLater = (write: ChartWrite) =>
    write.type === 'Provenance' && knownTargets(delivery.references, write).length === 0;
  const records = isFirstLook ? [] : writes.filter(isLater);
  const others = writes.filter((write) => !records.includes(write));
  const first = await lookAtOnce(delivery, { writes: others, ...(isFirstLook && { before }) }, signal);
  if (records.length === 0 || first.parked) return first;
  const second = await lookAtOnce(delivery, { writes: records }, signal);
  return {
    absent: [...first.absent, ...second.absent],
    waitMs: Math.max(first.waitMs, second.waitMs),
    ...(second.parked && { parked: second.parked }),
  };
}

async function lookAtOnce(delivery: Delivery, order: WritesToLookFor, signal: AbortSignal): Promise<Look> {
  const found = await findAll(delivery, order, signal);
  const absent: ChartWrite[] = [];
  const results: WriteResult[] = [];
  const ambiguous: Extract<Verdict, { kind: 'ambiguous' }>[] = [];
  let waitMs = 0;
  for (const each of found) {
    const verdict = await judge(delivery, each, signal);
    if (verdict.kind === 'absent') absent.push(each.write);
    else if (verdict.kind === 'wait') waitMs = Math.max(waitMs, verdict.ms);
    else if (verdict.kind === 'there') results.push(verdict.result);
    else {
      if (each.write.state !== 'ambiguous') results.push({ id: each.write.id, state: 'ambiguous' });
      ambiguous.push(verdict);
    }
  }
  await recordResults(delivery, results);
  const [worst] = ambiguous;
  if (worst === undefined) return { absent, waitMs };
  const references = ambiguous.flatMap((each) => each.references);
  return { absent, waitMs, parked: parked('ambiguous', worst.why, LOOK_BY_HAND, references) };
}

const LOOK_BY_HAND =
  'Look at these resources in the EHR, set the surplus ones entered-in-error, and replay the run. The engine deletes nothing.';

async function findAll(
  delivery: Delivery,
  { writes, before }: WritesToLookFor,
  signal: AbortSignal,
): Promise<readonly Found[]> {
  const { ehr, revision, facts, references } = delivery;
  const unsent = new Set(writes.flatMap(({ state, identity }) => (state === 'frozen' ? [identity.value] : [])));
  const wanted = {
    patient: revision.patient,
    encounter: revision.place.encounter,
    writes,
    wasNeverSent: ({ identity }: Pick<ChartWrite, 'identity'>) => unsent.has(identity.value),
    facts,
    references,
  };
  const [found] = before ? [before] : await ehr.together([(reads) => findWrites(reads, wanted, signal)], signal);
  return writes.map((write) => {
    const ofType = found.get(write.type);
    return { write, stored: ofType && (ofType.get(write.identity.value) ?? []) };
  });
}

async function judge(delivery: Delivery, { write, stored }: Found, signal: AbortSignal): Promise<Verdict> {
  if (stored === undefined) return judgeUnfindable(delivery, write, signal);
  // A resource that a person set entered-in-error does not count beside a valid one.
  const live = stored.filter(({ resource }) => !isRetired(resource));
  const wasSent = write.state === 'sending' || write.state === 'stored';
  const [only] = live.length > 0 || !wasSent ? live : stored;
  if (only === undefined) return judgeAbsent(delivery, write, signal);
  const references = live.map(({ reference }) => reference);
  if (live.length > 1) {
    const why = `${write.type} is in the chart ${live.length} times instead of once`;
    return { kind: 'ambiguous', why, references };
  }
  if (!isOfPatient(delivery, only.resource)) {
    return { kind: 'ambiguous', why: `${write.type} is in the EHR, but on another patient`, references };
  }
  if (hasOpenUrn(delivery, only.resource)) {
    const why = `${write.type} is in the chart without the resource that it refers to: the EHR stored only a part of the transaction`;
    return { kind: 'ambiguous', why, references };
  }
  if (!wasSent && !isOurs(write, only.resource)) {
    return {
      kind: 'ambiguous',
      why: `${write.type} is in the chart already, and this engine did not write it`,
      references,
    };
  }
  if (!isAbsenceReliable(write.type, delivery)) await learn(delivery, { name: `names:${write.type}`, value: 'kept' });
  return { kind: 'there', result: resultOf(write, only) };
}

/** It still has a urn in it that means something only within its Bundle. */
function hasOpenUrn({ revision }: Delivery, resource: Resource): boolean {
  const urns = new Set(revision.writes.map(({ fullUrl }) => fullUrl));
  return referencesIn(resource).some((urn) => urns.has(urn));
}

/** After a restored backup the ledger does not know what was sent, but the EHR has it. */
function isOurs({ body }: ChartWrite, existing: Resource): boolean {
  return matchesBody(body, existing);
}

async function judgeAbsent(delivery: Delivery, write: ChartWrite, signal: AbortSignal): Promise<Verdict> {
  if (write.state === 'frozen') return { kind: 'absent' };
  if (write.state === 'stored') return judgeStored(delivery, write, { isFindable: true }, signal);
  const waitMs = await remainingMs(delivery, write, LONGEST_WRITE_MS + delivery.searchLagMs);
  if (waitMs > 0) return { kind: 'wait', ms: waitMs };
  return isAbsenceReliable(write.type, delivery) ? { kind: 'absent' } : isUnknown(write);
}

/** The rest of a time that began when the write was sent. */
async function remainingMs({ now }: Delivery, { sentAt }: ChartWrite, windowMs: number): Promise<number> {
  const sinceMs = Math.max(0, (await now()).getTime() - (sentAt?.getTime() ?? 0));
  return Math.max(0, windowMs - sinceMs);
}

/** The EHR returned a reference and a search does not find it, because the search lags or the EHR drops identities. */
async function judgeStored(
  delivery: Delivery,
  write: ChartWrite,
  { isFindable }: { readonly isFindable: boolean },
  signal: AbortSignal,
): Promise<Verdict> {
  const stored = write.reference === undefined ? undefined : await delivery.ehr.read(write.reference, signal);
  const waitMs = await remainingMs(delivery, write, delivery.searchLagMs);
  if (stored === undefined) {
    if (waitMs > 0) return { kind: 'wait', ms: waitMs };
    const why = `${write.type} was written, and is not in the EHR any more`;
    return { kind: 'ambiguous', why, references: write.reference === undefined ? [] : [write.reference] };
  }
  if (!isOfPatient(delivery, stored.resource)) {
    const why = `${write.type} is in the EHR, but on another patient`;
    return { kind: 'ambiguous', why, references: [stored.reference] };
  }
  const isNamed = carriesIdentity(stored.resource, write.identity);
  if (!isNamed) await learn(delivery, { name: `names:${write.type}`, value: 'lost' });
  if (isNamed && isFindable && waitMs > 0) return { kind: 'wait', ms: waitMs };
  return { kind: 'there', result: resultOf(write, stored) };
}

/** If the EHR cannot search for it, only its answer to the write counts. */
async function judgeUnfindable(delivery: Delivery, write: ChartWrite, signal: AbortSignal): Promise<Verdict> {
  if (write.state === 'frozen') return { kind: 'absent' };
  if (write.state === 'stored') return judgeStored(delivery, write, { isFindable: false }, signal);
  const isAboutNothing = write.type === 'Provenance' && knownTargets(delivery.references, write).length === 0;
  // A probe has shown that this EHR itself prevents a second copy, once its own index is up to date.
  const isGuarded = delivery.strategy === 'conditional-transaction' && write.state === 'sending';
  if (!isAboutNothing && !isGuarded) return isUnknown(write);
  const waitMs = await remainingMs(delivery, write, LONGEST_WRITE_MS + delivery.searchLagMs);
  return waitMs > 0 ? { kind: 'wait', ms: waitMs } : { kind: 'absent' };
}

function isUnknown({ type }: ChartWrite): Verdict {
  const why = `it cannot be found out whether ${type} is in the chart: the EHR did not answer, and cannot search for it`;
  return { kind: 'ambiguous', why, references: [] };
}

/** The engine's version is the one in the answer. Without an answer it is the found one if it equals what was sent: else a person changed it. */
function resultOf(write: ChartWrite, { reference, version, resource }: StoredResource): WriteResult {
  const { id, body, version: answered } = write;
  const isAsSent = () => matchesBodyExactly(body, resource);
  const ours = answered ?? (isAsSent() ? version : undefined);
  return { id, state: 'written', reference, ...(ours !== undefined && { version: ours }) };
}

/** A Device and a Provenance have no patient to compare. */
function isOfPatient({ revision }: Delivery, resource: Resource): boolean {
  const patient = patientOf(resource);
  return patient === undefined || revision.patient === '' || patient === revision.patient;
}
