// Spans in the JSON of OTLP/HTTP: ids in hex, kinds as numbers, times in nanoseconds as text.
import type { FinishedSpan, SpanAttributes } from './tracing.ts';

const KINDS = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const;
const ERROR = 2;
const NANOSECONDS = 1_000_000n;
const SCOPE = 'chartwright';

export type OtlpResource = { readonly version: string; readonly attributes: SpanAttributes };

export function otlpBody(spans: readonly FinishedSpan[], { version, attributes }: OtlpResource): string {
  const scopeSpans = [{ scope: { name: SCOPE, version }, spans: spans.map(spanOf) }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: attributesOf(attributes) }, scopeSpans }] });
}

function spanOf({ traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, isError }: FinishedSpan) {
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: attributesOf(attributes),
    status: isError ? { code: ERROR } : {},
  };
}

function attributesOf(attributes: SpanAttributes) {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }];
  });
}

function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return String(BigInt(whole) * NANOSECONDS + BigInt(Math.round((ms - whole) * Number(NANOSECONDS))));
}
