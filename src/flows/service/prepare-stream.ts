// Stores an upload for its one stream connection, and returns it to that connection.
import type { Caller } from '../../domain/access/api-key.ts';
import { eventSourceUrl, STREAM_SESSION_TTL_MS, streamUrl } from '../../domain/diagnosis/stream-session.ts';
import { AppError } from '../../domain/errors.ts';
import type { ClaimedStream, PreparedStreams } from '../../ports/prepared-streams.ts';
import type { DiagnosisRequest } from '../../ports/reasoner.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { randomSecret } from '../random-names.ts';

type PrepareParts = { readonly preparedStreams: PreparedStreams; readonly runtime: Runtime };

export type StreamSession = {
  readonly sessionId: string;
  readonly streamUrl: string;
  /** The stream with a ticket in its address, valid instead of the key for one connection. */
  readonly eventSourceUrl: string;
};

export type PrepareStream = {
  readonly prepare: (work: { readonly caller: Caller; readonly request: DiagnosisRequest }) => Promise<StreamSession>;
  /** Returns the id of the key that prepared the session. Throws `notFound` (never prepared, expired, used) or `unauthorized` (another ticket). */
  readonly redeem: (work: { readonly sessionId: string; readonly ticket: string }) => Promise<string>;
  /** Throws `notFound` (never prepared, expired, used) or `unauthorized` (prepared with another key; the session stays valid). */
  readonly claim: (work: { readonly caller: Caller; readonly sessionId: string }) => Promise<ClaimedStream>;
};

export function makePrepareStream({ preparedStreams, runtime }: PrepareParts): PrepareStream {
  return {
    async prepare({ caller, request }) {
      const sessionId = runtime.makeUuid();
      const ticket = randomSecret(runtime);
      const ticketDigest = runtime.digest(ticket);
      await preparedStreams.prepare({ id: sessionId, caller, ttlMs: STREAM_SESSION_TTL_MS, ticketDigest, ...request });
      return { sessionId, streamUrl: streamUrl(sessionId), eventSourceUrl: eventSourceUrl(sessionId, ticket) };
    },

    async redeem({ sessionId, ticket }) {
      const known = await preparedStreams.findTicket(sessionId);
      if (known === undefined) throw noSession();
      if (!runtime.isSameDigest(runtime.digest(ticket), known.ticketDigest)) {
        throw new AppError('unauthorized', 'This is not the ticket of this stream session');
      }
      return known.keyId;
    },

    async claim({ caller, sessionId }) {
      const claim = await preparedStreams.claim(sessionId, caller);
      if (claim.kind === 'claimed') return claim.stream;
      if (claim.kind === 'foreign') {
        throw new AppError('unauthorized', 'This stream session was prepared with another API key');
      }
      throw noSession();
    },
  };
}

function noSession(): AppError {
  return new AppError('notFound', 'There is no such stream session, or it has expired or was used already');
}
