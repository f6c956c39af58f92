// Is it there? Asked before anything is sent, and again afterwards: exactly one of each identity, on the right patient. Nothing found
// is no proof as long as a search may not know of it yet.
import type { Resource } from '@medplum/fhirtypes';
import { type ChartWrite, LONGEST_WRITE_MS } from '../../domain/chart/chart-write.ts';
import {
  isRetired,
  literalOf,
  matchesBody,
  matchesBodyExactly,
  patientOf,
} from '../../domain/chart/existing-resource.ts';
import { referencesIn } from '../../domain/chart/frozen-body.ts';
import { carriesIdentity } from '../../domain/chart/stamp.ts';
import { isAbsenceReliable } from '../../domain/chart/write-strategies.ts';
import type { StoredResource } from '../../ports/ehr.ts';
import type { WriteResult } from '../../ports/ledger.ts';
import { type Delivery, learn, type Parked, parked, recordResults } from './track-delivery.ts';

export type Look = {
  /** Certainly not there. */
  readonly absent: readonly ChartWrite[];
  /** Sent, and not found yet: how long until its absence would be certain. */
  readonly waitMs: number;
  readonly parked?: Parked;
};

type Found = { readonly write: ChartWrite; readonly stored: readonly StoredResource[] | undefined };

type Verdict =
  | { readonly kind: 'absent' }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'there'; readonly result: WriteResult }
  | { readonly kind: 'ambiguous'; readonly why: string; readonly references: readonly string[] };

/**
 * Settles what it finds. A Provenance comes after what it is about: where nobody can ask for it by its name, it is found by that, and
 * where nothing of that is there, neither is it.
 */
export async function lookForWrites(
  delivery: Delivery,
  writes: readonly ChartWrite[],
  signal: AbortSignal,
): Promise<Look> {
  const isFirstLook = writes.every(({ state }) => state === 'frozen');
  const isLater = (write: ChartWrite) => write.type === 'Provenance' && knownTargets(delivery, write).length === 0;
  const records = isFirstLook ? [] : writes.filter(isLater);
  const others = writes.filter((write) => !records.includes(write));
  const first = await lookAtOnce(delivery, others, signal);
  if (records.length === 0 || first.parked) return first;
  const second = await lookAtOnce(delivery, records, signal);
  return {
    absent: [...first.absent, ...second.absent],
    waitMs: Math.max(first.waitMs, second.waitMs),
    ...(second.parked && { parked: second.parked }),
  };
}

async function lookAtOnce(delivery: Delivery, writes: readonly ChartWrite[], signal: AbortSignal): Promise<Look> {
  const found = await findAll(delivery, writes, signal);
  const absent: ChartWrite[] = [];
  const results: WriteResult[] = [];
  const doubtful: Extract<Verdict, { kind: 'ambiguous' }>[] = [];
  let waitMs = 0;
  for (const each of found) {
    const verdict = await judge(delivery, each, signal);
    if (verdict.kind === 'absent') absent.push(each.write);
    else if (verdict.kind === 'wait') waitMs = Math.max(waitMs, verdict.ms);
    else if (verdict.kind === 'there') results.push(verdict.result);
    else {
      if (each.write.state !== 'ambiguous') results.push({ id: each.write.id, state: 'ambiguous' });
      doubtful.push(verdict);
    }
  }
  await recordResults(delivery, results);
  const [worst] = doubtful;
  if (worst === undefined) return { absent, waitMs };
  const references = doubtful.flatMap((each) => each.references);
  return { absent, waitMs, parked: parked('ambiguous', worst.why, LOOK_BY_HAND, references) };
}

const LOOK_BY_HAND =
  'Look at these resources in the EHR, set the ones that are too many entered-in-error there, and replay the run. The engine deletes nothing.';

async function findAll(
  delivery: Delivery,
  writes: readonly ChartWrite[],
  signal: AbortSignal,
): Promise<readonly Found[]> {
  const types = [...new Set(writes.map(({ type }) => type))];
  const answers = await Promise.all(
    types.map(async (type) => {
      const ofType = writes.filter((write) => write.type === type);
      const found = await findOfType(delivery, ofType, signal);
      return ofType.map((write) => ({ write, stored: found && (found.get(write.identity.value) ?? []) }));
    }),
  );
  return answers.flat();
}

/** Undefined: nobody can tell. */
async function findOfType(delivery: Delivery, writes: readonly ChartWrite[], signal: AbortSignal) {
  const { patient, place } = delivery.revision;
  const [{ type } = { type: 'Basic' as const }] = writes;
  if (delivery.facts.findLast(({ name }) => name === `names:${type}`)?.value === 'lost') return undefined;
  const answer = await delivery.ehr.find(
    {
      type,
      identities: writes.map(({ identity }) => identity),
      ...(patient !== '' && { patient }),
      ...(place.encounter !== '' && { encounter: `Encounter/${place.encounter}` }),
      ...(type === 'Provenance' && { target: writes.flatMap((write) => knownTargets(delivery, write))[0] }),
      wasNeverSent: writes.every(({ state }) => state === 'frozen'),
    },
    signal,
  );
  return answer.canFind ? answer.found : undefined;
}

/** What it is about, of that which is known to be there. */
function knownTargets({ references }: Delivery, { body }: ChartWrite): readonly string[] {
  const { target } = JSON.parse(body);
  return (Array.isArray(target) ? target : []).flatMap((each) => {
    const literal = literalOf({ reference: references.get(each?.reference) ?? each?.reference });
    return literal === undefined ? [] : [literal];
  });
}

async function judge(delivery: Delivery, { write, stored }: Found, signal: AbortSignal): Promise<Verdict> {
  if (stored === undefined) return judgeUnfindable(delivery, write, signal);
  // What a person set entered-in-error does not count beside one that is meant.
  const live = stored.filter(({ resource }) => !isRetired(resource));
  const wasSent = write.state === 'sending' || write.state === 'stored';
  const [only] = live.length > 0 || !wasSent ? live : stored;
  if (only === undefined) return judgeAbsent(delivery, write, signal);
  const references = live.map(({ reference }) => reference);
  if (live.length > 1) {
    const why = `${write.type} is there ${live.length} times instead of once`;
    return { kind: 'ambiguous', why, references };
  }
  if (!isOfPatient(delivery, only.resource)) {
    return { kind: 'ambiguous', why: `${write.type} is there, but on another patient`, references };
  }
  if (pointsNowhere(delivery, only.resource)) {
    const why = `${write.type} is there, but what it points at is not: the EHR took apart what was sent as one`;
    return { kind: 'ambiguous', why, references };
  }
  if (!wasSent && !isOurs(write, only.resource)) {
    return { kind: 'ambiguous', why: `${write.type} is there already, and this engine did not write it`, references };
  }
  if (!isAbsenceReliable(write.type, delivery)) await learn(delivery, { name: `names:${write.type}`, value: 'kept' });
  return { kind: 'there', result: resultOf(write, only) };
}

/** It still has a name in it that meant something only within its Bundle. */
function pointsNowhere({ revision }: Delivery, resource: Resource): boolean {
  const urns = new Set(revision.writes.map(({ fullUrl }) => fullUrl));
  return referencesIn(resource).some((urn) => urns.has(urn));
}

/** After a restored backup the ledger does not know what it sent; the EHR does. */
function isOurs({ body }: ChartWrite, standing: Resource): boolean {
  return matchesBody(body, standing);
}

async function judgeAbsent(delivery: Delivery, write: ChartWrite, signal: AbortSignal): Promise<Verdict> {
  if (write.state === 'frozen') return { kind: 'absent' };
  if (write.state === 'stored') return judgeStored(delivery, write, { isFindable: true }, signal);
  const waitMs = await remainingMs(delivery, write, LONGEST_WRITE_MS + delivery.searchLagMs);
  if (waitMs > 0) return { kind: 'wait', ms: waitMs };
  return isAbsenceReliable(write.type, delivery) ? { kind: 'absent' } : nobodyKnows(write);
}

/** Of a time that began when it was sent. */
async function remainingMs({ now }: Delivery, { sentAt }: ChartWrite, windowMs: number): Promise<number> {
  const sinceMs = Math.max(0, (await now()).getTime() - (sentAt?.getTime() ?? 0));
  return Math.max(0, windowMs - sinceMs);
}

/** The EHR named it, and a search does not know of it: because it lags, or because this EHR drops names. */
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
    const why = `${write.type} was written, and is not there any more`;
    return { kind: 'ambiguous', why, references: write.reference === undefined ? [] : [write.reference] };
  }
  if (!isOfPatient(delivery, stored.resource)) {
    const why = `${write.type} is there, but on another patient`;
    return { kind: 'ambiguous', why, references: [stored.reference] };
  }
  const isNamed = carriesIdentity(stored.resource, write.identity);
  if (!isNamed) await learn(delivery, { name: `names:${write.type}`, value: 'lost' });
  if (isNamed && isFindable && waitMs > 0) return { kind: 'wait', ms: waitMs };
  return { kind: 'there', result: resultOf(write, stored) };
}

/** Where nobody can look, only what the EHR itself said counts. */
async function judgeUnfindable(delivery: Delivery, write: ChartWrite, signal: AbortSignal): Promise<Verdict> {
  if (write.state === 'frozen') return { kind: 'absent' };
  if (write.state === 'stored') return judgeStored(delivery, write, { isFindable: false }, signal);
  const isAboutNothing = write.type === 'Provenance' && knownTargets(delivery, write).length === 0;
  // There the EHR itself sees to it that nothing is made twice, once its own index knows: a probe has shown that it does.
  const isGuarded = delivery.strategy === 'conditional-transaction' && write.state === 'sending';
  if (!isAboutNothing && !isGuarded) return nobodyKnows(write);
  const waitMs = await remainingMs(delivery, write, LONGEST_WRITE_MS + delivery.searchLagMs);
  return waitMs > 0 ? { kind: 'wait', ms: waitMs } : { kind: 'absent' };
}

function nobodyKnows({ type }: ChartWrite): Verdict {
  const why = `nobody can tell whether ${type} is there: the EHR did not answer, and cannot be asked for it`;
  return { kind: 'ambiguous', why, references: [] };
}

/** Ours is the version that was answered. Where no answer came, the one found is ours only if it says what was sent: else a person was there. */
function resultOf(write: ChartWrite, { reference, version, resource }: StoredResource): WriteResult {
  const { id, body, version: answered } = write;
  const isAsSent = () => matchesBodyExactly(body, resource);
  const ours = answered ?? (isAsSent() ? version : undefined);
  return { id, state: 'written', reference, ...(ours !== undefined && { version: ours }) };
}

/** Of a Device and a Provenance, nobody's, there is nothing to compare. */
function isOfPatient({ revision }: Delivery, resource: Resource): boolean {
  const patient = patientOf(resource);
  return patient === undefined || revision.patient === '' || patient === revision.patient;
}
