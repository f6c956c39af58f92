// The checks of passkeys (WebAuthn). The browser's part is JSON text, as the page's script sends it.
import type { Passkey } from './local-accounts.ts';

/** `options`: JSON text for the browser. The challenge is used once. */
export type PasskeyQuestion = { readonly challenge: string; readonly options: string };

export type PasskeyChecks = {
  readonly askForNew: (person: {
    readonly id: string;
    readonly name: string;
    readonly known: readonly Passkey[];
  }) => Promise<PasskeyQuestion>;
  /** Undefined if the answer is not one to this challenge at this engine, or the person was not verified by the device. */
  readonly readNew: (order: {
    readonly answer: string;
    readonly challenge: string;
  }) => Promise<Pick<Passkey, 'id' | 'publicKey' | 'counter' | 'transports'> | undefined>;
  readonly ask: () => Promise<PasskeyQuestion>;
  /** The id of the passkey that the answer names; nothing about it is checked. */
  readonly idIn: (answer: string) => string | undefined;
  /** The new counter; undefined as above. */
  readonly read: (order: {
    readonly answer: string;
    readonly challenge: string;
    readonly passkey: Passkey;
  }) => Promise<{ readonly counter: number } | undefined>;
};
