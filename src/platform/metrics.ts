// Counts and times for /metrics. Labels come from closed sets: routes by template, never by address, and nothing of a person.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const SECONDS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180];

export type Metrics = {
  readonly requestEnded: (request: { route: string; method: string; status: number; durationMs: number }) => void;
  readonly vendorCalled: (call: { vendor: string; operation: string; outcome: string; durationMs: number }) => void;
  readonly ehrCalled: (call: { operation: string; outcome: string; durationMs: number }) => void;
  /** The gauge asks for its value when /metrics is read. */
  readonly watch: (name: string, help: string, read: () => number) => void;
  /** One value for each value of a label. Where they cannot be read, /metrics goes without them. */
  readonly watchEach: (gauge: LabelledGauge) => void;
  readonly text: () => Promise<{ readonly contentType: string; readonly body: string }>;
};

type LabelledGauge = {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  readonly read: () => Promise<ReadonlyMap<string, number>>;
};

export function makeMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'chartwright_' });
  const requests = new Histogram({
    name: 'chartwright_http_request_duration_seconds',
    help: 'HTTP requests by route template, method and status',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: SECONDS,
    registers: [registry],
  });
  const vendorCalls = new Histogram({
    name: 'chartwright_vendor_call_duration_seconds',
    help: 'Calls to the reasoner and to speech recognition by outcome',
    labelNames: ['vendor', 'operation', 'outcome'] as const,
    buckets: SECONDS,
    registers: [registry],
  });
  const ehrCalls = new Histogram({
    name: 'chartwright_ehr_call_duration_seconds',
    help: 'Calls to the EHRs by what was asked and what came of it',
    labelNames: ['operation', 'outcome'] as const,
    buckets: SECONDS,
    registers: [registry],
  });
  const requestCount = new Counter({
    name: 'chartwright_http_requests_total',
    help: 'HTTP requests by route template, method and status',
    labelNames: ['route', 'method', 'status'] as const,
    registers: [registry],
  });
  return {
    requestEnded({ route, method, status, durationMs }) {
      const labels = { route, method, status: String(status) };
      requestCount.inc(labels);
      requests.observe(labels, durationMs / 1000);
    },
    vendorCalled({ vendor, operation, outcome, durationMs }) {
      vendorCalls.observe({ vendor, operation, outcome }, durationMs / 1000);
    },
    ehrCalled({ operation, outcome, durationMs }) {
      ehrCalls.observe({ operation, outcome }, durationMs / 1000);
    },
    watchEach({ name, help, label, read }) {
      const collect = async (): Promise<void> => {
        const values = await read().catch(() => new Map<string, number>());
        gauge.reset();
        for (const [value, count] of values) gauge.set({ [label]: value }, count);
      };
      const gauge: Gauge = new Gauge({ name, help, labelNames: [label], registers: [registry], collect });
    },
    watch(name, help, read) {
      const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: (): void => gauge.set(read()) });
    },
    text: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}
