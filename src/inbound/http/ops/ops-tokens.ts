// Tokens for scripts over HTTP. Only the answer that makes a token contains its text.
import { AppError } from '../../../domain/errors.ts';
import { present } from '../../../domain/present.ts';
import type { ManageTokens } from '../../../flows/people/manage-tokens.ts';
import type { ServiceToken } from '../../../ports/service-tokens.ts';
import {
  type MadeTokenAnswer,
  newTokenBody,
  type TokenAnswer,
  type TokenListAnswer,
  tokenId,
} from '../../../wire/tokens.ts';
import { validate } from '../body/validate.ts';
import { readOpsBody } from './ops-body.ts';
import { accessOf } from './ops-caller.ts';
import type { Handlers } from './ops-handlers.ts';
import { asGrant } from './ops-people.ts';

export type TokenHandlerParts = { readonly manageTokens: ManageTokens };

export function makeTokenHandlers({ manageTokens }: TokenHandlerParts): Handlers<'create' | 'list' | 'revoke'> {
  return {
    async create(req, res) {
      const { roles, ...wanted } = validate(newTokenBody, await readOpsBody(req, res));
      const order = present({ ...wanted, grants: roles.map(asGrant) });
      const { token, text } = await manageTokens.create(order, accessOf(res));
      const answer: MadeTokenAnswer = { ...tokenAnswer(token), token: text };
      res.status(201).json(answer);
    },

    async list(_req, res) {
      const tokens = await manageTokens.list(accessOf(res));
      const answer: TokenListAnswer = { tokens: tokens.map(tokenAnswer) };
      res.json(answer);
    },

    async revoke(req, res) {
      const { success, data } = tokenId.safeParse(req.params['id']);
      if (!success) throw new AppError('notFound', 'There is no token with this id');
      await manageTokens.revoke(data, accessOf(res));
      res.status(204).end();
    },
  };
}

function tokenAnswer(token: ServiceToken): TokenAnswer {
  const { id, label, grants, purpose, madeBy, createdAt, expiresAt, lastUsedAt, revokedAt } = token;
  return present({
    id,
    label,
    roles: grants.map(({ role, site }) => ({ role, site })),
    purpose,
    madeBy,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString(),
    revokedAt: revokedAt?.toISOString(),
  });
}
