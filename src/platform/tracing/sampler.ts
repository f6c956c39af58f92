// Which traces are exported, by the names of OpenTelemetry (`OTEL_TRACES_SAMPLER`). A sampler with `parentbased` follows the caller; the others
// decide by themselves.

export type SamplerName = `${'' | 'parentbased_'}${'always_on' | 'always_off' | 'traceidratio'}`;

/** `isParentSampled`: undefined for a trace that begins here. */
export type IsSampled = (traceId: string, isParentSampled: boolean | undefined) => boolean;

/** `ratio`: the share of traces, from 0 to 1. */
export function makeSampler(name: SamplerName, ratio: number): IsSampled {
  const own = name.replace('parentbased_', '');
  const isBelow = (traceId: string) => Number.parseInt(traceId.slice(-8), 16) < ratio * 2 ** 32;
  const decide = (traceId: string) => (own === 'traceidratio' ? isBelow(traceId) : own === 'always_on');
  if (own === name) return decide;
  return (traceId, isParentSampled) => isParentSampled ?? decide(traceId);
}
