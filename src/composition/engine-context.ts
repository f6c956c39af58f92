// What every part of the engine is opened with.
import type { Config } from '../config.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Shutdown } from '../platform/shutdown.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';

export type EngineContext = {
  readonly config: Config;
  readonly version: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly shutdown: Shutdown;
  readonly isStopping: () => boolean;
};
