// Is it there? Asked before anything is sent, and again afterwards: exactly one of each identity, on the right patient. Nothing found
// is no proof as long as a search may not know of it yet.
import type { Resource } from '@medplum/fhirtypes';
import type { ChartWrite } from '../../domain/chart-write.ts';
import { isRetired, patientOf, saysNothingElse, saysTheSame } from '../../domain/standing.ts';
import type { StoredResource } from '../../ports/ehr.ts';
import type { WriteResult } from '../../ports/ledger.ts';
import { type Job, type Parked, parked, settle } from './settle-job.ts';

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

/** Settles what it finds. */
export async function lookForWrites(job: Job, writes: readonly ChartWrite[], signal: AbortSignal): Promise<Look> {
  const found = await findAll(job, writes, signal);
  const absent: ChartWrite[] = [];
  const results: WriteResult[] = [];
  const doubtful: Extract<Verdict, { kind: 'ambiguous' }>[] = [];
  let waitMs = 0;
  for (const each of found) {
    const verdict = await judge(job, each, signal);
    if (verdict.kind === 'absent') absent.push(each.write);
    else if (verdict.kind === 'wait') waitMs = Math.max(waitMs, verdict.ms);
    else if (verdict.kind === 'there') results.push(verdict.result);
    else {
      if (each.write.state !== 'ambiguous') results.push({ id: each.write.id, state: 'ambiguous' });
      doubtful.push(verdict);
    }
  }
  await settle(job, results);
  const [first] = doubtful;
  if (first === undefined) return { absent, waitMs };
  const references = doubtful.flatMap((each) => each.references);
  return { absent, waitMs, parked: parked('ambiguous', first.why, LOOK_BY_HAND, references) };
}

const LOOK_BY_HAND =
  'Look at these resources in the EHR, set the ones that are too many entered-in-error there, and replay the run. The engine deletes nothing.';

async function findAll(job: Job, writes: readonly ChartWrite[], signal: AbortSignal): Promise<readonly Found[]> {
  const { patient, place } = job.revision;
  const types = [...new Set(writes.map(({ type }) => type))];
  const answers = await Promise.all(
    types.map(async (type) => {
      const ofType = writes.filter((write) => write.type === type);
      const answer = await job.ehr.find(
        {
          type,
          identities: ofType.map(({ identity }) => identity),
          ...(patient !== '' && { patient }),
          ...(place.encounter !== '' && { encounter: `Encounter/${place.encounter}` }),
          wasNeverSent: ofType.every(({ state }) => state === 'frozen'),
        },
        signal,
      );
      return ofType.map((write) => ({
        write,
        stored: answer.canFind ? (answer.found.get(write.identity.value) ?? []) : undefined,
      }));
    }),
  );
  return answers.flat();
}

async function judge(job: Job, { write, stored }: Found, signal: AbortSignal): Promise<Verdict> {
  if (stored === undefined) return judgeUnfindable(job, write, signal);
  // What a person set entered-in-error does not count beside one that is meant.
  const live = stored.filter(({ resource }) => !isRetired(resource));
  const wasSent = write.state === 'sending' || write.state === 'stored';
  const [only] = live.length > 0 || !wasSent ? live : stored;
  if (only === undefined) return judgeAbsent(job, write, signal);
  const references = live.map(({ reference }) => reference);
  if (live.length > 1) {
    const why = `${write.type} is there ${live.length} times instead of once`;
    return { kind: 'ambiguous', why, references };
  }
  if (!isOfPatient(job, only.resource)) {
    return { kind: 'ambiguous', why: `${write.type} is there, but on another patient`, references };
  }
  if (!wasSent && !isOurs(write, only.resource)) {
    return { kind: 'ambiguous', why: `${write.type} is there already, and this engine did not write it`, references };
  }
  return { kind: 'there', result: resultOf(write, only) };
}

/** After a restored backup the ledger does not know what it sent; the EHR does. */
function isOurs({ body }: ChartWrite, standing: Resource): boolean {
  return saysTheSame(body, standing);
}

async function judgeAbsent(job: Job, write: ChartWrite, signal: AbortSignal): Promise<Verdict> {
  if (write.state === 'frozen') return { kind: 'absent' };
  const sinceMs = Math.max(0, job.runtime.now().getTime() - (write.sentAt?.getTime() ?? 0));
  if (sinceMs < job.searchLagMs) return { kind: 'wait', ms: job.searchLagMs - sinceMs };
  return write.state === 'stored' ? byReference(job, write, signal) : { kind: 'absent' };
}

/** Where nobody can look, only what the EHR itself said counts. */
async function judgeUnfindable(job: Job, write: ChartWrite, signal: AbortSignal): Promise<Verdict> {
  if (write.state === 'frozen') return { kind: 'absent' };
  if (write.state === 'stored') return byReference(job, write, signal);
  // There the EHR itself sees to it that nothing is made twice: a probe has shown that it does.
  if (job.rung === 'conditional-transaction' && write.state === 'sending') return { kind: 'absent' };
  const why = `nobody can tell whether ${write.type} is there: the EHR did not answer, and cannot be asked for it`;
  return { kind: 'ambiguous', why, references: [] };
}

/** The EHR named it: that it can be read there is worth more than a search that does not know of it. */
async function byReference(job: Job, write: ChartWrite, signal: AbortSignal): Promise<Verdict> {
  const stored = write.reference === undefined ? undefined : await job.ehr.read(write.reference, signal);
  const isThere = stored !== undefined && isOfPatient(job, stored.resource);
  if (isThere) return { kind: 'there', result: resultOf(write, stored) };
  const why = `${write.type} was written, and is not there any more`;
  return { kind: 'ambiguous', why, references: write.reference === undefined ? [] : [write.reference] };
}

/** Ours is the version that was answered. Where no answer came, the one found is ours only if it says what was sent: else a person was there. */
function resultOf(write: ChartWrite, { reference, version, resource }: StoredResource): WriteResult {
  const { id, body, version: answered } = write;
  const isAsSent = () => saysNothingElse(body, resource);
  const ours = answered ?? (isAsSent() ? version : undefined);
  return { id, state: 'written', reference, ...(ours !== undefined && { version: ours }) };
}

/** Of a Device and a Provenance, nobody's, there is nothing to compare. */
function isOfPatient({ revision }: Job, resource: Resource): boolean {
  const patient = patientOf(resource);
  return patient === undefined || revision.patient === '' || patient === revision.patient;
}
