// The outcome events that ask for attention and of which no person has a notice yet. They are stored with what they are about, in one transaction.
import type { AttentionCause } from '../domain/run/outcome-event.ts';

export type Attention = {
  /** Of the outcome event. */
  readonly id: string;
  readonly site: string;
  readonly run: string;
  readonly because: AttentionCause;
};

/** Throws `overloaded`, `internal`. */
export type AttentionEvents = {
  /** Of this time, the oldest first. Another engine may get the same. */
  readonly unnoticed: (order: { readonly limit: number; readonly withinMs: number }) => Promise<readonly Attention[]>;
  readonly markNoticed: (ids: readonly string[]) => Promise<void>;
};
