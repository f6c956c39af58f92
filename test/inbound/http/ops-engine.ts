// The real /ops behind a real HTTP server, on stores in memory and a clock that stands still until a test moves it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';
import type { UsageRecord } from '../../../src/domain/usage.ts';
import { makeManageKeys } from '../../../src/flows/manage-keys.ts';
import { makeManagePlans } from '../../../src/flows/manage-plans.ts';
import { makeReportUsage } from '../../../src/flows/report-usage.ts';
import { sendError } from '../../../src/inbound/http/error-response.ts';
import { makeOpsRouter } from '../../../src/inbound/http/ops-routes.ts';
import { makeRequestGate } from '../../../src/inbound/http/request-gate.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import { makeFakeKeys } from '../../fakes/keys.ts';
import { makeFakePlans } from '../../fakes/plans.ts';
import { makeFakeUsage } from '../../fakes/usage.ts';

export const OPERATOR_KEY = 'operator-key-for-tests-0123456789abcdef';
const START = new Date('2026-11-21T08:00:00Z');

export async function startOpsEngine() {
  let time = START;
  const now = () => time;
  const runtime = { ...systemRuntime, now };
  const plans = makeFakePlans();
  const keys = makeFakeKeys({ plans, now });
  const usage = makeFakeUsage({ now });
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.use(makeRequestGate());
  app.use(
    '/ops',
    makeOpsRouter({
      manageKeys: makeManageKeys({ keys, plans, runtime }),
      managePlans: makeManagePlans({ plans }),
      reportUsage: makeReportUsage({ usage, runtime }),
      operatorKeyDigest: runtime.digest(OPERATOR_KEY),
      runtime,
    }),
  );
  const answerFailure: ErrorRequestHandler = (thrown, req, res, _next) => sendError(req, res, 'ops', thrown);
  app.use(answerFailure);
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    plans,
    usage,
    setTime: (text: string) => {
      time = new Date(text);
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export type OpsEngine = Awaited<ReturnType<typeof startOpsEngine>>;

export function aUsageRecord(parts: Partial<UsageRecord> = {}): UsageRecord {
  return {
    requestId: 'request-1',
    keyId: '0123456789abcdef',
    organization: 'mercy',
    operation: 'transcribe',
    startedAt: START,
    durationMs: 5000,
    aiMs: 4000,
    audioSeconds: 90.5,
    outcome: 'success',
    status: 200,
    ...parts,
  };
}
