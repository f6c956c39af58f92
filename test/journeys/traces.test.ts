// The trace of an event through whole engines: from its sender through the run to the vendors, the chart and the outcome event, also if the
// engine is killed. A small collector receives the spans.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { eventually, listen, untilRun } from '../support/journey-runs.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { startWorld, type Visit, type World } from '../support/run-world.ts';

const LIMIT_MS = 120_000;
const SENDER = '00f067aa0ba902b7';
const NAME = 'Canaryname Canaryson';
const STEPS = [
  ...[
    'read-chart',
    'fetch-recording',
    'transcribe',
    'write-note',
    'diagnose',
    'check',
    'map',
    'write-chart',
    'publish',
  ],
];

let world: World;
let receiver: OtlpReceiver;
let traces = 0;
const engines: Engine[] = [];

beforeAll(async () => {
  world = await startWorld();
  receiver = await startOtlpReceiver();
});
beforeEach(() => world.model.behave({ kind: 'answer' }));
// An engine that a failed test left would take over the runs of the next one.
afterEach(() => Promise.all(engines.splice(0).map(world.kill)));
afterAll(async () => {
  await world?.close();
  await receiver?.close();
});

async function start(testbed: string, env: Readonly<Record<string, string>> = {}): Promise<Engine> {
  const engine = await world.start(testbed, env);
  engines.push(engine);
  return engine;
}

/** A trace id that no other test has. */
function aTrace(): string {
  traces += 1;
  return traces.toString(16).padStart(32, 'a');
}

async function tell({ encounter, site }: Visit, traceparent: string): Promise<void> {
  const event = JSON.stringify({ eventId: traceparent, encounter, status: 'finished' });
  const options = { contentType: 'application/json', headers: { traceparent } };
  await world.rabbit.send(world.exchange, `encounter.${site}.finished`, event, options);
}

/** Waits for the span that ends last. */
function spansOf(trace: string, last: (span: ReceivedSpan) => boolean): Promise<readonly ReceivedSpan[]> {
  return eventually(
    () => {
      const spans = receiver.spans().filter(({ traceId }) => traceId === trace);
      return spans.some(last) ? spans : undefined;
    },
    { what: 'the spans' },
  );
}

const tracesOf = (requests: readonly { readonly headers: Readonly<Record<string, unknown>> }[]) =>
  requests.map(({ headers }) => String(headers['traceparent']));

/** The log lines of a run as JSON. */
function linesOf(engine: Engine, run: string): readonly Readonly<Record<string, unknown>>[] {
  const lines = engine
    .output()
    .stderr.split('\n')
    .filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line)).filter((line) => line.run === run);
}

describe('the trace of an event', () => {
  it(
    'goes through its run to the vendors, the chart and the outcome event, and its spans hold ids only',
    async () => {
      const outcomes = await listen(world);
      const engine = await start('a', {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-made-up=yes',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      });
      const trace = aTrace();
      const visit = world.admit({ name: NAME });
      await tell(visit, `00-${trace}-${SENDER}-01`);
      const run = await untilRun(engine, visit.encounter);
      expect(run.traceId).toBe(trace);
      const destination = `chartwright.events:${visit.site}.encounter.documented`;
      const spans = await spansOf(trace, ({ name }) => name === `publish ${destination}`);
      const named = (name: string) => spans.filter((span) => span.name === name);
      const parentOf = ({ parentSpanId }: ReceivedSpan) => spans.find(({ spanId }) => spanId === parentSpanId)?.name;

      const [consumed] = named(`process chartwright.${visit.site}.encounters`);
      expect([consumed?.parentSpanId, consumed?.kind]).toEqual([SENDER, 5]);
      expect(named('accept event').map(parentOf)).toEqual([consumed?.name]);
      expect(named('run').map(parentOf)).toEqual(['accept event']);
      for (const step of STEPS) {
        expect(named(`step ${step}`).map(parentOf)).toEqual(['run']);
        expect(named(`step ${step}`)[0]?.attributes).toEqual({
          'chartwright.run.id': run.id,
          'chartwright.site': visit.site,
        });
      }
      expect(spans.filter(({ name }) => name.startsWith('chat ')).map(parentOf)).toEqual([
        'step write-note',
        'step diagnose',
      ]);
      const called = (url: string) => spans.filter(({ attributes }) => attributes['server.port'] === new URL(url).port);
      expect(called(world.model.baseUrl).map(parentOf)).toEqual(['chat gpt-5.4', 'chat gpt-5.4']);
      expect(called(world.speech.baseUrl).map(parentOf)).toEqual(['step transcribe']);
      const askingEhr = ['run', 'step read-chart', 'step fetch-recording', 'step write-chart'];
      expect([...new Set(called(world.ehr.baseUrl).map(parentOf))]).toEqual(expect.arrayContaining(askingEhr));
      expect(called(world.ehr.baseUrl).every(({ kind, name }) => kind === 3 && /^[A-Z]+$/.test(name))).toBe(true);
      expect(spans.filter((span) => parentOf(span) === undefined)).toEqual([consumed]);
      expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);

      // What others received.
      const sent = [...tracesOf(world.model.requests), ...tracesOf(world.speech.requests)];
      expect(sent.map((text) => text.slice(0, 36))).toEqual(Array.from({ length: 3 }, () => `00-${trace}-`));
      const [published] = named(`publish ${destination}`);
      const [heard] = (await outcomes.heard()).filter(({ routingKey }) => routingKey.endsWith('.documented'));
      expect(heard?.outcome['runId']).toBe(run.id);
      expect(heard?.headers).toMatchObject({
        traceparent: `00-${trace}-${published?.spanId}-01`,
        cloudEvents_traceparent: `00-${trace}-${named('accept event')[0]?.spanId}-01`,
        cloudEvents_subject: visit.encounter,
      });

      const lines = linesOf(engine, run.id);
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) expect(line).toMatchObject({ service: 'chartwright', trace_id: trace });
      await engine.stop();

      expect(receiver.problems).toEqual([]);
      expect(receiver.requests.every(({ headers }) => headers['x-made-up'] === 'yes')).toBe(true);
      expect(receiver.resources()[0]).toMatchObject({
        'service.name': 'chartwright',
        'service.version': expect.stringMatching(/^\d/),
        'deployment.environment.name': 'test',
      });
      const everything = receiver.requests.map(({ body }) => body).join('\n');
      const ids = [visit.encounter, visit.patient, `e-${visit.id}`, `p-${visit.id}`, `rec-${visit.id}`];
      for (const word of [...ids, NAME, 'Canary', 'J18.9', 'Encounter', 'Patient/', '?']) {
        expect([word, everything.includes(word)]).toEqual([word, false]);
      }
    },
    LIMIT_MS,
  );

  it(
    'is continued by the engine that takes the run over from a killed one, also without a collector',
    async () => {
      const engine = await start('b');
      world.model.behave({ kind: 'hang' });
      const before = world.model.requests.length;
      const traceparent = `00-${aTrace()}-${SENDER}-01`;
      const visit = world.admit();
      await tell(visit, traceparent);
      await eventually(() => (world.model.requests.length > before ? true : undefined));
      await world.kill(engine);
      world.model.behave({ kind: 'answer' });
      const next = await start('b');
      const run = await untilRun(next, visit.encounter);
      // No span is made, so the context is that of the sender, as it came.
      expect(new Set(tracesOf(world.model.requests.slice(before)))).toEqual(new Set([traceparent]));
      expect(world.model.requests.length - before).toBeGreaterThan(2);
      expect(linesOf(next, run.id).map((line) => line['trace_id'])).toContain(traceparent.split('-')[1]);
      await next.stop();
    },
    LIMIT_MS,
  );
});

describe('the trace of a request', () => {
  it(
    'is sent on to the model, and its last spans are sent before the engine ends',
    async () => {
      const engine = await start('c', { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
      const key = await engine.makeKey();
      const trace = aTrace();
      const before = world.model.requests.length;
      const response = await fetch(`${engine.url}/diagnose?canaryquery=1`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json', traceparent: `00-${trace}-${SENDER}-01` },
        body: JSON.stringify({ clinical_history: 'Canaryhistory: a cough for three days.' }),
      });
      expect(response.status).toBe(200);
      await response.body?.cancel();
      await engine.stop();
      const spans = receiver.spans().filter(({ traceId }) => traceId === trace);
      const [server, chat, post] = ['POST /diagnose', 'chat gpt-5.4', 'POST'].map((name) =>
        spans.find((span) => span.name === name),
      );
      expect([server?.parentSpanId, chat?.parentSpanId, post?.parentSpanId]).toEqual([
        SENDER,
        server?.spanId,
        chat?.spanId,
      ]);
      expect(server?.attributes).toEqual({
        'http.request.method': 'POST',
        'http.route': '/diagnose',
        'http.response.status_code': '200',
      });
      expect(chat?.attributes).toMatchObject({ 'gen_ai.provider.name': 'openai', 'gen_ai.operation.name': 'chat' });
      expect(tracesOf(world.model.requests.slice(before))).toEqual([`00-${trace}-${post?.spanId}-01`]);
      expect(receiver.requests.map(({ body }) => body).join('')).not.toMatch(/canary/i);
    },
    LIMIT_MS,
  );
});
