// Makes one-time links by which a person signs in for the first time, or again after losing a passkey or password. Only the digest is stored.
import type { LocalAccounts } from '../../ports/local-accounts.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { randomSecret } from '../random-names.ts';

const LINK_HOURS = 72;
const HOUR_MS = 3_600_000;

/** `address`: the whole link. It cannot be shown again. */
export type MadeLink = { readonly address: string; readonly expiresAt: Date };

/** It ends the earlier links of the person. */
export type MakeLink = (order: { readonly person: string; readonly madeBy: string }) => Promise<MadeLink>;

export type MakeLinkParts = {
  readonly localAccounts: Pick<LocalAccounts, 'addLink'>;
  readonly runtime: Pick<Runtime, 'now' | 'makeSecret' | 'digest'>;
  readonly publicUrl: string;
};

export function makeMakeLink({ localAccounts, runtime, publicUrl }: MakeLinkParts): MakeLink {
  return async (order) => {
    const token = randomSecret(runtime);
    const expiresAt = new Date(runtime.now().getTime() + LINK_HOURS * HOUR_MS);
    await localAccounts.addLink({ ...order, digest: runtime.digest(token), expiresAt });
    return { address: `${publicUrl.replace(/\/+$/, '')}/sign-in/link/${token}`, expiresAt };
  };
}
