// The trace context of W3C: `00-<trace id>-<span id>-<flags>`. Pure. `tracestate` is neither read nor sent on: it may hold any text of a caller.
import { randomUUID } from 'node:crypto';

export type TraceContext = {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits: the span that further ones belong to. */
  readonly spanId: string;
  readonly isSampled: boolean;
};

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** Undefined for a header that is not valid, also with ids of zeros. A later version may have more parts behind those of this one. */
export function readTraceparent(text: unknown): TraceContext | undefined {
  if (typeof text !== 'string' || text.length > 512) return undefined;
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(text.trim()) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export function writeTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** The digits of a random UUID: Node makes many of them at once, and none has only zeros, which would be no id. */
export function makeTraceId(): string {
  return randomUUID().replaceAll('-', '');
}

/** The last 16 digits, which have no version in them. */
export function makeSpanId(): string {
  return makeTraceId().slice(-16);
}
