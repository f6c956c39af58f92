// Stores an upload for its one stream connection, and returns it to that connection.
import type { Caller } from '../../domain/access/api-key.ts';
import { STREAM_SESSION_TTL_MS, streamUrl } from '../../domain/diagnosis/stream-session.ts';
import { AppError } from '../../domain/errors.ts';
import type { ClaimedStream, PreparedStreams } from '../../ports/prepared-streams.ts';
import type { DiagnosisRequest } from '../../ports/reasoner.ts';
import type { Runtime } from '../../ports/runtime.ts';

type PrepareParts = { readonly preparedStreams: PreparedStreams; readonly runtime: Runtime };

export type StreamSession = { readonly sessionId: string; readonly streamUrl: string };

export type PrepareStream = {
  readonly prepare: (work: { readonly caller: Caller; readonly request: DiagnosisRequest }) => Promise<StreamSession>;
  /** Throws `notFound` (never prepared, expired, used) or `unauthorized` (prepared with another key; the session stays valid). */
  readonly claim: (work: { readonly caller: Caller; readonly sessionId: string }) => Promise<ClaimedStream>;
};

export function makePrepareStream({ preparedStreams, runtime }: PrepareParts): PrepareStream {
  return {
    async prepare({ caller, request }) {
      const sessionId = runtime.makeUuid();
      await preparedStreams.prepare({ id: sessionId, caller, ttlMs: STREAM_SESSION_TTL_MS, ...request });
      return { sessionId, streamUrl: streamUrl(sessionId) };
    },

    async claim({ caller, sessionId }) {
      const claim = await preparedStreams.claim(sessionId, caller);
      if (claim.kind === 'claimed') return claim.stream;
      if (claim.kind === 'foreign') {
        throw new AppError('unauthorized', 'This stream session was prepared with another API key');
      }
      throw new AppError('notFound', 'There is no such stream session, or it has expired or was used already');
    },
  };
}
