// Makes the traces of this engine from the settings: with a collector they are exported, without one they are only passed on and logged.
import type { Config } from '../config.ts';
import { makeHttpFetch } from '../platform/http-fetch.ts';
import type { Metrics } from '../platform/metrics.ts';
import { makeOtlpExporter } from '../platform/tracing/otlp-exporter.ts';
import { makeSampler } from '../platform/tracing/sampler.ts';
import { makeTracing, type Tracing } from '../platform/tracing/tracing.ts';

type TracingParts = {
  readonly config: Config;
  readonly version: string;
  readonly metrics: Pick<Metrics, 'spansEnded'>;
  readonly onFailed: (reason: string) => void;
};

export type OpenedTracing = {
  readonly tracing: Tracing;
  /** Sends the spans that wait. */
  readonly stop: () => Promise<void>;
};

export function openTracing({ config, version, metrics, onFailed }: TracingParts): OpenedTracing {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: service } = config;
  if (endpoint === undefined) return { tracing: makeTracing(), stop: async () => undefined };
  const exporter = makeOtlpExporter({
    endpoint,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    resource: {
      version,
      attributes: { 'service.version': version, ...config.OTEL_RESOURCE_ATTRIBUTES, 'service.name': service },
    },
    fetch: makeHttpFetch(),
    onEnded: metrics.spansEnded,
    onFailed,
  });
  const isSampled = makeSampler(config.OTEL_TRACES_SAMPLER, config.OTEL_TRACES_SAMPLER_ARG);
  return { tracing: makeTracing({ exporter, isSampled }), stop: exporter.stop };
}
