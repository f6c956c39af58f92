// Messages to people outside of the engine, by mail or webhook. They hold references and links, never patient data.

export type NoticeChannel =
  | { readonly kind: 'mail'; readonly to: string }
  | { readonly kind: 'webhook'; readonly to: string };

export type NoticeKind = 'break-glass' | 'review-due' | 'review-overdue' | 'red' | 'delegated';

export type Notice = {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly channel: NoticeChannel;
  readonly site: string;
  readonly run?: string;
  /** Ids, states and times only. */
  readonly details: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  readonly tries: number;
};

/** Throws `overloaded` if the database cannot be reached. */
export type Notices = {
  readonly add: (notice: Omit<Notice, 'createdAt' | 'tries'>) => Promise<void>;
  /** Claims notices that are due, for this time; another engine does not get them meanwhile. */
  readonly claim: (limit: number, leaseMs: number) => Promise<readonly Notice[]>;
  readonly sent: (id: string) => Promise<void>;
  /** Without `retryAt` it is given up. */
  readonly failed: (id: string, retryAt?: Date) => Promise<void>;
  readonly sweep: (keepMs: number) => Promise<void>;
};

/** Hands a notice over to a mail server or a webhook. Throws `vendorUnavailable`, `vendorRejected`, `notConfigured`. */
export type SendNotice = (notice: Notice, signal: AbortSignal) => Promise<void>;
