// The routes below /cds-services in a small engine: the real app, flows and verification of tokens, on fake stores; and an EHR that signs.
import { generateKeyPairSync, type JsonWebKey, type KeyObject, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Router } from 'express';
import { SignJWT } from 'jose';
import type { PatientDraft } from '../../../../src/domain/cds/draft-card.ts';
import type { SiteSettings } from '../../../../src/domain/site/site.ts';
import { makeAnswerHook } from '../../../../src/flows/cds/answer-hook.ts';
import { makeIdentifyEhr } from '../../../../src/flows/cds/identify-ehr.ts';
import { makeTakeFeedback } from '../../../../src/flows/cds/take-feedback.ts';
import { makeCdsRouter } from '../../../../src/inbound/http/cds/cds-routes.ts';
import { makeApp } from '../../../../src/inbound/http/server/app.ts';
import { makeWrongKeyThrottle } from '../../../../src/inbound/http/server/wrong-keys.ts';
import { makeEhrTokens } from '../../../../src/outbound/cds/ehr-tokens.ts';
import { makeLogger } from '../../../../src/platform/logger.ts';
import { makeMetrics } from '../../../../src/platform/metrics.ts';
import { systemRuntime } from '../../../../src/platform/system-runtime.ts';
import { makeTracing } from '../../../../src/platform/tracing/tracing.ts';
import type { PatientDraftQuery } from '../../../../src/ports/patient-drafts.ts';
import type { LoadedSite } from '../../../../src/ports/sites.ts';
import { makeFakeCdsFeedback } from '../../../fakes/cds-feedback.ts';
import { makeFakePeople } from '../../../fakes/people.ts';
import { makeFakeSignInAttempts } from '../../../fakes/sign-in-attempts.ts';
import { aSite } from '../../../support/chart-facts.ts';

export const ISSUER = 'https://ehr.example.org';
export const FHIR = 'https://ehr.example.org/fhir/R4';
export const PUBLIC_URL = 'https://chartwright.example.org';
export const PATIENT_VIEW = 'chartwright-drafts-patient-view';
export const DISCHARGE = 'chartwright-drafts-encounter-discharge';

type KeyKind = 'ES384' | 'RS384' | 'ES256' | 'RS256';

export function aKey(alg: KeyKind) {
  const pair = alg.startsWith('RS')
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve: alg === 'ES384' ? 'P-384' : 'P-256' });
  const kid = randomUUID();
  const jwk: JsonWebKey = { ...pair.publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' };
  return { alg, kid, jwk, ...pair };
}
export type Key = ReturnType<typeof aKey>;

export type CdsDoor = Awaited<ReturnType<typeof openCdsDoor>>;

type DoorOptions = {
  readonly drafts?: readonly PatientDraft[];
  /** Of the site mercy. */
  readonly settings?: Partial<SiteSettings>;
  /** Further sites with the same issuer, by their FHIR server. */
  readonly sisters?: Readonly<Record<string, string>>;
  readonly maxWrongKeys?: number;
};

export async function openCdsDoor({
  drafts = [],
  settings = {},
  sisters = {},
  maxWrongKeys = 1_000,
}: DoorOptions = {}) {
  const key = aKey('ES384');
  /** What the EHR publishes, and every request for it. */
  const published: { keys: JsonWebKey[]; requests: string[]; isDown: boolean } = {
    keys: [key.jwk],
    requests: [],
    isDown: false,
  };
  const ehr = await listening((req, res) => {
    published.requests.push(req.url ?? '');
    res.statusCode = published.isDown ? 503 : 200;
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: published.keys }));
  });
  const clock = { aheadMs: 0 };
  const now = () => new Date(Date.now() + clock.aheadMs);
  const cds = { issuer: ISSUER, jwksUri: `${ehr.url}/keys` };
  const siteOf = (name: string, baseUrl: string): LoadedSite => {
    const site = aSite();
    const connected = { baseUrl, auth: { type: 'none' }, maxConcurrentWrites: 2, headers: {} } as const;
    return { ...site, name, settings: { ...site.settings, ehr: connected, cds, ...settings } };
  };
  const all = [['mercy', FHIR] as const, ...Object.entries(sisters)].map(([name, url]) => siteOf(name, url));
  const sites = {
    current: () => ({
      sites: new Map(all.map((site) => [site.name, site])),
      problems: [],
      stale: new Set<string>(),
      unavailable: new Set<string>(),
    }),
  };
  const queries: PatientDraftQuery[] = [];
  const people = makeFakePeople();
  const cdsFeedback = makeFakeCdsFeedback();
  const metrics = makeMetrics();
  const logged: string[] = [];
  const logger = makeLogger({ level: 'info', destination: { write: (line: string) => void logged.push(line) } });
  const runtime = { ...systemRuntime, now };
  const app = makeApp({
    routers: {
      health: Router(),
      home: Router(),
      docs: Router(),
      ops: Router(),
      diagnose: Router(),
      transcribe: Router(),
      jobs: Router(),
      launch: Router(),
      review: Router(),
      ehr: Router(),
      signIn: Router(),
      device: Router(),
      cds: makeCdsRouter({
        sites,
        identifyEhr: makeIdentifyEhr({
          sites,
          ehrTokens: makeEhrTokens({ fetch, now }),
          signInAttempts: makeFakeSignInAttempts({ now }),
          publicUrl: PUBLIC_URL,
        }),
        answerHook: makeAnswerHook({
          patientDrafts: {
            list: async (query) => {
              queries.push(query);
              return drafts;
            },
          },
          people,
          runtime,
          publicUrl: PUBLIC_URL,
          onShown: metrics.cdsCardShown,
        }),
        takeFeedback: makeTakeFeedback({ cdsFeedback, onTaken: metrics.cdsFeedbackTaken }),
        wrongKeys: makeWrongKeyThrottle({ maxFailures: maxWrongKeys, windowSeconds: 60 }),
        logger,
      }),
    },
    corsOrigins: [],
    trustProxyHops: 0,
    metrics,
    logger,
    tracing: makeTracing(),
    monotonicMs: runtime.monotonicMs,
  });
  const engine = await listening(app);

  function jwt(claims: Readonly<Record<string, unknown>> = {}, by: { key?: Key; header?: object } = {}) {
    const { key: signing = key, header = {} } = by;
    const iat = Math.floor(now().getTime() / 1000);
    const own = {
      iss: ISSUER,
      aud: `${PUBLIC_URL}/cds-services/${PATIENT_VIEW}`,
      iat,
      exp: iat + 240,
      jti: randomUUID(),
    };
    const protectedHeader = { alg: signing.alg, kid: signing.kid, typ: 'JWT', ...header };
    return new SignJWT({ ...own, ...claims }).setProtectedHeader(protectedHeader).sign(signing.privateKey as KeyObject);
  }

  async function ask(path: string, { token, body }: { token?: string | undefined; body?: unknown } = {}) {
    const response = await fetch(`${engine.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, json };
  }

  return {
    key,
    published,
    people,
    cdsFeedback,
    metrics,
    logged,
    queries,
    clock,
    jwt,
    ask,
    /** Calls the service for patient-view with a good token, or with this one. */
    view: async (body: Readonly<Record<string, unknown>> = {}, token?: string) =>
      ask(`/cds-services/${PATIENT_VIEW}`, { token: token ?? (await jwt()), body: { ...aCall(), ...body } }),
    close: async () => {
      await Promise.all([ehr.close(), engine.close()]);
    },
  };
}

export function aCall() {
  return {
    hook: 'patient-view',
    hookInstance: randomUUID(),
    fhirServer: FHIR,
    context: { userId: 'Practitioner/7', patientId: 'p-1', encounterId: '2' },
  };
}

async function listening(handler: http.RequestListener) {
  const server = http.createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
