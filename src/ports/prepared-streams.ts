// Uploads that wait for their one stream connection. All engines share them; they are encrypted and deleted after use or ten minutes.

import type { Caller } from '../domain/access/api-key.ts';
import type { Attachment } from '../domain/diagnosis/attachment.ts';
import type { Language } from '../domain/language.ts';

export type StreamPreparation = {
  readonly id: string;
  readonly caller: Caller;
  readonly clinicalHistory?: string;
  readonly language: Language;
  readonly attachments: readonly Attachment[];
  readonly ttlMs: number;
  /** A caller with the ticket may open the session without the key. */
  readonly ticketDigest: Uint8Array;
};

export type ClaimedStream = {
  readonly clinicalHistory?: string;
  readonly language: Language;
  readonly attachments: readonly Attachment[];
  /** Marks the session as used, whatever happens next. Call it when the response headers are sent. */
  readonly markUsed: () => Promise<void>;
  /** Always call it at the end: deletes a used session with its bytes, and frees an unused one. */
  readonly release: () => Promise<void>;
};

export type StreamClaim =
  | { readonly kind: 'claimed'; readonly stream: ClaimedStream }
  /** Prepared by another key; the session is unchanged. */
  | { readonly kind: 'foreign' }
  /** Never prepared, expired, used, or being opened elsewhere at this moment. */
  | { readonly kind: 'absent' };

export type StreamTicket = { readonly keyId: string; readonly ticketDigest: Uint8Array };

export type PreparedStreams = {
  prepare(preparation: StreamPreparation): Promise<void>;
  claim(id: string, caller: Caller): Promise<StreamClaim>;
  /** Of a session that is neither used nor expired: the key that prepared it, and the digest of its ticket. */
  findTicket(id: string): Promise<StreamTicket | undefined>;
  /** Deletes what has expired, with its bytes; returns how many. Call it at start and on a timer. */
  sweep(): Promise<number>;
};
