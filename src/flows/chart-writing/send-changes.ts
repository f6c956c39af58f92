// Updates and retirements of resources that are in the chart: one by one, each on the version that it was planned for. What a person has
// changed since stays as that person left it.
import { backoffMs } from '../../domain/backoff.ts';
import type { ChartWrite, LeftDocument } from '../../domain/chart/chart-write.ts';
import { factNamed } from '../../domain/chart/ehr-capabilities.ts';
import { isRetired, matchesBody, matchesBodyExactly } from '../../domain/chart/existing-resource.ts';
import { renderBody } from '../../domain/chart/frozen-body.ts';
import { carriesIdentity } from '../../domain/chart/stamp.ts';
import type { StoredResource, WriteAnswer } from '../../ports/ehr.ts';
import type { WriteResult } from '../../ports/ledger.ts';
import {
  accessRefused,
  beginSending,
  type Delivery,
  type DeliveryState,
  isAccessRefused,
  learn,
  MAX_ROUNDS,
  notSent,
  type Parked,
  parked,
  pauseForBusy,
  recordResults,
  uncertain,
} from './track-delivery.ts';

export async function sendChanges(
  delivery: Delivery,
  _: object,
  signal: AbortSignal,
): Promise<DeliveryState<'closingRevision'>> {
  let stopped: Parked | undefined;
  for (const { id, action } of [...delivery.writes.values()]) {
    // The new statements are in the chart, so the old ones are retired even if a person has changed a document. One that the EHR does
    // not let the engine retire is no reason to leave the others in force.
    const isDue = action === 'retire' || (action === 'update' && stopped?.reason !== 'touched');
    const failed = isDue ? await sendChange(delivery, id, signal) : undefined;
    if (failed && failed.reason !== 'touched' && failed.reason !== 'retract-by-hand') {
      return { state: 'closingRevision', stopped: failed };
    }
    // One answer for all: the person who looks at the first looks at the others, too.
    stopped =
      failed && stopped
        ? { ...stopped, references: [...stopped.references, ...failed.references] }
        : (stopped ?? failed);
  }
  return { state: 'closingRevision', stopped };
}

async function sendChange(delivery: Delivery, id: string, signal: AbortSignal): Promise<Parked | undefined> {
  let conflicts = 0;
  for (let round = 0; ; round += 1) {
    const write = delivery.writes.get(id);
    if (write?.target === undefined || !isPending(write)) return undefined;
    const now = await delivery.ehr.read(write.target, signal);
    const status = changeStatus(delivery, write, now);
    if (status === 'done') {
      await recordResults(delivery, [changeDone(write, now)]);
      return undefined;
    }
    if (status === 'touched') return leaveToPerson(delivery, write);
    if (conflicts >= MAX_CONFLICTS) return afterRefusal(delivery, write, 412);
    if (round >= MAX_ROUNDS) throw uncertain(delivery.site, 'a change that was sent was accepted', 60_000);
    const answer = await send(delivery, write, signal);
    if (answer.kind === 'conflict') conflicts += 1;
    const stopped = await afterChange(delivery, write, { answer, round }, signal);
    if (stopped) return stopped;
  }
}

function isPending({ state }: ChartWrite): boolean {
  return state === 'frozen' || state === 'sending' || state === 'stored';
}

/** After as many conflicts the version that the EHR shows is not the one that it compares with. */
const MAX_CONFLICTS = 3;

/** `open`: the resource is as it was when the change was planned. `touched`: a person has changed or removed it. */
export function changeStatus(
  { facts }: Pick<Delivery, 'facts'>,
  write: ChartWrite,
  now: StoredResource | undefined,
): 'open' | 'done' | 'touched' {
  if (now === undefined) return 'touched';
  // The EHR may store the resource in other words: this is the version that it made of it.
  if (write.state === 'stored' && write.version !== undefined && write.version === now.version) return 'done';
  if (write.action === 'retire' && isRetired(now.resource)) return 'done';
  if (write.state !== 'frozen' && matchesBody(write.body, now.resource)) return 'done';
  const keepsNames = factNamed(facts, `names:${write.type}`) !== 'lost';
  const wasNamed = carriesIdentity(JSON.parse(write.body), write.identity);
  // An EHR that was restored from an older copy assigns its ids again.
  if (wasNamed && keepsNames && !carriesIdentity(now.resource, write.identity)) return 'touched';
  if (write.ifMatch === undefined || now.version === undefined) return 'open';
  return now.version === write.ifMatch ? 'open' : 'touched';
}

async function send(delivery: Delivery, write: ChartWrite, signal: AbortSignal): Promise<WriteAnswer> {
  const { ehr, references } = delivery;
  const { target = '', ifMatch, body } = write;
  return ehr.withWriteSlot(async () => {
    await beginSending(delivery, [write]);
    return ehr.update({ reference: target, body: renderBody(body, references), ifMatch }, signal);
  }, signal);
}

/** The result of a change that is in the chart, with the version that the engine made. */
export function changeDone(write: ChartWrite, now: StoredResource | undefined): WriteResult {
  const version = ownVersion(write, now);
  return { id: write.id, state: 'written', reference: write.target ?? '', ...(version !== undefined && { version }) };
}

/** From the answer of the EHR; without an answer, the current version if it holds what was sent and nothing else. */
function ownVersion({ action, body, version, state }: ChartWrite, now: StoredResource | undefined) {
  if (state === 'stored' && version !== undefined) return version;
  const isOurs = now !== undefined && (action === 'retire' || matchesBodyExactly(body, now.resource));
  return isOurs ? now.version : undefined;
}

type Answered = { readonly answer: WriteAnswer; readonly round: number };

async function afterChange(
  delivery: Delivery,
  write: ChartWrite,
  { answer, round }: Answered,
  signal: AbortSignal,
): Promise<Parked | undefined> {
  switch (answer.kind) {
    case 'stored': {
      const { id, target: reference = '' } = write;
      const version = answer.version === undefined ? {} : { version: answer.version };
      await recordResults(delivery, [{ id, state: 'stored', reference, ...version }]);
      await noteIgnoredMatch(delivery, write, answer.version);
      return undefined;
    }
    case 'busy':
      await recordResults(delivery, notSent([write]));
      await pauseForBusy(delivery, { round, busy: answer }, signal);
      return undefined;
    // The next look tells whether the change is the engine's or a person's.
    case 'conflict':
    case 'unknown':
      await delivery.runtime.pause(backoffMs(round, { firstMs: 200, longestMs: 5_000 }), signal);
      return undefined;
    case 'refused':
      return afterRefusal(delivery, write, answer.status);
  }
}

async function afterRefusal(delivery: Delivery, write: ChartWrite, status: number): Promise<Parked> {
  const { id, action, target = '', type } = write;
  if (isAccessRefused(status)) {
    await recordResults(delivery, notSent([write]));
    return accessRefused(status);
  }
  await recordResults(delivery, [{ id, state: 'refused' }]);
  return parked(
    action === 'retire' ? 'retract-by-hand' : 'refused',
    `the EHR does not let the engine change its ${type} (${status})`,
    'Change or retract it in the EHR by hand.',
    [target],
  );
}

/** If a server counts its versions and skipped one, it accepted the write although a person had changed the resource. */
async function noteIgnoredMatch(
  delivery: Delivery,
  { ifMatch }: ChartWrite,
  version: string | undefined,
): Promise<void> {
  const [before, after] = [Number(ifMatch), Number(version)];
  if (!Number.isInteger(before) || !Number.isInteger(after) || after <= before + 1) return;
  await learn(delivery, { name: 'if-match', value: 'ignored' });
}

async function leaveToPerson(delivery: Delivery, write: ChartWrite): Promise<Parked | undefined> {
  const { id, action, target = '', type, state } = write;
  await recordResults(delivery, [{ id, state: state === 'frozen' ? 'dropped' : 'ambiguous' }]);
  // The engine does not retract what a person has changed: it stays, and the outcome names it.
  if (action === 'retire') return undefined;
  return parked(
    'touched',
    `a person changed the ${type} while a new version of it was being written`,
    'Compare it with the new result, which the engine keeps, and change it in the EHR by hand if needed.',
    [target],
  );
}

/** Changes that were not made, because a person had changed the resource first. */
export function leftChanges(writes: readonly ChartWrite[]): readonly LeftDocument[] {
  return writes.flatMap(({ action, state, document, target }) =>
    action !== 'create' && state !== 'written' && target !== undefined
      ? [{ document, reference: target, why: 'touched' as const }]
      : [],
  );
}
