// Accepts a batch of HL7 v2 messages: each message is an event of its own. What is whole in an incomplete batch is accepted, too, because no event
// may be lost; the batch is then quarantined and refused, so that its sender learns of it.
import type { RawDelivery } from '../../domain/event/delivery.ts';
import type { AcceptAnswer } from './accept-answer.ts';
import type { Hl7Batch } from './formats/hl7-batch.ts';
import { nothing, notUnderstood } from './formats/reading.ts';

type BatchParts = {
  readonly accept: (delivery: RawDelivery) => Promise<AcceptAnswer>;
  readonly refuse: (why: string) => Promise<AcceptAnswer>;
};

/** Throws what `accept` throws: the whole batch has to come again then, and the messages that were stored before are repeats. */
export async function acceptBatch(
  { groups, problem }: Hl7Batch,
  { messageId: _, ...delivery }: RawDelivery,
  { accept, refuse }: BatchParts,
): Promise<AcceptAnswer> {
  const messages: AcceptAnswer[] = [];
  // The message id names the batch, so it cannot name its messages.
  for (const body of groups.flatMap((group) => group.messages)) messages.push(await accept({ ...delivery, body }));
  if (problem !== undefined) return { ...(await refuse(problem)), messages };
  const runs = messages.flatMap((message) => message.runs);
  const bad = messages.filter(({ outcome }) => outcome === 'not-understood' || outcome === 'id-reused');
  if (bad.length > 0) {
    const why = `${bad.length} of the ${messages.length} messages of the batch: ${bad[0]?.why}`;
    return { outcome: 'not-understood', content: notUnderstood(why), runs, why, messages };
  }
  const outcome = (['accepted', 'repeated'] as const).find((one) => messages.some((each) => each.outcome === one));
  return { outcome: outcome ?? 'nothing', content: nothing('It is a batch'), runs, messages };
}
