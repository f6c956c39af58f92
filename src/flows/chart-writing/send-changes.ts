// Further versions of what stands in a chart, and what is retired there: one by one, each on the version that it was made for. What a
// person changed in between stays as that person left it.
import type { ChartWrite, LeftDocument } from '../../domain/chart/chart-write.ts';
import { isRetired, matchesBody, matchesBodyExactly } from '../../domain/chart/existing-resource.ts';
import { renderBody, sha256 } from '../../domain/chart/frozen-body.ts';
import { carriesIdentity } from '../../domain/chart/stamp.ts';
import { AppError } from '../../domain/errors.ts';
import type { StoredResource, WriteAnswer } from '../../ports/ehr.ts';
import {
  accessRefused,
  beginSending,
  type Delivery,
  learn,
  MAX_ROUNDS,
  type Parked,
  parked,
  pauseForBusy,
  recordResults,
} from './track-delivery.ts';

/** Undefined: all are done, or left because a person made them their own. */
export async function sendChanges(job: Delivery, signal: AbortSignal): Promise<Parked | undefined> {
  let stopped: Parked | undefined;
  for (const { id, action } of [...job.writes.values()]) {
    // The new statements are there: the old ones go, whatever a person made of a document meanwhile.
    // And one that the EHR does not let go is no reason to leave the others in force.
    const isDue = action === 'retire' || (action === 'update' && stopped?.reason !== 'touched');
    const ended = isDue ? await settleChange(job, id, signal) : undefined;
    if (ended && ended.reason !== 'touched' && ended.reason !== 'retract-by-hand') return ended;
    stopped = together(stopped, ended);
  }
  return stopped;
}

/** One answer for both: whoever looks at the first looks at the other, too. */
function together(one: Parked | undefined, other: Parked | undefined): Parked | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { ...one, references: [...one.references, ...other.references] };
}

async function settleChange(job: Delivery, id: string, signal: AbortSignal): Promise<Parked | undefined> {
  let conflicts = 0;
  for (let round = 0; ; round += 1) {
    const write = job.writes.get(id);
    if (write?.target === undefined || !isPending(write)) return undefined;
    const now = await job.ehr.read(write.target, signal);
    const standing = changeStatus(job, write, now);
    if (standing === 'done') {
      await recordResults(job, [{ id, state: 'written', reference: write.target, ...ownVersion(write, now) }]);
      return undefined;
    }
    if (standing === 'touched') return touched(job, write);
    if (conflicts >= MAX_CONFLICTS) return refused(job, write, 412);
    if (round >= MAX_ROUNDS) throw stillUncertain(job);
    const answer = await send(job, write, signal);
    if (answer.kind === 'conflict') conflicts += 1;
    const ended = await afterChange(job, write, { answer, round }, signal);
    if (ended) return ended;
  }
}

function isPending({ state }: ChartWrite): boolean {
  return state === 'frozen' || state === 'sending' || state === 'stored';
}

/** After as many the version that it shows is not the one that it goes by. */
const MAX_CONFLICTS = 3;

/** `open`: as it was when this was planned. */
export function changeStatus(
  { facts }: Pick<Delivery, 'facts'>,
  write: ChartWrite,
  now: StoredResource | undefined,
): 'open' | 'done' | 'touched' {
  if (now === undefined) return 'touched';
  // However the EHR writes what it was sent: this is the version that it made of it.
  if (write.state === 'stored' && write.version !== undefined && write.version === now.version) return 'done';
  const wasSent = write.state !== 'frozen';
  if (write.action === 'retire' && isRetired(now.resource)) return 'done';
  const isOurs = matchesBody(write.body, now.resource);
  if (wasSent && isOurs) return 'done';
  const keepsNames = facts.findLast(({ name }) => name === `names:${write.type}`)?.value !== 'lost';
  const wasNamed = carriesIdentity(JSON.parse(write.body), write.identity);
  // An EHR that was set back to an older copy gives its ids out again.
  if (wasNamed && keepsNames && !carriesIdentity(now.resource, write.identity)) return 'touched';
  if (write.ifMatch === undefined || now.version === undefined) return 'open';
  return now.version === write.ifMatch ? 'open' : 'touched';
}

async function send(job: Delivery, write: ChartWrite, signal: AbortSignal): Promise<WriteAnswer> {
  const { target = '', ifMatch, body } = write;
  return job.ehr.withWriteSlot(async () => {
    await beginSending(job, [write], new Map([[write.id, sha256(body)]]));
    return job.ehr.update({ reference: target, body: renderBody(body, job.references), ifMatch }, signal);
  }, signal);
}

/** The one that was answered; without an answer, the one that stands there, if it says what was sent and nothing else. */
export function ownVersion(
  { action, body, version, state }: ChartWrite,
  now: StoredResource | undefined,
): { readonly version?: string } {
  if (state === 'stored' && version !== undefined) return { version };
  if (now?.version === undefined) return {};
  const isOurs = action === 'retire' || matchesBodyExactly(body, now.resource);
  return isOurs ? { version: now.version } : {};
}

type Answered = { readonly answer: WriteAnswer; readonly round: number };

async function afterChange(
  job: Delivery,
  write: ChartWrite,
  { answer, round }: Answered,
  signal: AbortSignal,
): Promise<Parked | undefined> {
  const { id, target: reference = '' } = write;
  switch (answer.kind) {
    case 'stored': {
      const version = answer.version === undefined ? {} : { version: answer.version };
      await recordResults(job, [{ id, state: 'stored', reference, ...version }]);
      await noteIgnoredMatch(job, write, answer.version);
      return undefined;
    }
    case 'busy':
      await recordResults(job, [{ id, state: 'frozen' }]);
      await pauseForBusy(job, round, answer.retryAfterMs ?? 0, signal);
      return undefined;
    // The next look tells whether it was ours or a person's.
    case 'conflict':
    case 'unknown':
      await job.runtime.pause(Math.min(200 * 2 ** round, 5_000), signal);
      return undefined;
    case 'refused':
      return refused(job, write, answer.status);
  }
}

async function refused(job: Delivery, { id, action, target = '', type }: ChartWrite, status: number): Promise<Parked> {
  if (status === 401 || status === 403) {
    await recordResults(job, [{ id, state: 'frozen' }]);
    return accessRefused(status);
  }
  await recordResults(job, [{ id, state: 'refused' }]);
  return parked(
    action === 'retire' ? 'retract-by-hand' : 'refused',
    `the EHR does not let the engine change its ${type} (${status})`,
    'Change or retract it in the EHR by hand.',
    [target],
  );
}

/** A server that counts its versions, and went on by more than one, took the write although somebody had been there. */
async function noteIgnoredMatch(job: Delivery, { ifMatch }: ChartWrite, version: string | undefined): Promise<void> {
  const [before, after] = [Number(ifMatch), Number(version)];
  if (!Number.isInteger(before) || !Number.isInteger(after) || after <= before + 1) return;
  await learn(job, { name: 'if-match', value: 'ignored' });
}

async function touched(
  job: Delivery,
  { id, action, target = '', type, state }: ChartWrite,
): Promise<Parked | undefined> {
  await recordResults(job, [{ id, state: state === 'frozen' ? 'dropped' : 'ambiguous' }]);
  // What a person changed is not ours to take back: it stays, and is said.
  if (action === 'retire') return undefined;
  return parked(
    'touched',
    `a person changed the ${type} while a new version of it was being written`,
    'Compare it with the new result, which the engine keeps, and change it in the EHR by hand where needed.',
    [target],
  );
}

function stillUncertain({ site }: Delivery): AppError {
  const message = `${site}: a change was sent to the EHR, and it is not known yet whether it was taken; it is looked at again`;
  return new AppError('ehrUncertain', message, { retryAfterSeconds: 60 });
}

/** Changes that were left, because a person had been there first. */
export function leftChanges(writes: readonly ChartWrite[]): readonly LeftDocument[] {
  return writes.flatMap(({ action, state, document, target }) =>
    action !== 'create' && state !== 'written' && target !== undefined
      ? [{ document, reference: target, why: 'touched' as const }]
      : [],
  );
}
