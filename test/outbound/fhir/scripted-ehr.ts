// A server that answers exactly as the test says, below HTTP if needed, and an Ehr that calls it.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { EhrLimits } from '../../../src/outbound/fhir/fhir-ehr.ts';
import { type EhrCallReport, type FhirEhrs, makeFhirEhrs } from '../../../src/outbound/fhir/fhir-ehrs.ts';
import type { Ehr } from '../../../src/ports/ehr.ts';
import type { EhrKnowledge } from '../../../src/ports/ehr-knowledge.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { makeFakeEhrKnowledge } from '../../fakes/ehr-knowledge.ts';
import { type FakeRuntime, makeFakeRuntime } from '../../fakes/runtime.ts';
import { aSite } from '../../support/chart-facts.ts';
import { makeLocalServers } from '../../support/local-servers.ts';

export type SeenRequest = {
  readonly method: string;
  /** The address below the base address: `Patient/1?x=y`. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type ScriptedAnswer =
  /** Takes the request, and never answers. */
  | 'hang'
  /** Takes the request, and breaks the connection. */
  | 'reset'
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** An object is sent as FHIR JSON, a text unchanged. */
      readonly body?: object | string;
      /** Sends half of the body, then breaks the connection. */
      readonly isCut?: boolean;
    };

export type ScriptedEhr = {
  readonly ehr: Ehr;
  readonly ehrs: FhirEhrs;
  readonly site: LoadedSite;
  readonly baseUrl: string;
  readonly runtime: FakeRuntime;
  readonly knowledge: EhrKnowledge;
  readonly requests: readonly SeenRequest[];
  readonly calls: readonly EhrCallReport[];
  readonly connections: () => number;
  readonly close: () => Promise<void>;
};

type Options = {
  readonly limits?: Partial<EhrLimits>;
  readonly maxConcurrentWrites?: number;
  readonly knowledge?: EhrKnowledge;
};

export async function startScriptedEhr(
  answer: (request: SeenRequest, baseUrl: string) => ScriptedAnswer | Promise<ScriptedAnswer>,
  { limits = {}, maxConcurrentWrites = 2, knowledge = makeFakeEhrKnowledge() }: Options = {},
): Promise<ScriptedEhr> {
  const servers = makeLocalServers();
  const requests: SeenRequest[] = [];
  const sockets = new Set<unknown>();
  const origin = await servers.serve(async (request, response) => {
    sockets.add(request.socket);
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const url = (request.url ?? '').replace(/^\/fhir\/?/, '');
    const body = Buffer.concat(chunks).toString();
    const seen = { method: request.method ?? '', url, headers: request.headers, body };
    requests.push(seen);
    give(response, await answer(seen, baseUrl));
  });
  const baseUrl = `${origin}/fhir`;
  const runtime = makeFakeRuntime();
  const calls: EhrCallReport[] = [];
  const ehrs = makeFhirEhrs({ knowledge, runtime, limits, onCall: (call) => calls.push(call) });
  const site = siteAt(baseUrl, maxConcurrentWrites);
  return {
    ehr: ehrs.of(site),
    ehrs,
    site,
    baseUrl,
    runtime,
    knowledge,
    requests,
    calls,
    connections: () => sockets.size,
    close: async () => {
      ehrs.close();
      await servers.close();
    },
  };
}

export function siteAt(baseUrl: string, maxConcurrentWrites = 2): LoadedSite {
  const site = aSite();
  const ehr = { baseUrl, auth: { type: 'none' }, maxConcurrentWrites, headers: {} } as const;
  return { ...site, settings: { ...site.settings, ehr } };
}

function give(response: ServerResponse, answer: ScriptedAnswer): void {
  if (answer === 'hang') return;
  if (answer === 'reset') return void response.destroy();
  const { status, headers = {}, body = '', isCut = false } = answer;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const bytes = Buffer.from(text);
  const type = text === '' ? {} : { 'content-type': 'application/fhir+json' };
  response.writeHead(status, { ...type, 'content-length': String(bytes.length), ...headers });
  if (!isCut) return void response.end(bytes);
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}

export function anOutcome(issue: object): object {
  return { resourceType: 'OperationOutcome', issue: [{ severity: 'error', ...issue }] };
}
