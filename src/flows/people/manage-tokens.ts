// Makes, lists and revokes tokens for scripts. A token never has more than its maker could give, and never decides about drafts. Its text is
// returned once; only the digest of its secret is stored.
import { AppError } from '../../domain/errors.ts';
import type { Access } from '../../domain/people/caller.ts';
import { grantText, isManaged, isSeen, siteOf } from '../../domain/people/giving.ts';
import type { Purpose } from '../../domain/people/purpose.ts';
import type { Grant } from '../../domain/people/role.ts';
import { present } from '../../domain/present.ts';
import type { Audit } from '../../ports/audit.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { ServiceToken, ServiceTokens } from '../../ports/service-tokens.ts';
import type { Sites } from '../../ports/sites.ts';
import { randomId, randomSecret } from '../random-names.ts';
import { requireGivable, requireSite } from './check-grants.ts';

const TOKEN_DAYS = { default: 90, most: 366 } as const;
const DAY_MS = 86_400_000;

export type TokenOrder = {
  readonly label: string;
  readonly grants: readonly Grant[];
  readonly purpose?: Purpose;
  /** Absent: in 90 days. */
  readonly expiresAt?: Date;
};

/** `text`: cannot be shown again. */
export type MadeToken = { readonly token: ServiceToken; readonly text: string };

export type ManageTokens = {
  /** Throws `invalidRequest`, `forbidden`, `notFound` for a site. */
  readonly create: (order: TokenOrder, access: Access) => Promise<MadeToken>;
  readonly list: (access: Access) => Promise<readonly ServiceToken[]>;
  /** Throws `notFound`, and `forbidden` for a token that also has roles at other sites. Revoking twice is no error. */
  readonly revoke: (id: string, access: Access) => Promise<void>;
};

export type ManageTokensParts = {
  readonly serviceTokens: Pick<ServiceTokens, 'create' | 'find' | 'list' | 'revoke'>;
  readonly sites: Pick<Sites, 'current'>;
  readonly audit: Pick<Audit, 'append'>;
  readonly runtime: Pick<Runtime, 'now' | 'makeSecret' | 'digest'>;
};

export function makeManageTokens(parts: ManageTokensParts): ManageTokens {
  const { serviceTokens, sites, audit, runtime } = parts;
  return {
    async create({ label, grants, purpose, expiresAt: wanted }, { caller, scope }) {
      if (caller.kind === 'token') throw new AppError('forbidden', 'A token makes no tokens: sign in as a person');
      requireForm(grants);
      requireGivable(grants, scope);
      for (const { site } of grants) requireSite(sites, site, scope);
      const expiresAt = checkEnd(wanted, runtime.now());
      const id = randomId(runtime);
      const secret = randomSecret(runtime);
      const details = present({
        token: id,
        roles: grants.map(grantText),
        purpose,
        expiresAt: expiresAt.toISOString(),
      });
      await audit.append({ action: 'token.create', actor: caller.actor, ...siteOf(grants), details });
      const secretDigest = runtime.digest(secret);
      const order = { id, label, grants, purpose, madeBy: caller.actor, expiresAt, secretDigest };
      return { token: await serviceTokens.create(present(order)), text: `st_${id}_${secret}` };
    },

    list: ({ scope }) => serviceTokens.list(scope),

    async revoke(id, { caller, scope }) {
      const token = await serviceTokens.find(id);
      if (token === undefined || !isSeen(scope, token.grants)) {
        throw new AppError('notFound', 'There is no token with this id');
      }
      if (!isManaged(scope, token.grants)) {
        throw new AppError('forbidden', 'This token has roles at other sites too: an admin of every site revokes it');
      }
      const entry = { action: 'token.revoke', actor: caller.actor, ...siteOf(token.grants) } as const;
      await audit.append({ ...entry, details: { token: id } });
      await serviceTokens.revoke(id);
    },
  };
}

function requireForm(grants: readonly Grant[]): void {
  if (grants.length === 0) throw new AppError('invalidRequest', 'roles must hold at least one');
  if (grants.some(({ role, practitioner }) => role === 'reviewer' || practitioner !== undefined)) {
    throw new AppError('invalidRequest', 'A token cannot be a reviewer: only a clinician decides about drafts');
  }
}

function checkEnd(wanted: Date | undefined, now: Date): Date {
  const endAfter = (days: number) => new Date(now.getTime() + days * DAY_MS);
  if (wanted === undefined) return endAfter(TOKEN_DAYS.default);
  if (wanted <= now) throw new AppError('invalidRequest', 'expiresAt must be in the future');
  if (wanted > endAfter(TOKEN_DAYS.most)) throw new AppError('invalidRequest', 'expiresAt must be within a year');
  return wanted;
}
