// Issues, rotates and revokes API keys. The text of a key is returned once, by the call that creates it; only the digest of its secret is stored.
import { type ApiKey, joinApiKey } from '../../domain/access/api-key.ts';
import { DEFAULT_PLAN_NAME } from '../../domain/access/plan.ts';
import { AppError } from '../../domain/errors.ts';
import { present } from '../../domain/present.ts';
import type { Keys, Plans } from '../../ports/keys.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { randomId, randomSecret } from '../random-names.ts';

const MS_PER_HOUR = 3_600_000;

type ManageKeysParts = { readonly keys: Keys; readonly plans: Plans; readonly runtime: Runtime };

export type KeyOrder = {
  readonly organization: string;
  /** Absent: the default plan. */
  readonly plan?: string | undefined;
  readonly label?: string | undefined;
  readonly expiresAt?: Date | undefined;
};

export type IssuedKey = {
  readonly apiKey: ApiKey;
  /** The value of the header `x-api-key`. It cannot be shown again. */
  readonly keyText: string;
};

export type RotatedKey = IssuedKey & {
  /** When the old key ends at the latest. */
  readonly overlapEndsAt: Date;
};

/** Called with the id right before the key is created; a throw prevents that. */
export type BeforeKey = (id: string) => Promise<void>;

export type ManageKeys = {
  /** Throws `invalidRequest` if the plan does not exist, or the key would be expired from the start. */
  readonly create: (order: KeyOrder, beforeMade?: BeforeKey) => Promise<IssuedKey>;
  readonly list: Keys['list'];
  /** Throws `notFound`, and `conflict` if the key was revoked or has expired. */
  readonly rotate: (
    id: string,
    overlap: { readonly overlapHours: number },
    beforeMade?: BeforeKey,
  ) => Promise<RotatedKey>;
  /** Throws `notFound`. Revoking twice is no error. */
  readonly revoke: (id: string) => Promise<void>;
};

export function makeManageKeys({ keys, plans, runtime }: ManageKeysParts): ManageKeys {
  function makeSecrets() {
    const id = randomId(runtime);
    const secret = randomSecret(runtime);
    return { id, secretDigest: runtime.digest(secret), keyText: joinApiKey(id, secret) };
  }

  async function requirePlan(name: string): Promise<void> {
    if ((await plans.find(name)) !== undefined) return;
    const names = (await plans.list()).map((plan) => plan.name).toSorted();
    throw new AppError('invalidRequest', `plan must be one of ${names.join(', ')}`);
  }

  return {
    async create({ organization, plan = DEFAULT_PLAN_NAME, label, expiresAt }, beforeMade) {
      if (expiresAt !== undefined && expiresAt <= runtime.now()) {
        throw new AppError('invalidRequest', 'expiresAt must be in the future');
      }
      await requirePlan(plan);
      const { id, secretDigest, keyText } = makeSecrets();
      await beforeMade?.(id);
      const apiKey = await keys.create(present({ id, secretDigest, organization, plan, label, expiresAt }));
      return { apiKey, keyText };
    },

    list: (page) => keys.list(page),

    async rotate(id, { overlapHours }, beforeMade) {
      const overlapEndsAt = new Date(runtime.now().getTime() + overlapHours * MS_PER_HOUR);
      const { keyText, ...successor } = makeSecrets();
      await beforeMade?.(successor.id);
      return { apiKey: await keys.rotate(id, successor, overlapEndsAt), keyText, overlapEndsAt };
    },

    async revoke(id) {
      if (!(await keys.revoke(id))) throw new AppError('notFound', 'There is no key with this id');
    },
  };
}
