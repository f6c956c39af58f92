// Decides which origins a key may name for call-backs. Each change makes a new secret, which is shown once.
import { readCallbackOrigin } from '../../domain/access/callback.ts';
import { AppError } from '../../domain/errors.ts';
import type { Access } from '../../domain/people/caller.ts';
import type { Audit } from '../../ports/audit.ts';
import type { CallbackSettings, Callbacks } from '../../ports/callbacks.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { byCaller } from '../people/by-caller.ts';

type ManageParts = {
  readonly callbacks: Pick<Callbacks, 'set'>;
  readonly audit: Pick<Audit, 'append'>;
  readonly runtime: Pick<Runtime, 'makeSecret'>;
};

/** Throws `invalidRequest` for an origin that is none, and `notFound`. Without origins the key has no call-backs any more. */
export type ManageCallbacks = (order: {
  readonly keyId: string;
  readonly origins: readonly string[];
  readonly access: Access;
}) => Promise<CallbackSettings>;

const SECRET_BYTES = 32;

export function makeManageCallbacks({ callbacks, audit, runtime }: ManageParts): ManageCallbacks {
  return async ({ keyId, origins: given, access }) => {
    const origins = given.map((text) => {
      const origin = readCallbackOrigin(text);
      if (origin !== undefined) return origin;
      throw new AppError('invalidRequest', 'origins must be like https://clinic.example.org, without a path');
    });
    const secret = `whsec_${Buffer.from(runtime.makeSecret(SECRET_BYTES)).toString('base64')}`;
    await audit.append(byCaller(access, { action: 'key.callbacks', details: { key: keyId, origins } }));
    if (!(await callbacks.set(keyId, { origins, secret })))
      throw new AppError('notFound', 'There is no key with this id');
    return { origins, secret };
  };
}
