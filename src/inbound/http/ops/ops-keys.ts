// API keys over HTTP. Only the answer that creates a key contains its text; no answer contains a digest.
import type { Request } from 'express';
import type { ApiKey } from '../../../domain/access/api-key.ts';
import { DEFAULT_PLAN_NAME } from '../../../domain/access/plan.ts';
import { AppError } from '../../../domain/errors.ts';
import { present } from '../../../domain/present.ts';
import type { ManageCallbacks } from '../../../flows/admin/manage-callbacks.ts';
import type { ManageKeys } from '../../../flows/admin/manage-keys.ts';
import { byCaller } from '../../../flows/people/by-caller.ts';
import type { Audit } from '../../../ports/audit.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import { PAGE_SIZE } from '../../../wire/fields.ts';
import {
  createKeyBody,
  type KeyCallbacksAnswer,
  type KeyListAnswer,
  type KeyStatus,
  keyCallbacksBody,
  keyId,
  keyListQuery,
  rotateKeyBody,
} from '../../../wire/keys.ts';
import { validate } from '../body/validate.ts';
import { readOpsBody } from './ops-body.ts';
import { accessOf } from './ops-caller.ts';
import type { Handlers } from './ops-handlers.ts';

type KeyHandlerParts = {
  readonly manageKeys: ManageKeys;
  readonly manageCallbacks: ManageCallbacks;
  readonly audit: Pick<Audit, 'append'>;
  readonly runtime: Pick<Runtime, 'now'>;
};

export function makeKeyHandlers({
  manageKeys,
  manageCallbacks,
  audit,
  runtime,
}: KeyHandlerParts): Handlers<'create' | 'list' | 'rotate' | 'revoke' | 'setCallbacks'> {
  return {
    async create(req, res) {
      const order = validate(createKeyBody, await readOpsBody(req, res));
      const { organization, plan = DEFAULT_PLAN_NAME } = order;
      const { apiKey, keyText } = await manageKeys.create(order, (key) =>
        audit.append(byCaller(accessOf(res), { action: 'key.create', details: { key, organization, plan } })),
      );
      res.status(201).json({ ...keyFacts(apiKey), key: keyText });
    },

    async list(req, res) {
      const { limit = PAGE_SIZE.defaultLimit, cursor } = validate(keyListQuery, { ...req.query });
      const { keys, next } = await manageKeys.list(present({ limit, cursor }));
      const now = runtime.now();
      const answer: KeyListAnswer = present({ keys: keys.map((key) => listedKey(key, now)), next });
      res.json(answer);
    },

    async rotate(req, res) {
      const id = readKeyId(req);
      const { overlapHours } = validate(rotateKeyBody, await readOpsBody(req, res));
      const { apiKey, keyText, overlapEndsAt } = await manageKeys.rotate(id, { overlapHours }, (key) =>
        audit.append(byCaller(accessOf(res), { action: 'key.rotate', details: { key, replaces: id, overlapHours } })),
      );
      res
        .status(201)
        .json({ ...keyFacts(apiKey), key: keyText, replaces: id, oldKeyEndsAt: overlapEndsAt.toISOString() });
    },

    async setCallbacks(req, res) {
      const id = readKeyId(req);
      const order = validate(keyCallbacksBody, await readOpsBody(req, res));
      const { origins, secret } = await manageCallbacks({ keyId: id, ...order, access: accessOf(res) });
      const answer: KeyCallbacksAnswer = { id, origins: [...origins], secret };
      res.json(answer);
    },

    async revoke(req, res) {
      const id = readKeyId(req);
      await audit.append(byCaller(accessOf(res), { action: 'key.revoke', details: { key: id } }));
      await manageKeys.revoke(id);
      res.status(204).end();
    },
  };
}

/** An id with a wrong form is not searched for. */
function readKeyId(req: Request): string {
  const { success, data } = keyId.safeParse(req.params['id']);
  if (!success) throw new AppError('notFound', 'There is no key with this id');
  return data;
}

/** Copies field by field, so that no further field of the store, such as a digest, is sent. */
function keyFacts({ id, organization, plan, label, expiresAt }: ApiKey) {
  return present({ id, organization, plan, label, expiresAt: expiresAt?.toISOString() });
}

function listedKey(key: ApiKey, now: Date): KeyListAnswer['keys'][number] {
  const { createdAt, revokedAt, lastUsedAt } = key;
  return present({
    ...keyFacts(key),
    status: statusOf(key, now),
    createdAt: createdAt.toISOString(),
    revokedAt: revokedAt?.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString(),
  });
}

function statusOf({ revokedAt, expiresAt }: ApiKey, now: Date): KeyStatus {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active';
}
