// Answers with a diagnosis as a stream of events: `partial` while the model answers, then `final` or `error`. A failure before
// the headers are sent is an ordinary HTTP error.
import { AppError, asAppError } from '../../../domain/errors.ts';
import type { DiagnosisStep, StreamDiagnosis } from '../../../flows/service/stream-diagnosis.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { DiagnosisRequest } from '../../../ports/reasoner.ts';
import type { ApiCall, OperationResult } from '../server/api-call.ts';
import { errorMessage, statusFor } from '../server/error-response.ts';
import { EventStream, type EventStreamLimits } from '../server/event-stream.ts';
import type { OpenStreams } from '../server/open-streams.ts';

type StreamAnswerParts = {
  readonly streamDiagnosis: StreamDiagnosis;
  readonly openStreams: OpenStreams;
  readonly limits: EventStreamLimits;
  readonly logger: Logger;
};

type StreamWork = {
  readonly status: 200 | 201;
  readonly request: DiagnosisRequest;
  readonly beforeHeaders: () => Promise<void>;
};

export type StreamAnswer = (call: ApiCall, work: StreamWork) => Promise<OperationResult>;

export function makeStreamAnswer({ streamDiagnosis, openStreams, limits, logger }: StreamAnswerParts): StreamAnswer {
  return async (call, { status, request, beforeHeaders }) => {
    const leave = openStreams.enter(call.caller, call.abort);
    const events = new EventStream({ res: call.res, status, beforeHeaders, limits });
    try {
      const diagnosis = await relay(streamDiagnosis({ request, meter: call.meter }, call.signal), events);
      await events.open();
      return {
        kind: 'stream',
        status,
        outcome: 'success',
        final: diagnosis,
        finish: () => events.end('final', diagnosis),
      };
    } catch (thrown) {
      const error = asAppError(thrown);
      if (!(await events.hasBegun())) {
        events.dispose();
        throw error;
      }
      if (error.code === 'internal') logger.error('a stream failed', { thrown });
      const statusCode = statusFor('diagnosis', error.code);
      return {
        kind: 'stream',
        status: statusCode,
        outcome: error.code === 'cancelled' ? 'cancelled' : 'failure',
        finish: () => events.end('error', { statusCode, message: errorMessage(error) }),
      };
    } finally {
      leave();
    }
  };
}

async function relay(steps: AsyncIterable<DiagnosisStep>, events: EventStream) {
  for await (const step of steps) {
    if (step.kind === 'final') return step.diagnosis;
    await events.partial(step.diagnosis);
  }
  throw new AppError('internal', 'The answer ended without a final state');
}
