// Prepared streams, in memory, with a clock that the test sets.
import { buffer } from 'node:stream/consumers';
import type { Attachment } from '../../src/domain/diagnosis/attachment.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { PreparedStreams, StreamPreparation } from '../../src/ports/prepared-streams.ts';

type Session = Omit<StreamPreparation, 'attachments' | 'ttlMs'> & {
  readonly attachments: readonly Attachment[];
  readonly expiresAt: number;
  claim: symbol | undefined;
  claimedAt: number;
  isUsed: boolean;
};

const CLAIM_MS = 60_000;
const USE_MS = 600_000;

export function makeFakePreparedStreams({
  now = () => new Date(),
}: {
  readonly now?: () => Date;
} = {}): PreparedStreams {
  const sessions = new Map<string, Session>();
  const isBusy = ({ claim, claimedAt, isUsed }: Session) =>
    claim !== undefined && claimedAt >= now().getTime() - (isUsed ? USE_MS : CLAIM_MS);
  const isMine = (session: Session, claim: symbol) => sessions.get(session.id) === session && session.claim === claim;
  return {
    prepare: async ({ attachments, ttlMs, ...rest }) => {
      const kept = await Promise.all(attachments.map((attachment) => keep(attachment)));
      const expiresAt = now().getTime() + ttlMs;
      sessions.set(rest.id, { ...rest, attachments: kept, expiresAt, claim: undefined, claimedAt: 0, isUsed: false });
    },
    claim: async (id, caller) => {
      const session = sessions.get(id);
      if (!session || session.isUsed || session.expiresAt <= now().getTime()) return { kind: 'absent' };
      const { keyId, organization } = session.caller;
      if (keyId !== caller.keyId || organization !== caller.organization) return { kind: 'foreign' };
      if (isBusy(session)) return { kind: 'absent' };
      const claim = Symbol(id);
      session.claim = claim;
      session.claimedAt = now().getTime();
      const { clinicalHistory, language, attachments } = session;
      return {
        kind: 'claimed',
        stream: {
          ...(clinicalHistory !== undefined && { clinicalHistory }),
          language,
          attachments,
          markUsed: async () => {
            if (!isMine(session, claim)) throw new AppError('notFound', 'The stream session is invalid or expired');
            session.isUsed = true;
          },
          release: async () => {
            if (!isMine(session, claim)) return;
            if (session.isUsed) sessions.delete(id);
            session.claim = undefined;
          },
        },
      };
    },
    findTicket: async (id) => {
      const session = sessions.get(id);
      if (!session || session.isUsed || session.expiresAt <= now().getTime()) return undefined;
      return { keyId: session.caller.keyId, ticketDigest: session.ticketDigest };
    },
    sweep: async () => {
      const old = [...sessions.values()].filter((session) => session.expiresAt <= now().getTime() && !isBusy(session));
      for (const { id } of old) sessions.delete(id);
      return old.length;
    },
  };
}

async function keep({ type, sizeBytes, open }: Attachment): Promise<Attachment> {
  const bytes = await buffer(open());
  if (bytes.length !== sizeBytes) throw new AppError('internal', 'A file changed while it was being stored');
  return {
    type,
    sizeBytes,
    open: async function* () {
      if (bytes.length > 0) yield bytes;
    },
  };
}
