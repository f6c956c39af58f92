// Health of the engine for supervisors (/healthz), load balancers and people (/readyz), and Prometheus (/metrics).
import { type RequestHandler, Router } from 'express';
import type { Metrics } from '../../../platform/metrics.ts';
import type { ComponentHealth, HealthCheck } from '../../../ports/health.ts';

type HealthRouteParts = {
  readonly checks: readonly HealthCheck[];
  readonly isStopping: () => boolean;
  readonly metrics: Pick<Metrics, 'text'>;
  /** For the metrics. The health stays open to load balancers. */
  readonly guard: RequestHandler;
};

export function makeHealthRouter({ checks, isStopping, metrics, guard }: HealthRouteParts): Router {
  const router = Router();

  router.get('/healthz', (_req, res) => {
    res.setHeader('cache-control', 'no-store');
    res.json({ status: 'ok' });
  });

  router.get('/readyz', async (_req, res) => {
    const components = await Promise.all(checks.map((check) => check()));
    if (isStopping()) components.push({ name: 'engine', status: 'down', detail: 'The engine is stopping.' });
    const status = overall(components);
    res.setHeader('cache-control', 'no-store');
    res.status(status === 'down' ? 503 : 200).json({ status, components });
  });

  router.get('/metrics', guard, async (_req, res) => {
    const { contentType, body } = await metrics.text();
    res.setHeader('content-type', contentType);
    res.send(body);
  });

  return router;
}

function overall(components: readonly ComponentHealth[]): ComponentHealth['status'] {
  if (components.some(({ status }) => status === 'down')) return 'down';
  return components.some(({ status }) => status === 'degraded') ? 'degraded' : 'ok';
}
