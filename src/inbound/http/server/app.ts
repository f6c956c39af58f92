// Composes the Express app: the request gate first, then each router, then one answer for unknown paths and failures.
import express, { type Express, type RequestHandler, type Router } from 'express';
import helmet from 'helmet';
import { AppError, asAppError } from '../../../domain/errors.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import type { Tracing } from '../../../platform/tracing/tracing.ts';
import { makeCors } from './cors.ts';
import { type ErrorFamily, sendError } from './error-response.ts';
import { makeRequestGate, requestIdOf } from './request-gate.ts';

type AppParts = {
  readonly routers: {
    readonly health: Router;
    readonly home: Router;
    readonly docs: Router;
    readonly signIn: Router;
    readonly ops: Router;
    readonly diagnose: Router;
    readonly transcribe: Router;
    readonly jobs: Router;
    readonly ehr: Router;
    readonly launch: Router;
    readonly review: Router;
    readonly device: Router;
    readonly cds: Router;
  };
  readonly corsOrigins: readonly string[];
  readonly trustProxyHops: number;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly tracing: Pick<Tracing, 'startSpan'>;
  readonly monotonicMs: () => number;
};

/** The methods of each path; any other method is answered with 405 and `Allow`. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  '/healthz': ['GET', 'HEAD'],
  '/readyz': ['GET', 'HEAD'],
  '/metrics': ['GET', 'HEAD'],
  '/openapi.json': ['GET', 'HEAD'],
  '/sign-in': ['GET', 'HEAD'],
  '/sign-in/provider': ['GET', 'HEAD'],
  '/sign-in/provider/callback': ['GET', 'HEAD'],
  '/sign-in/provider/end': ['GET', 'HEAD'],
  '/sign-in/provider/logout': ['POST'],
  '/sign-in/passkey': ['GET', 'HEAD', 'POST'],
  '/sign-in/password': ['GET', 'HEAD', 'POST'],
  '/sign-in/link/:token': ['GET', 'HEAD', 'POST'],
  '/sign-out': ['POST'],
  '/me': ['GET', 'HEAD'],
  '/me/purpose': ['POST'],
  '/me/sessions/end': ['POST'],
  '/me/passkeys/remove': ['POST'],
  '/diagnose': ['POST'],
  '/diagnose/stream': ['POST'],
  '/diagnose/stream/files': ['POST'],
  '/diagnose/stream/:sessionId': ['GET'],
  '/transcribe': ['POST'],
  '/transcribe/conversation': ['POST'],
  '/jobs/:id': ['GET', 'HEAD', 'DELETE'],
  '/jobs/:id/callback': ['POST'],
  '/ehr/:site/jwks.json': ['GET', 'HEAD'],
  '/ehr/:site/events': ['POST'],
  '/ehr/:site/events/:type/:id': ['PUT', 'DELETE'],
  '/ehr/:site/encounters{/Encounter}/:id/recording': ['POST'],
  '/ehr/:site/runs{/Run}/:id': ['GET', 'HEAD'],
  '/device': ['GET', 'HEAD', 'POST'],
  '/device/code': ['POST'],
  '/device/token': ['POST'],
  '/device/link': ['POST'],
  '/cds-services': ['GET', 'HEAD'],
  '/cds-services/:id': ['POST'],
  '/cds-services/:id/feedback': ['POST'],
};

export function makeApp(parts: AppParts): Express {
  const { routers, logger } = parts;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', parts.trustProxyHops);
  app.use(makeRequestGate());
  app.use(observe(parts));
  app.use(helmet());
  app.use(makeCors(parts.corsOrigins));
  app.use(routers.health, routers.home, routers.docs, routers.signIn, routers.device);
  app.use('/ops', routers.ops);
  app.use(routers.launch, routers.review);
  app.use(routers.diagnose, routers.transcribe, routers.jobs, routers.ehr, routers.cds);
  for (const [path, methods] of Object.entries(METHODS)) app.all(path, refuseMethod(methods));
  app.use((req, res) => sendError(req, res, familyOfPath(req.path), new AppError('notFound', 'There is nothing here')));
  const answerFailure: express.ErrorRequestHandler = (thrown, req, res, _next) => {
    const error = asAppError(thrown);
    if (error.code === 'internal') logger.error('a request failed', { requestId: requestIdOf(res), thrown });
    sendError(req, res, familyOfPath(req.path), error);
  };
  app.use(answerFailure);
  return app;
}

function refuseMethod(methods: readonly string[]): RequestHandler {
  return (req, res) => {
    res.setHeader('allow', methods.join(', '));
    const error = new AppError('methodNotAllowed', `This address takes ${methods.join(', ')}`);
    sendError(req, res, familyOfPath(req.path), error);
  };
}

function familyOfPath(path: string): ErrorFamily {
  if (path.startsWith('/diagnose')) return 'diagnosis';
  if (path.startsWith('/ehr/')) return 'ehr';
  if (path.startsWith('/jobs/')) return 'jobs';
  if (path.startsWith('/cds-services')) return 'cds';
  return path.startsWith('/transcribe') ? 'transcription' : 'ops';
}

type Observers = Pick<AppParts, 'metrics' | 'logger' | 'tracing' | 'monotonicMs'>;

/**
 * Writes one log line, one metric and one span per request, with the route template instead of the path, which can contain ids. The request
 * continues the trace of its sender.
 */
function observe({ metrics, logger, tracing, monotonicMs }: Observers): RequestHandler {
  return (req, res, next) => {
    const startedMs = monotonicMs();
    const { method, headers } = req;
    const traceparent = headers['traceparent'] ?? headers['ce-traceparent'];
    const span = tracing.startSpan({ name: method, kind: 'server', parent: { traceparent } });
    const report = (): void => {
      // Not `baseUrl`, which is empty again after a router has failed.
      const mount = /^\/ops(?=[/?]|$)/.exec(req.originalUrl)?.[0] ?? '';
      const route = `${mount}${req.route?.path ?? ''}` || 'none';
      const status = res.writableFinished || res.headersSent ? res.statusCode : 499;
      const durationMs = Math.round(monotonicMs() - startedMs);
      metrics.requestEnded({ route, method, status, durationMs });
      logger.info('request', { requestId: requestIdOf(res), route, method, status, durationMs });
      span.end({
        name: `${method} ${route}`,
        attributes: { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status },
        errorType: status >= 500 ? String(status) : undefined,
      });
    };
    res.once('close', () => span.run(report));
    span.run(next);
  };
}
