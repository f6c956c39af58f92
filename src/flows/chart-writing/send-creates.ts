// New resources, until each is there once: down the ladder where the EHR does not take the way, never the same twice.
import type { ChartWrite } from '../../domain/chart/chart-write.ts';
import { openReferences, renderBody, sha256, transactionBundle } from '../../domain/chart/frozen-body.ts';
import { carriesIdentity } from '../../domain/chart/stamp.ts';
import {
  assessStrategies,
  conditionalLimit,
  WRITE_STRATEGIES,
  type WriteStrategy,
} from '../../domain/chart/write-strategies.ts';
import { AppError } from '../../domain/errors.ts';
import type { TransactionAnswer, WriteAnswer, WrittenEntry } from '../../ports/ehr.ts';
import type { WriteResult } from '../../ports/ledger.ts';
import { holdLease } from './hold-lease.ts';
import { lookForWrites } from './look-for-writes.ts';
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

export type Ended = Parked | { readonly kind: 'map-again' };

/** Of one sending: what ends the revision, or how long the EHR asked to wait. */
type Sent = { readonly ended?: Ended; readonly busyMs?: number };

/** A quarter of a second each. */
const CONDITIONAL_TRIES = 60;
const SETTLED = new Set(['written', 'refused', 'ambiguous', 'dropped']);
const QUICK_LOOKS_MS = [200, 500, 1_000, 2_000];

/** Undefined: all are there. */
export async function settleCreates(job: Delivery, signal: AbortSignal): Promise<Ended | undefined> {
  let looks = 0;
  for (let round = 0; ; round += 1) {
    const pending = pendingCreates(job);
    if (pending.length === 0) return learnWay(job);
    const look = await lookForWrites(job, pending, signal);
    if (look.parked) return look.parked;
    if (look.waitMs > 0) {
      // What is there usually shows at once; what does not is waited for elsewhere.
      await pauseForSearch(job, look.waitMs, QUICK_LOOKS_MS[looks], signal);
      looks += 1;
      round -= 1;
      continue;
    }
    if (look.absent.length === 0) continue;
    const { ended, busyMs } = await sendCreates(job, look.absent, signal);
    if (ended) return ended;
    if (busyMs !== undefined) await pauseForBusy(job, round, busyMs, signal);
    else if (round >= MAX_ROUNDS) throw uncertain(job, 60_000);
  }
}

/** What was refused together was taken one by one: it was the way that this EHR does not take. */
async function learnWay(job: Delivery): Promise<undefined> {
  if (job.wasBundleRefused) await learn(job, { name: 'transaction', value: 'refused' });
}

function pendingCreates({ writes }: Delivery): readonly ChartWrite[] {
  return [...writes.values()].filter(({ action, state }) => action === 'create' && !SETTLED.has(state));
}

async function pauseForSearch(
  job: Delivery,
  waitMs: number,
  quickMs: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (quickMs === undefined) throw uncertain(job, waitMs);
  await job.runtime.pause(Math.min(quickMs, waitMs), signal);
}

function uncertain({ site }: Delivery, waitMs: number): AppError {
  const message = `${site}: something was sent to the EHR, and it is not known yet whether it is there; it is looked for again`;
  return new AppError('ehrUncertain', message, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) });
}

async function sendCreates(job: Delivery, writes: readonly ChartWrite[], signal: AbortSignal): Promise<Sent> {
  switch (job.rung) {
    case 'transaction':
      return sendTransaction(job, writes, { isConditional: false }, signal);
    case 'conditional-transaction':
      return sendTransaction(job, writes.slice(0, conditionalLimit(job.facts)), { isConditional: true }, signal);
    case 'single-creates':
    case 'document-only':
      return sendSingly(job, writes, signal);
    case 'hold':
      return { ended: noWay(job.site) };
  }
}

function noWay(site: string): Parked {
  return parked(
    'no-way',
    'there is no way left to write to this EHR',
    `See what the EHR takes (npm run cli -- sites probe ${site}), change its settings or the site’s, and replay the run.`,
  );
}

async function sendTransaction(
  job: Delivery,
  writes: readonly ChartWrite[],
  { isConditional }: { readonly isConditional: boolean },
  signal: AbortSignal,
): Promise<Sent> {
  const among = new Set(writes.map(({ fullUrl }) => fullUrl));
  const ahead = writes.find(({ body }) => openReferences(body, job.references).some((urn) => !among.has(urn)));
  if (ahead !== undefined) return { ended: pointsAhead(ahead) };
  const bundle = transactionBundle({ writes, references: job.references, isConditional });
  const send = () =>
    job.ehr.withWriteSlot(async () => {
      await beginSending(job, writes, hashesOf(writes));
      return job.ehr.transact(bundle, signal);
    }, signal);
  // They disturb each other, whatever they are about: one at a time at one EHR, also between engines.
  const turn = { ...job, name: `${job.site}/conditional`, tries: CONDITIONAL_TRIES };
  const answer = isConditional ? await holdLease(turn, send, signal) : await send();
  if (isConditional && answer.kind === 'stored') await checkMatches(job, writes, answer.entries, signal);
  return afterTransaction(job, writes, answer);
}

/**
 * A conditional create that made nothing says that it is there already. It is believed where that resource carries the name: a server
 * that does not know the condition finds anything.
 */
async function checkMatches(
  job: Delivery,
  writes: readonly ChartWrite[],
  entries: readonly WrittenEntry[],
  signal: AbortSignal,
): Promise<void> {
  for (const [index, write] of writes.entries()) {
    const entry = entries[index];
    if (entry === undefined || entry.isNew) continue;
    const there = await job.ehr.read(entry.reference, signal);
    if (there !== undefined && carriesIdentity(there.resource, write.identity)) {
      const version = entry.version === undefined ? {} : { version: entry.version };
      await recordResults(job, [{ id: write.id, state: 'stored', reference: entry.reference, ...version }]);
      continue;
    }
    await recordResults(job, notSent([write]));
    await learn(job, { name: 'conditional', value: 'failed' });
    job.rung = 'single-creates';
  }
}

async function afterTransaction(
  job: Delivery,
  writes: readonly ChartWrite[],
  answer: TransactionAnswer,
): Promise<Sent> {
  switch (answer.kind) {
    case 'stored': {
      await recordResults(
        job,
        writes.flatMap((write, index) => storedResult(write, answer.entries[index])),
      );
      if (answer.wasBatch) await demote(job, 'batch');
      else if (!job.facts.some(({ name }) => name === 'transaction')) {
        await learn(job, { name: 'transaction', value: 'atomic' });
      }
      return {};
    }
    case 'mixed':
      return afterBatch(job, writes, answer.entries);
    case 'busy':
      await recordResults(job, notSent(writes));
      return { busyMs: answer.retryAfterMs ?? 0 };
    case 'refused': {
      await recordResults(job, notSent(writes));
      if (answer.status === 401 || answer.status === 403) return { ended: accessRefused(answer.status) };
      // Only these mean the way as such; the others can be about what is in it, which the next rung finds out.
      if (answer.status === 404 || answer.status === 405) await learn(job, { name: 'transaction', value: 'refused' });
      else if (!answer.isTooLarge) job.wasBundleRefused = true;
      descend(job);
      return {};
    }
    case 'conflict':
      // Nothing was stored. Where several go by one name, the next look finds them; else it is the way that this EHR does not take.
      await recordResults(job, notSent(writes));
      descend(job);
      return {};
    case 'unknown':
      return {};
  }
}

/** Some may be there and some not: what the EHR said of each counts, and then each is looked for. */
async function afterBatch(
  job: Delivery,
  writes: readonly ChartWrite[],
  entries: readonly WriteAnswer[],
): Promise<Sent> {
  await demote(job, 'batch');
  let ended: Ended | undefined;
  let busyMs: number | undefined;
  for (const [index, write] of writes.entries()) {
    const answer = entries[index] ?? { kind: 'unknown' };
    if (answer.kind === 'conflict') await recordResults(job, notSent([write]));
    const sent = answer.kind === 'conflict' ? {} : await afterCreate(job, write, answer);
    ended ??= sent.ended;
    if (sent.busyMs !== undefined) busyMs = Math.max(busyMs ?? 0, sent.busyMs);
  }
  return { ...(ended && { ended }), ...(busyMs !== undefined && { busyMs }) };
}

async function demote(job: Delivery, value: 'batch' | 'refused'): Promise<void> {
  await learn(job, { name: 'transaction', value });
  job.rung = 'single-creates';
}

/** To the next one that can be used. */
function descend(job: Delivery): void {
  const { capabilities, facts, rung } = job;
  const below = WRITE_STRATEGIES.slice(WRITE_STRATEGIES.indexOf(rung) + 1);
  const types = pendingCreates(job).map(({ type }) => type);
  const usable = new Set<WriteStrategy>(
    assessStrategies({ capabilities, facts, types }).flatMap((step) => (step.isUsable ? [step.rung] : [])),
  );
  job.rung = below.find((each) => usable.has(each)) ?? 'hold';
}

/** In their order: each may point at those before it. Stops at the first that is not there afterwards. */
async function sendSingly(job: Delivery, writes: readonly ChartWrite[], signal: AbortSignal): Promise<Sent> {
  for (const write of writes) {
    if (openReferences(write.body, job.references).length > 0) return { ended: pointsAhead(write) };
    const answer = await job.ehr.withWriteSlot(async () => {
      await beginSending(job, [write], hashesOf([write]));
      return job.ehr.create({ type: write.type, body: renderBody(write.body, job.references) }, signal);
    }, signal);
    const sent = await afterCreate(job, write, answer);
    if (sent.ended || sent.busyMs !== undefined || answer.kind !== 'stored') return sent;
  }
  return {};
}

/** Sent alone, it would keep a name that means nothing outside of its set. */
function pointsAhead({ type, document }: ChartWrite): Parked {
  return parked(
    'no-way',
    `the ${type} of ${document}.yaml points at a document that is not there yet, and this EHR does not take both at once`,
    'Change the mappings so that of two documents only one points at the other, and replay the run.',
  );
}

async function afterCreate(job: Delivery, write: ChartWrite, answer: WriteAnswer): Promise<Sent> {
  switch (answer.kind) {
    case 'stored':
      await recordResults(job, storedResult(write, answer));
      return {};
    case 'busy':
      await recordResults(job, notSent([write]));
      return { busyMs: answer.retryAfterMs ?? 0 };
    case 'refused':
      return { ended: await afterRefusal(job, write, answer) };
    case 'conflict':
      return { ended: await afterRefusal(job, write, { kind: 'refused', status: 412, isTypeRefused: false, why: '' }) };
    case 'unknown':
      return {};
  }
}

type Refusal = Extract<WriteAnswer, { readonly kind: 'refused' }>;

async function afterRefusal(job: Delivery, write: ChartWrite, { status, isTypeRefused, why }: Refusal): Promise<Ended> {
  if (status === 401 || status === 403) {
    await recordResults(job, notSent([write]));
    return accessRefused(status);
  }
  await recordResults(job, [{ id: write.id, state: 'refused' }]);
  if (isTypeRefused) {
    await learn(job, { name: `type:${write.type}`, value: 'refused' });
    return { kind: 'map-again' };
  }
  if (isAboutDrafts(job, write, why)) {
    await learn(job, { name: 'drafts', value: 'refused' });
    return { kind: 'map-again' };
  }
  return parked(
    'refused',
    `the EHR refuses the ${write.type} of ${write.document}.yaml (${status}${why === '' ? '' : `: ${why}`})`,
    'Change the mapping so that this EHR takes it, and replay the run.',
  );
}

const NOTES = new Set(['Composition', 'DocumentReference']);
const SAYS_DRAFT = /"(docStatus|status)":"preliminary"/;

/** What it says it does not like is that nobody has signed. Of a statement: unless it has just taken a draft of the note. */
function isAboutDrafts({ writes }: Delivery, { type, body }: ChartWrite, why: string): boolean {
  const isTaken = ({ state, body: other }: ChartWrite) =>
    (state === 'stored' || state === 'written') && SAYS_DRAFT.test(other);
  const takesOthers = !NOTES.has(type) && [...writes.values()].some(isTaken);
  return /\b(docStatus|status)\b/.test(why) && SAYS_DRAFT.test(body) && !takesOthers;
}

/** A conditional create that found another one (200) says only that something is there: looking tells what. */
function storedResult(write: ChartWrite, answer: WriteAnswer | undefined): readonly WriteResult[] {
  if (answer?.kind !== 'stored' || !answer.isNew) return [];
  const { reference, version } = answer;
  return [{ id: write.id, state: 'stored', reference, ...(version !== undefined && { version }) }];
}

function notSent(writes: readonly ChartWrite[]): readonly WriteResult[] {
  return writes.map(({ id }) => ({ id, state: 'frozen' as const }));
}

/** Of the bytes as they are now: the ledger knows what they were. */
function hashesOf(writes: readonly ChartWrite[]): ReadonlyMap<string, string> {
  return new Map(writes.map(({ id, body }) => [id, sha256(body)]));
}
