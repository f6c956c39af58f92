// Sign-ins that are under way, in PostgreSQL.
import { sql } from 'kysely';
import { z } from 'zod';
import type { SignInAttempts } from '../../../ports/sign-in-attempts.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { openWhole, sealWhole } from '../secrets/whole-values.ts';

type AttemptParts = { readonly database: Pick<Database, 'db'>; readonly secrets: Secrets };

const storedDetails = z.record(z.string(), z.string());

export function makePostgresSignInAttempts({ database: { db }, secrets }: AttemptParts): SignInAttempts {
  const sealing = secrets.sealing('sign-ins');
  return guardedMethods<SignInAttempts>({
    async begin({ kind, stateDigest, browserDigest, details, lifeMs }) {
      const state = Buffer.from(stateDigest);
      const sealed = sealWhole(sealing, JSON.stringify(details), detailsContext(state));
      await sql`
        insert into sign_in_attempts (state_digest, kind, browser_digest, details, expires_at)
        values (${state}, ${kind}, ${Buffer.from(browserDigest)}, ${sealed}, now() + make_interval(secs => ${lifeMs / 1000}))`.execute(
        db,
      );
    },

    async take(kind, stateDigest, browserDigest) {
      const state = Buffer.from(stateDigest);
      const { rows } = await sql<{ details: Buffer; is_own: boolean; is_over: boolean }>`
        delete from sign_in_attempts where state_digest = ${state} and kind = ${kind}
        returning details, browser_digest = ${Buffer.from(browserDigest)} as is_own, expires_at <= now() as is_over`.execute(
        db,
      );
      const [row] = rows;
      if (row === undefined || row.is_over) return undefined;
      if (!row.is_own) return 'wrong-browser';
      return storedDetails.parse(JSON.parse(openWhole(sealing, row.details, detailsContext(state))));
    },

    async useOnce(issuer, tokenId, until) {
      const { rows } = await sql`
        insert into used_token_ids (issuer, token_id, until) values (${issuer}, ${tokenId}, ${until})
        on conflict (issuer, token_id) do nothing returning 1`.execute(db);
      return rows.length > 0;
    },

    async sweep() {
      await sql`delete from sign_in_attempts where expires_at <= now()`.execute(db);
      await sql`delete from used_token_ids where until <= now()`.execute(db);
    },
  });
}

export function detailsContext(stateDigest: Uint8Array): readonly string[] {
  return ['sign-in-attempt', Buffer.from(stateDigest).toString('base64url')];
}
