// Spans on their way to a collector, played by a small one.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeHttpFetch } from '../../../src/platform/http-fetch.ts';
import { makeOtlpExporter, type OtlpExporter } from '../../../src/platform/tracing/otlp-exporter.ts';
import type { FinishedSpan } from '../../../src/platform/tracing/tracing.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { until } from '../../support/until.ts';

let receiver: OtlpReceiver;
let counts: Record<'sent' | 'dropped', number>;
let failures: string[];
const opened: OtlpExporter[] = [];

beforeEach(async () => {
  receiver = await startOtlpReceiver();
  counts = { sent: 0, dropped: 0 };
  failures = [];
});
afterEach(async () => {
  receiver.hold(false);
  for (const exporter of opened.splice(0)) await exporter.stop();
  await receiver.close();
});

type Parts = Parameters<typeof makeOtlpExporter>[0];

function open({ endpoint = receiver.url, ...limits }: Parts['limits'] & { endpoint?: string } = {}): OtlpExporter {
  const exporter = makeOtlpExporter({
    endpoint,
    headers: { authorization: 'Bearer made-up' },
    resource: { version: '1.2.3', attributes: { 'service.name': 'chartwright', 'service.version': '1.2.3' } },
    fetch: makeHttpFetch(),
    onEnded: ({ outcome, count }) => {
      counts[outcome] += count;
    },
    onFailed: (reason) => failures.push(reason),
    limits: { everyMs: 5, firstRetryMs: 5, ...limits },
  });
  opened.push(exporter);
  return exporter;
}

function aSpan(changes: Partial<FinishedSpan> = {}): FinishedSpan {
  return {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    parentSpanId: '00f067aa0ba902b7',
    isSampled: true,
    name: 'GET',
    kind: 'client',
    startMs: 1_772_445_600_000.25,
    endMs: 1_772_445_600_012.5,
    attributes: { 'server.address': 'ehr.example.org', 'http.response.status_code': 503, absent: undefined },
    isError: true,
    ...changes,
  };
}

describe('spans', () => {
  it('go to /v1/traces of the collector, with its headers and the names of the service', async () => {
    open({ endpoint: `${receiver.url}/` }).add(aSpan());
    await until(() => counts.sent === 1);
    const [request] = receiver.requests;
    expect(request?.path).toBe('/v1/traces');
    expect(request?.headers).toMatchObject({ authorization: 'Bearer made-up', 'content-type': 'application/json' });
    expect(request?.headers).not.toHaveProperty('traceparent');
    expect(receiver.resources()).toEqual([{ 'service.name': 'chartwright', 'service.version': '1.2.3' }]);
    expect(receiver.spans()).toEqual([
      {
        traceId: '0af7651916cd43dd8448eb211c80319c',
        spanId: 'b7ad6b7169203331',
        parentSpanId: '00f067aa0ba902b7',
        name: 'GET',
        kind: 3,
        startTimeUnixNano: '1772445600000250000',
        endTimeUnixNano: '1772445600012500000',
        attributes: { 'server.address': 'ehr.example.org', 'http.response.status_code': '503' },
        status: { code: 2 },
      },
    ]);
    expect(receiver.problems).toEqual([]);
  });

  it('go in batches, in order', async () => {
    const exporter = open({ mostAtOnce: 10, everyMs: 60_000 });
    for (let count = 0; count < 20; count += 1) exporter.add(aSpan({ name: `span ${count}` }));
    await until(() => counts.sent === 20);
    expect(receiver.requests).toHaveLength(2);
    expect(receiver.spans().map(({ name }) => name)).toEqual(Array.from({ length: 20 }, (_, count) => `span ${count}`));
  });

  it.each([429, 502, 503, 504])(
    'are sent again after the status %s, and the failure is reported once',
    async (status) => {
      receiver.refuse({ status }, { status });
      open().add(aSpan());
      await until(() => counts.sent === 1);
      expect([receiver.requests.length, receiver.spans().length, failures]).toEqual([3, 1, [`status ${status}`]]);
    },
  );

  it.each([
    ['seconds', () => '0'],
    ['a date', () => new Date(Date.now() + 1_000).toUTCString()],
  ])('are sent again when the collector says it by %s', async (_title, retryAfter) => {
    receiver.refuse({ status: 503, retryAfter: retryAfter() });
    open({ firstRetryMs: 600_000 }).add(aSpan());
    await until(() => counts.sent === 1);
    expect(receiver.requests).toHaveLength(2);
  });

  it.each([400, 401, 404, 500])('are dropped and counted after the status %s', async (status) => {
    receiver.refuse({ status });
    open().add(aSpan());
    await until(() => counts.dropped === 1);
    expect([receiver.requests.length, failures]).toEqual([1, [`status ${status}`]]);
  });

  it('are dropped and counted after five tries', async () => {
    receiver.refuse(...Array.from({ length: 6 }, () => ({ status: 503 })));
    open().add(aSpan());
    await until(() => counts.dropped === 1);
    expect(receiver.requests).toHaveLength(5);
  });

  it('are dropped and counted if the queue is full, while the collector does not answer', async () => {
    receiver.hold(true);
    const exporter = open({ mostAtOnce: 2, mostWaiting: 5 });
    for (let count = 0; count < 20; count += 1) exporter.add(aSpan());
    await until(() => receiver.requests.length === 1);
    expect(counts.dropped).toBe(13);
    receiver.hold(false);
    await until(() => counts.sent === 7);
  });

  it('are sent before the engine ends', async () => {
    const exporter = open({ everyMs: 600_000 });
    exporter.add(aSpan());
    await exporter.stop();
    expect(receiver.spans()).toHaveLength(1);
  });

  it('do not keep an engine from ending whose collector does not answer, or is not there', async () => {
    receiver.hold(true);
    const silent = open({ stopMs: 20, everyMs: 1 });
    silent.add(aSpan());
    await until(() => receiver.requests.length === 1);
    silent.add(aSpan());
    await silent.stop();
    const absent = open({ endpoint: 'http://127.0.0.1:1' });
    absent.add(aSpan());
    await absent.stop();
    expect([counts, failures]).toEqual([{ sent: 0, dropped: 3 }, ['not reached', 'not reached']]);
  });
});
