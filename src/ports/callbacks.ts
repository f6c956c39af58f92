// Call-backs of jobs: which origins a key may name, and which calls are due. What is due is stored with the end of its job, so that none is lost.
import type { Caller } from '../domain/access/api-key.ts';
import type { CallbackState } from '../domain/access/callback.ts';
import type { JobStatus } from '../domain/access/job.ts';

export type CallbackSettings = {
  readonly origins: readonly string[];
  /** `whsec_` and the base64 of the bytes that sign. */
  readonly secret: string;
};

export type DueCallback = {
  readonly jobId: string;
  readonly keyId: string;
  readonly status: JobStatus;
  readonly url: string;
  /** How often it was tried, this time counted. */
  readonly tries: number;
};

export type CallbackOutcome =
  | { readonly state: Extract<CallbackState, 'delivered' | 'given-up'> }
  | { readonly state: 'due'; readonly inMs: number };

export type Callbacks = {
  /** Replaces what the key had. False if there is no such key. */
  set(keyId: string, settings: CallbackSettings): Promise<boolean>;
  find(keyId: string): Promise<CallbackSettings | undefined>;
  /** Takes calls that are due, for a minute: after that another engine tries again. */
  claim(limit: number): Promise<readonly DueCallback[]>;
  /** Does nothing if another engine has tried it since. */
  settle(call: Pick<DueCallback, 'jobId' | 'tries'>, outcome: CallbackOutcome): Promise<void>;
  /** Makes the call of an ended job due again, with its first id. False if it has none. */
  repeat(jobId: string, caller: Caller): Promise<boolean>;
};

/** `gone`: the receiver wants no calls of this kind (410). */
export type SendCallback = (
  call: {
    readonly url: string;
    readonly id: string;
    readonly body: string;
    readonly secret: string;
    readonly at: Date;
  },
  signal: AbortSignal,
) => Promise<'delivered' | 'gone' | 'failed'>;
