// New resources sent one after the other, and what each answer of the EHR means for the rest.
import type { ChartWrite } from '../../domain/chart/chart-write.ts';
import { openReferences, renderBody } from '../../domain/chart/frozen-body.ts';
import type { WriteAnswer } from '../../ports/ehr.ts';
import type { WriteResult } from '../../ports/ledger.ts';
import {
  accessRefused,
  beginSending,
  type Delivery,
  isAccessRefused,
  learn,
  notSent,
  type Parked,
  parked,
  recordResults,
  type SendResult,
  type StoppedDelivery,
} from './track-delivery.ts';

/** In their order, because each may refer to those before it. Stops at the first that is not stored. */
export async function sendSingly(
  delivery: Delivery,
  writes: readonly ChartWrite[],
  signal: AbortSignal,
): Promise<SendResult> {
  const { ehr, references } = delivery;
  for (const write of writes) {
    if (openReferences(write.body, references).length > 0) return { stopped: refersAhead(write) };
    const answer = await ehr.withWriteSlot(async () => {
      await beginSending(delivery, [write]);
      return ehr.create({ type: write.type, body: renderBody(write.body, references) }, signal);
    }, signal);
    const result = await afterCreate(delivery, write, answer);
    if (result.stopped || result.busy !== undefined || answer.kind !== 'stored') return result;
  }
  return {};
}

/** Sent alone, it would keep a urn that means nothing outside of its set. */
export function refersAhead({ type, document }: ChartWrite): Parked {
  return parked(
    'no-way',
    `the ${type} of ${document}.yaml refers to a document that is not in the chart yet, and this EHR does not accept both at once`,
    'Change the mappings so that of two documents only one refers to the other, and replay the run.',
  );
}

export async function afterCreate(delivery: Delivery, write: ChartWrite, answer: WriteAnswer): Promise<SendResult> {
  switch (answer.kind) {
    case 'stored':
      await recordResults(delivery, storedResult(write, answer));
      return {};
    case 'busy':
      await recordResults(delivery, notSent([write]));
      return { busy: answer };
    case 'refused':
      return { stopped: await afterRefusal(delivery, write, answer) };
    case 'conflict': {
      const refusal = { kind: 'refused', status: 412, isTypeRefused: false, why: '' } as const;
      return { stopped: await afterRefusal(delivery, write, refusal) };
    }
    case 'unknown':
      return {};
  }
}

type Refusal = Extract<WriteAnswer, { readonly kind: 'refused' }>;

async function afterRefusal(
  delivery: Delivery,
  write: ChartWrite,
  { status, isTypeRefused, why }: Refusal,
): Promise<StoppedDelivery> {
  if (isAccessRefused(status)) {
    await recordResults(delivery, notSent([write]));
    return accessRefused(status);
  }
  await recordResults(delivery, [{ id: write.id, state: 'refused' }]);
  if (isTypeRefused) {
    await learn(delivery, { name: `type:${write.type}`, value: 'refused' });
    return { kind: 'map-again' };
  }
  if (isAboutDrafts(delivery, write, why)) {
    await learn(delivery, { name: 'drafts', value: 'refused' });
    return { kind: 'map-again' };
  }
  return parked(
    'refused',
    `the EHR refuses the ${write.type} of ${write.document}.yaml (${status}${why === '' ? '' : `: ${why}`})`,
    'Change the mapping so that this EHR accepts it, and replay the run.',
  );
}

const NOTES = new Set(['Composition', 'DocumentReference']);
const DRAFT_STATUS = /"(docStatus|status)":"preliminary"/;

/** The EHR names the status of a draft. For a statement this counts unless the EHR has just accepted a draft of the note. */
function isAboutDrafts({ writes }: Delivery, { type, body }: ChartWrite, why: string): boolean {
  const isAcceptedDraft = ({ state, body: other }: ChartWrite) =>
    (state === 'stored' || state === 'written') && DRAFT_STATUS.test(other);
  const acceptsDrafts = !NOTES.has(type) && [...writes.values()].some(isAcceptedDraft);
  return /\b(docStatus|status)\b/.test(why) && DRAFT_STATUS.test(body) && !acceptsDrafts;
}

/** None for a conditional create that matched another resource (200): only a search can tell which one. */
export function storedResult(write: ChartWrite, answer: WriteAnswer | undefined): readonly WriteResult[] {
  if (answer?.kind !== 'stored' || !answer.isNew) return [];
  const { reference, version } = answer;
  return [{ id: write.id, state: 'stored', reference, ...(version !== undefined && { version }) }];
}
