// Counts and times for /metrics. Labels come from closed sets: routes by template, never by address, and nothing of a person.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const SECONDS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180];
/** From an event to its chart: minutes, not milliseconds. */
const AGES = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 86_400];

export type Metrics = {
  readonly requestEnded: (request: { route: string; method: string; status: number; durationMs: number }) => void;
  readonly vendorCalled: (call: { vendor: string; operation: string; outcome: string; durationMs: number }) => void;
  /** The second check of a note. */
  readonly noteVerified: (outcome: 'checked' | 'failed') => void;
  /** Another model than before answers for the one that was asked for. */
  readonly answeringModelChanged: () => void;
  readonly ehrCalled: (call: { operation: string; outcome: string; durationMs: number }) => void;
  readonly eventTaken: (event: { source: string; outcome: string }) => void;
  readonly stepEnded: (step: { step: string; outcome: string; durationMs: number }) => void;
  /** `ageMs`: since the event that it came of. */
  readonly runEnded: (run: { status: string; reason: string; ageMs: number }) => void;
  /** Codes of a mapped diagnosis. */
  readonly codesChecked: (codes: { official: number; unverified: number; unknown: number }) => void;
  /** What was taken out of the answers of a reasoner. */
  readonly textRemoved: (removed: {
    of: 'note' | 'diagnosis';
    kind: 'markup' | 'address' | 'dosage';
    count: number;
  }) => void;
  /** A request with an Idempotency-Key. */
  readonly keyedRequestEnded: (outcome: string) => void;
  readonly outcomeSent: (outcome: { kind: string; end: string }) => void;
  /** A card about a waiting draft, for an EHR. */
  readonly cdsCardShown: (card: { service: string; indicator: string }) => void;
  /** What a clinician did with a card. */
  readonly cdsFeedbackTaken: (feedback: { service: string; outcome: string }) => void;
  /** An AuditEvent for an EHR: taken, to be tried again, or given up. */
  readonly auditEventEnded: (outcome: 'sent' | 'postponed' | 'given-up') => void;
  /** Spans that the collector has taken, or that were dropped. */
  readonly spansEnded: (end: { outcome: 'sent' | 'dropped'; count: number }) => void;
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
  // Under the names that every Node process has, so that general dashboards and alerts fit.
  collectDefaultMetrics({ register: registry });
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
  const verifiedNotes = new Counter({
    name: 'chartwright_second_checks_total',
    help: 'Notes that were checked by the verifier (checked), or by the first check alone because it failed (failed)',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const answeringModels = new Counter({
    name: 'chartwright_answering_model_changes_total',
    help: 'Changes of the model, or of its fingerprint, that answers for the configured one',
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
  const spans = new Counter({
    name: 'chartwright_spans_total',
    help: 'Spans of traces that the collector has taken (sent), or that were dropped',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const cdsCards = new Counter({
    name: 'chartwright_cds_cards_total',
    help: 'Cards about waiting drafts that were shown in an EHR, by service and indicator',
    labelNames: ['service', 'indicator'] as const,
    registers: [registry],
  });
  const cdsFeedback = new Counter({
    name: 'chartwright_cds_feedback_total',
    help: 'What clinicians did with the cards, by service: accepted, overridden',
    labelNames: ['service', 'outcome'] as const,
    registers: [registry],
  });
  const auditEvents = new Counter({
    name: 'chartwright_audit_events_total',
    help: 'AuditEvents about reads, for EHRs: sent, postponed (to be tried again), given-up',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const keyedRequests = new Counter({
    name: 'chartwright_idempotency_requests_total',
    help: 'Requests with an Idempotency-Key: kept, not kept, repeated (got the first answer), refused (key of another request)',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const runs = makeRunMetrics(registry);
  return {
    ...runs,
    requestEnded({ route, method, status, durationMs }) {
      const labels = { route, method, status: String(status) };
      requestCount.inc(labels);
      requests.observe(labels, durationMs / 1000);
    },
    vendorCalled({ vendor, operation, outcome, durationMs }) {
      vendorCalls.observe({ vendor, operation, outcome }, durationMs / 1000);
    },
    keyedRequestEnded: (outcome) => keyedRequests.inc({ outcome }),
    noteVerified: (outcome) => verifiedNotes.inc({ outcome }),
    answeringModelChanged() {
      answeringModels.inc();
    },
    cdsCardShown: (card) => cdsCards.inc(card),
    cdsFeedbackTaken: (feedback) => cdsFeedback.inc(feedback),
    auditEventEnded: (outcome) => auditEvents.inc({ outcome }),
    spansEnded: ({ outcome, count }) => spans.inc({ outcome }, count),
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

type RunMetrics = Pick<
  Metrics,
  'eventTaken' | 'stepEnded' | 'runEnded' | 'codesChecked' | 'textRemoved' | 'outcomeSent'
>;

function makeRunMetrics(registry: Registry): RunMetrics {
  const registers = [registry];
  const events = new Counter({
    name: 'chartwright_events_total',
    help: 'Events of EHRs by the way that they came and what became of them',
    labelNames: ['source', 'outcome'] as const,
    registers,
  });
  const steps = new Histogram({
    name: 'chartwright_run_step_duration_seconds',
    help: 'Steps of runs by outcome',
    labelNames: ['step', 'outcome'] as const,
    buckets: SECONDS,
    registers,
  });
  const ages = new Histogram({
    name: 'chartwright_run_age_seconds',
    help: 'How long after its event a run was at its end, or at a person',
    labelNames: ['status', 'reason'] as const,
    buckets: AGES,
    registers,
  });
  const codes = new Counter({
    name: 'chartwright_diagnosis_codes_total',
    help: 'Codes of mapped diagnoses: official, unverified (not in the table, no list is imported) or unknown (not in the list)',
    labelNames: ['verdict'] as const,
    registers,
  });
  const removals = new Counter({
    name: 'chartwright_removed_total',
    help: 'What was taken out of the answers of the reasoner: markup, addresses that were not said or whose publisher is not listed, dosages that cannot be meant',
    labelNames: ['of', 'kind'] as const,
    registers,
  });
  const outcomes = new Counter({
    name: 'chartwright_outcome_events_total',
    help: 'Outcome events by kind and by what the broker said',
    labelNames: ['kind', 'end'] as const,
    registers,
  });
  return {
    eventTaken: (event) => events.inc(event),
    stepEnded: ({ step, outcome, durationMs }) => steps.observe({ step, outcome }, durationMs / 1000),
    runEnded: ({ status, reason, ageMs }) => ages.observe({ status, reason }, ageMs / 1000),
    codesChecked({ official, unverified, unknown }) {
      codes.inc({ verdict: 'official' }, official);
      codes.inc({ verdict: 'unverified' }, unverified);
      codes.inc({ verdict: 'unknown' }, unknown);
    },
    textRemoved: ({ of, kind, count }) => removals.inc({ of, kind }, count),
    outcomeSent: (outcome) => outcomes.inc(outcome),
  };
}
