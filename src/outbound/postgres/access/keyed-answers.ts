// Answers by Idempotency-Key, in PostgreSQL. The client's key is stored as a keyed hash, the answer and the hash of its body encrypted. Single
// statements decide by the database's clock which request is worked on.
import { sql } from 'kysely';
import { z } from 'zod';
import { OPERATIONS } from '../../../domain/access/usage.ts';
import { AppError } from '../../../domain/errors.ts';
import type { KeptAnswer, KeyedAnswers, KeyedClaim, KeyedPlace } from '../../../ports/keyed-answers.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { wholePlace } from '../secrets/whole-values.ts';

type KeyedParts = {
  readonly database: Database;
  readonly secrets: Secrets;
  /** What the answers of one API key may take together. */
  readonly mostBytesPerKey?: number;
};

const LEASE_SECONDS = 30;
const KEPT_SECONDS = 24 * 60 * 60;
const MOST_BYTES_PER_KEY = 256 * 1_048_576;

const keptSchema = z.object({ operation: z.enum(OPERATIONS), bodyDigest: z.string(), answer: z.string() });

export function makePostgresKeyedAnswers(parts: KeyedParts): KeyedAnswers {
  const { db } = parts.database;
  const sealing = parts.secrets.sealing('keyed-answers');
  const digest = parts.secrets.digest('idempotency-keys');
  const hashOf = ({ keyId, clientKey }: KeyedPlace): Buffer => digest(keyId, clientKey);
  const placeOf = (place: KeyedPlace) => wholePlace(answerContext(hashOf(place)));

  function open(place: KeyedPlace, sealed: Uint8Array): KeptAnswer {
    const plain = sealing.open(sealed, placeOf(place));
    if (plain === undefined) throw new AppError('internal', 'A kept answer is damaged');
    return keptSchema.parse(JSON.parse(plain.toString('utf8')));
  }

  return guardedMethods<KeyedAnswers>({
    async claim(place, holder, operation): Promise<KeyedClaim> {
      const hash = hashOf(place);
      for (;;) {
        const { rows: mine } = await claimQuery({ keyId: place.keyId, hash, holder, operation }).execute(db);
        if (mine.length > 0) return { kind: 'mine' };
        const { rows } = await answerQuery(place.keyId, hash).execute(db);
        const [row] = rows;
        // It was given up or deleted between the two statements.
        if (row === undefined) continue;
        return row.answer === null ? { kind: 'working' } : { kind: 'answered', kept: open(place, row.answer) };
      }
    },

    async renew(place, holder) {
      const { rows } = await sql`
        update keyed_answers set lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
        where key_id = ${place.keyId} and client_key_hash = ${hashOf(place)} and holder = ${holder} and answer is null
        returning 1`.execute(db);
      return rows.length > 0;
    },

    async keep(place, holder, kept) {
      const sealed = sealing.seal(Buffer.from(JSON.stringify(kept)), placeOf(place));
      const { rows } = await sql`
        update keyed_answers set answer = ${sealed}, answered_at = now(),
          expires_at = now() + make_interval(secs => ${KEPT_SECONDS})
        where key_id = ${place.keyId} and client_key_hash = ${hashOf(place)} and holder = ${holder} and answer is null
        returning 1`.execute(db);
      return rows.length > 0;
    },

    async release(place, holder) {
      await sql`
        delete from keyed_answers
        where key_id = ${place.keyId} and client_key_hash = ${hashOf(place)} and holder = ${holder} and answer is null`.execute(
        db,
      );
    },

    async sweep() {
      const over = await sql`
        delete from keyed_answers where expires_at <= now() and (answer is not null or lease_until <= now())
        returning 1`.execute(db);
      const tooMuch = await sql`
        with sized as (
          select key_id, client_key_hash,
            sum(octet_length(answer)) over (partition by key_id order by answered_at desc, client_key_hash) as bytes
          from keyed_answers where answer is not null
        )
        delete from keyed_answers kept using sized
        where kept.key_id = sized.key_id and kept.client_key_hash = sized.client_key_hash
          and sized.bytes > ${parts.mostBytesPerKey ?? MOST_BYTES_PER_KEY}
        returning 1`.execute(db);
      return over.rows.length + tooMuch.rows.length;
    },
  });
}

export function answerContext(clientKeyHash: Uint8Array): readonly unknown[] {
  return ['keyed-answer', Buffer.from(clientKeyHash).toString('hex')];
}

type Claim = {
  readonly keyId: string;
  readonly hash: Buffer;
  readonly holder: string;
  readonly operation: string;
};

/** One statement, so that only one of several requests gets the key. It returns a row if this one did. */
export function claimQuery({ keyId, hash, holder, operation }: Claim) {
  return sql<{ mine: number }>`
    insert into keyed_answers as kept (key_id, client_key_hash, operation, holder, lease_until, expires_at)
    values (${keyId}, ${hash}, ${operation}, ${holder},
      now() + make_interval(secs => ${LEASE_SECONDS}), now() + make_interval(secs => ${LEASE_SECONDS}))
    on conflict (key_id, client_key_hash) do update set operation = excluded.operation, holder = excluded.holder,
      lease_until = excluded.lease_until, expires_at = excluded.expires_at, answer = null, answered_at = null
    where kept.answer is null and kept.lease_until <= now() or kept.answer is not null and kept.expires_at <= now()
    returning 1 as mine`;
}

export function answerQuery(keyId: string, hash: Buffer) {
  return sql<{ answer: Buffer | null }>`
    select answer from keyed_answers where key_id = ${keyId} and client_key_hash = ${hash}`;
}
