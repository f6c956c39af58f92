// Which trace work belongs to, and which spans it makes.
import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { makeSampler, type SamplerName } from '../../../src/platform/tracing/sampler.ts';
import { readTraceparent, writeTraceparent } from '../../../src/platform/tracing/trace-context.ts';
import { type FinishedSpan, makeTracing } from '../../../src/platform/tracing/tracing.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const GIVEN = `00-${TRACE}-${SPAN}-01`;
const UNSAMPLED = `00-${TRACE}-${SPAN}-00`;
const INVALID = [
  ['nothing', undefined],
  ['an empty text', ''],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['capitals', GIVEN.toUpperCase()],
  ['the version ff', GIVEN.replace('00-', 'ff-')],
  ['more parts than version 00 has', `${GIVEN}-more`],
  ['less parts', GIVEN.slice(0, -3)],
  ['a short id', GIVEN.replace(TRACE, TRACE.slice(1))],
  ['two headers in one', `${GIVEN}, ${GIVEN}`],
  ['a number', 7],
] as const;

describe('the traceparent of a sender', () => {
  it('is read, and written again', () => {
    expect(readTraceparent(GIVEN)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled: true });
    expect(readTraceparent(UNSAMPLED)?.isSampled).toBe(false);
    expect(readTraceparent(GIVEN.replace(/01$/, '03'))?.isSampled).toBe(true);
    expect(writeTraceparent({ traceId: TRACE, spanId: SPAN, isSampled: true })).toBe(GIVEN);
  });

  it('of a later version is read by the parts that are known', () => {
    expect(readTraceparent(`${GIVEN.replace('00-', '01-')}-more`)?.traceId).toBe(TRACE);
  });

  it.each(INVALID)('is not valid: %s', (_title, text) => {
    expect(readTraceparent(text)).toBeUndefined();
  });
});

function aCollection(sampler: SamplerName = 'parentbased_always_on', ratio = 1) {
  const spans: FinishedSpan[] = [];
  const exporter = { add: (span: FinishedSpan) => void spans.push(span) };
  return { spans, ...makeTracing({ exporter, isSampled: makeSampler(sampler, ratio) }) };
}

describe('a span', () => {
  it('belongs to the span of its caller, also across awaits and timers', async () => {
    const { spans, inSpan, traceId } = aCollection();
    await inSpan({ name: 'outer', parent: { traceparent: GIVEN } }, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      await inSpan({ name: 'inner', kind: 'client', attributes: { 'chartwright.site': 'mercy' } }, async () => {
        expect(traceId()).toBe(TRACE);
      });
    });
    const [inner, outer] = spans;
    expect(spans.map(({ name, traceId: id }) => [name, id])).toEqual([
      ['inner', TRACE],
      ['outer', TRACE],
    ]);
    expect([inner?.parentSpanId, outer?.parentSpanId]).toEqual([outer?.spanId, SPAN]);
    expect(inner).toMatchObject({ kind: 'client', isError: false, attributes: { 'chartwright.site': 'mercy' } });
    expect(inner?.startMs).toBeLessThanOrEqual(inner?.endMs ?? 0);
    expect(traceId()).toBeUndefined();
  });

  it('of work at the same time does not mix with others', async () => {
    const { spans, inSpan } = aCollection();
    const work = (name: string) =>
      inSpan({ name, parent: { traceparent: undefined } }, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        await inSpan({ name: `${name} inside` }, async () => undefined);
      });
    await Promise.all(['a', 'b', 'c'].map(work));
    for (const name of ['a', 'b', 'c']) {
      const [outer, inner] = [name, `${name} inside`].map((one) => spans.find((span) => span.name === one));
      expect([inner?.traceId, inner?.parentSpanId]).toEqual([outer?.traceId, outer?.spanId]);
    }
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(3);
  });

  it.each(INVALID)('begins a new trace without a parent if the sender gives %s', async (_title, traceparent) => {
    const { spans, startSpan } = aCollection();
    const span = startSpan({ name: 'one', parent: { traceparent } });
    span.end();
    expect(spans).toMatchObject([{ traceId: expect.stringMatching(/^[0-9a-f]{32}$/), parentSpanId: undefined }]);
    expect(spans[0]?.traceId).not.toBe(TRACE);
    expect(span.traceparent).toBe(`00-${spans[0]?.traceId}-${spans[0]?.spanId}-01`);
  });

  it('of work that throws is failed, and names the code, never the message', async () => {
    const { spans, inSpan } = aCollection();
    const failing = inSpan({ name: 'one' }, () => Promise.reject(new AppError('ehrUnavailable', 'canary')));
    await expect(failing).rejects.toThrow('canary');
    expect(spans).toMatchObject([{ isError: true, attributes: { 'error.type': 'ehrUnavailable' } }]);
    expect(JSON.stringify(spans)).not.toContain('canary');
  });

  it('is exported outside of its trace, so that the exporter logs and sends in none', async () => {
    const seen: (string | undefined)[] = [];
    const exporter = { add: () => void queueMicrotask(() => seen.push(tracing.traceId())) };
    const tracing = makeTracing({ exporter });
    await tracing.inSpan({ name: 'outer' }, () => tracing.inSpan({ name: 'inner' }, async () => undefined));
    expect(seen).toEqual([undefined, undefined]);
  });

  it('ends once', () => {
    const { spans, startSpan } = aCollection();
    const span = startSpan({ name: 'one' });
    span.end({ name: 'two', errorType: '503' });
    span.end();
    expect(spans).toMatchObject([{ name: 'two', attributes: { 'error.type': '503' } }]);
  });
});

describe('without an exporter', () => {
  it.each([GIVEN, UNSAMPLED])('the context of the caller is passed on as it came: %s', async (traceparent) => {
    const tracing = makeTracing();
    await tracing.inSpan({ name: 'outer', parent: { traceparent } }, async () => {
      expect(tracing.startSpan({ name: 'inner' }).traceparent).toBe(traceparent);
      expect([tracing.traceparent(), tracing.traceId()]).toEqual([traceparent, TRACE]);
    });
  });

  it('a new trace is one for all that it does, and says that nothing was recorded', async () => {
    const tracing = makeTracing();
    await tracing.inSpan({ name: 'outer', parent: { traceparent: '' } }, async () => {
      const first = tracing.startSpan({ name: 'a' }).traceparent;
      expect(first).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
      expect(tracing.startSpan({ name: 'b' }).traceparent).toBe(first);
    });
  });
});

describe('a sampler', () => {
  it.each<[SamplerName, boolean, boolean, boolean]>([
    ['always_on', true, true, true],
    ['always_off', false, false, false],
    ['parentbased_always_on', true, true, false],
    ['parentbased_always_off', false, true, false],
  ])(
    '%s exports a new trace: %s, one that its sender samples: %s, one that it does not: %s',
    (name, fresh, on, off) => {
      const { spans, startSpan } = aCollection(name);
      const counts = [undefined, GIVEN, UNSAMPLED].map((traceparent) => {
        startSpan({ name: 'one', parent: { traceparent } }).end();
        return spans.splice(0).length === 1;
      });
      expect(counts).toEqual([fresh, on, off]);
    },
  );

  it('with a ratio exports that share of the traces, each with all its spans', async () => {
    const { spans, inSpan } = aCollection('parentbased_traceidratio', 0.25);
    for (let count = 0; count < 2_000; count += 1) {
      await inSpan({ name: 'outer' }, () => inSpan({ name: 'inner' }, async () => undefined));
    }
    const traces = Map.groupBy(spans, ({ traceId }) => traceId);
    expect(traces.size).toBeGreaterThan(300);
    expect(traces.size).toBeLessThan(700);
    expect([...traces.values()].every((of) => of.length === 2)).toBe(true);
  });
});
