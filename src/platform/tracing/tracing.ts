// Traces: which trace the work at hand belongs to, and its spans. Async work that a span begins belongs to it, also across awaits. Without an
// exporter, or for a trace that is not sampled, no spans are made: then the context of the caller is passed on as it came.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IsSampled } from './sampler.ts';
import { makeSpanId, makeTraceId, readTraceparent, type TraceContext, writeTraceparent } from './trace-context.ts';

type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';
/** Ids, names and codes of closed sets: never clinical text, a reference of a patient, or a query. */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

export type FinishedSpan = TraceContext & {
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  readonly isError: boolean;
};

export type SpanStart = {
  readonly name: string;
  /** Default: internal. */
  readonly kind?: SpanKind;
  readonly attributes?: SpanAttributes;
  /** The `traceparent` of a sender or of a stored run. If it is not valid, a new trace begins. Absent: the work at hand is the parent. */
  readonly parent?: { readonly traceparent: unknown };
};

export type SpanEnd = {
  /** If the name was not known at the start. */
  readonly name?: string;
  readonly attributes?: SpanAttributes;
  /** A code or a status: the span has failed. */
  readonly errorType?: string | undefined;
};

export type Span = {
  /** To send on. */
  readonly traceparent: string;
  /** What `work` does, and what it begins, belongs to this span. */
  readonly run: <T>(work: () => T) => T;
  /** A second call does nothing. */
  readonly end: (end?: SpanEnd) => void;
};

export type Tracing = {
  readonly startSpan: (start: SpanStart) => Span;
  /** The span ends with the work; a throw makes it a failed one. */
  readonly inSpan: <T>(start: SpanStart, work: () => Promise<T>) => Promise<T>;
  /** The `traceparent` of the work at hand. */
  readonly traceparent: () => string | undefined;
  readonly traceId: () => string | undefined;
};

type TracingParts = {
  readonly exporter?: { readonly add: (span: FinishedSpan) => void } | undefined;
  readonly isSampled?: IsSampled;
};

export function makeTracing({ exporter, isSampled = () => true }: TracingParts = {}): Tracing {
  const storage = new AsyncLocalStorage<TraceContext | undefined>();

  /** The context of the parent, or a new one, whose span id no span has. */
  function parentOf({ parent }: SpanStart): { readonly context: TraceContext; readonly isNew: boolean } {
    const known = parent === undefined ? storage.getStore() : readTraceparent(parent.traceparent);
    if (known !== undefined && parent === undefined) return { context: known, isNew: false };
    const traceId = known?.traceId ?? makeTraceId();
    const sampled = exporter === undefined ? known?.isSampled === true : isSampled(traceId, known?.isSampled);
    const context = { traceId, spanId: known?.spanId ?? makeSpanId(), isSampled: sampled };
    return { context, isNew: known === undefined };
  }

  const startSpan: Tracing['startSpan'] = (start) => {
    const { context: parent, isNew } = parentOf(start);
    if (exporter === undefined || !parent.isSampled) {
      return { traceparent: writeTraceparent(parent), run: (work) => storage.run(parent, work), end: () => undefined };
    }
    const context = { ...parent, spanId: makeSpanId() };
    const { name, kind = 'internal', attributes } = start;
    const startMs = nowMs();
    let isEnded = false;
    return {
      traceparent: writeTraceparent(context),
      run: (work) => storage.run(context, work),
      end(end = {}) {
        if (isEnded) return;
        isEnded = true;
        const span = {
          ...context,
          parentSpanId: isNew ? undefined : parent.spanId,
          name: end.name ?? name,
          kind,
          startMs,
          endMs: nowMs(),
          attributes: { ...attributes, ...end.attributes, 'error.type': end.errorType },
          isError: end.errorType !== undefined,
        };
        // The timers of the exporter, and what it logs, belong to no trace.
        storage.run(undefined, () => exporter.add(span));
      },
    };
  };

  return {
    startSpan,
    async inSpan(start, work) {
      const span = startSpan(start);
      try {
        const value = await span.run(work);
        span.end();
        return value;
      } catch (thrown) {
        span.end({ errorType: errorTypeOf(thrown) });
        throw thrown;
      }
    },
    traceparent: () => {
      const context = storage.getStore();
      return context && writeTraceparent(context);
    },
    traceId: () => storage.getStore()?.traceId,
  };
}

/** With parts of a millisecond. */
function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** The code of an error, or its class: never its message. */
export function errorTypeOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return typeof thrown;
  const [code, name] = ['code' in thrown && thrown.code, 'name' in thrown && thrown.name];
  const known = [code, name].find((one) => typeof one === 'string' && /^\w{1,60}$/.test(one));
  return typeof known === 'string' ? known : 'unknown';
}
