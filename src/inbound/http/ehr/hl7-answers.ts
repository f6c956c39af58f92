// Answers an HL7 v2 message, or a batch of them, in HL7 v2. The HTTP status says the same, for senders that read only that.
import type { Response } from 'express';
import { asAppError } from '../../../domain/errors.ts';
import type { RawDelivery } from '../../../domain/event/delivery.ts';
import type { AcceptAnswer } from '../../../flows/intake/accept-answer.ts';
import type { Hl7Result } from '../../../flows/intake/formats/hl7-ack.ts';
import { makeHl7Answer } from '../../../flows/intake/formats/hl7-answer.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import { errorMessage, statusFor } from '../server/error-response.ts';
import { requestIdOf } from '../server/request-gate.ts';

type AnswerParts = {
  readonly accept: () => Promise<AcceptAnswer>;
  readonly runtime: Pick<Runtime, 'now' | 'makeUuid'>;
  readonly logger: Pick<Logger, 'error'>;
};

/** If the delivery could not be stored, also not in part, all its messages are answered as failed: the sender sends them again. */
export async function answerHl7(res: Response, delivery: RawDelivery, parts: AnswerParts): Promise<void> {
  const { accept, runtime, logger } = parts;
  const send = (status: number, results: readonly Hl7Result[], comment?: string): void => {
    const { now, makeUuid } = runtime;
    const answer = makeHl7Answer({ body: delivery.body, results, comment, now: now(), makeId: makeUuid });
    res.status(status).setHeader('content-type', delivery.contentType || 'application/hl7-v2');
    res.end(Buffer.from(answer, 'latin1'));
  };
  try {
    const answer = await accept();
    const { outcome, why, messages = [answer] } = answer;
    send(isRefused(outcome) ? 422 : 200, messages.map(resultOf), why);
  } catch (thrown) {
    const error = asAppError(thrown);
    if (error.code === 'internal') logger.error('a request failed', { requestId: requestIdOf(res), thrown });
    if (error.retryAfterSeconds !== undefined) res.setHeader('retry-after', error.retryAfterSeconds);
    send(statusFor('ehr', error.code), [{ kind: 'failed', text: String(errorMessage(error)) }]);
  }
}

export function isRefused(outcome: AcceptAnswer['outcome']): outcome is 'not-understood' | 'id-reused' {
  return outcome === 'not-understood' || outcome === 'id-reused';
}

function resultOf({ outcome, why }: AcceptAnswer): Hl7Result {
  return isRefused(outcome) ? { kind: 'refused', text: why } : { kind: 'stored' };
}
