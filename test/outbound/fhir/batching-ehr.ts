// A server with two patients and their conditions that answers single requests rightly, and batches as the test says.
import type { Bundle, Condition, Patient } from '@medplum/fhirtypes';
import type { EhrKnowledge } from '../../../src/ports/ehr-knowledge.ts';
import {
  anOutcome,
  type ScriptedAnswer,
  type ScriptedEhr,
  type SeenRequest,
  startScriptedEhr,
} from './scripted-ehr.ts';

type Entry = { readonly response: { readonly status: string; readonly outcome?: object }; readonly resource?: object };

export type BatchAnswer = (entries: readonly Entry[], urls: readonly string[]) => ScriptedAnswer;

export type BatchingEhr = ScriptedEhr & {
  /** From now on batches are answered like this. */
  readonly answerBatches: (how: BatchAnswer) => void;
  /** The urls of single requests and of batches since the last call, in order: `Patient/1`, `batch of 3`. */
  readonly asked: () => readonly string[];
};

export const PATIENT: Patient = { resourceType: 'Patient', id: '1', meta: { versionId: '3' } };
export const OTHER: Patient = { resourceType: 'Patient', id: '2', meta: { versionId: '1' } };

export const rightly: BatchAnswer = (entry) => ({
  status: 200,
  body: { resourceType: 'Bundle', type: 'batch-response', entry },
});

export function aCondition(id: string, patient = '1'): Condition {
  return { resourceType: 'Condition', id, subject: { reference: `Patient/${patient}` } };
}

type Options = {
  readonly knowledge?: EhrKnowledge;
  readonly answerSingly?: (url: string) => ScriptedAnswer | undefined;
};

export async function startBatchingEhr(options: Options = {}): Promise<BatchingEhr> {
  const { answerSingly, ...rest } = options;
  let answerBatch = rightly;
  let seen = 0;
  const single = (url: string, baseUrl: string): Exclude<ScriptedAnswer, string> => {
    const said = answerSingly?.(url);
    if (typeof said === 'object') return said;
    if (url === 'metadata') return { status: 200, body: STATEMENT };
    const found = [PATIENT, OTHER].find(({ id }) => url === `Patient/${id}`);
    if (found !== undefined) return { status: 200, body: found };
    if (url.startsWith('Condition?')) return { status: 200, body: conditionsOf(url, baseUrl) };
    if (url.startsWith('Media?')) return { status: 200, body: { resourceType: 'Bundle', type: 'searchset' } };
    return url.includes('birthdate=wrong') ? refused(400, 'invalid') : refused(404, 'not-found');
  };
  const answer = (request: SeenRequest, baseUrl: string): ScriptedAnswer => {
    if (request.method === 'GET') return answerSingly?.(request.url) ?? single(request.url, baseUrl);
    const urls = urlsOf(request.body);
    const entries = urls.map((url): Entry => {
      const { status, body } = single(url, baseUrl);
      const content = typeof body === 'object' ? body : undefined;
      return status >= 400
        ? { response: { status: String(status), ...(content && { outcome: content }) } }
        : { response: { status: `${status} OK` }, ...(content && { resource: content }) };
    });
    return answerBatch(entries, urls);
  };
  const server = await startScriptedEhr(answer, rest);
  return {
    ...server,
    answerBatches: (how) => {
      answerBatch = how;
    },
    asked: () => {
      const fresh = server.requests.slice(seen);
      seen = server.requests.length;
      return fresh.map(({ method, url, body }) => (method === 'GET' ? url : `batch of ${urlsOf(body).length}`));
    },
  };
}

const STATEMENT = {
  resourceType: 'CapabilityStatement',
  software: { name: 'Scripted', version: '1' },
  rest: [
    {
      mode: 'server',
      resource: ['Patient', 'Condition', 'Media'].map((type) => ({
        type,
        interaction: [{ code: 'read' }, { code: 'search-type' }],
      })),
    },
  ],
};

function urlsOf(body: string): readonly string[] {
  const { entry = [] } = JSON.parse(body) as Bundle;
  return entry.map(({ request }) => request?.url ?? '');
}

/** Patient 1 has two conditions, on two pages; patient 2 has one. */
function conditionsOf(url: string, baseUrl: string): Bundle {
  const query = new URLSearchParams(url.slice('Condition?'.length));
  const isSecond = query.get('page') === '2';
  const patient = query.get('patient') ?? '';
  const ids = patient.endsWith('/1') ? [isSecond ? 'b' : 'a'] : ['c'];
  const next = { relation: 'next', url: `${baseUrl}/${url}&page=2` };
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    ...(patient.endsWith('/1') && !isSecond && { link: [next] }),
    entry: ids.map((id) => ({ resource: aCondition(id, patient.split('/')[1]) })),
  };
}

function refused(status: number, code: string): Exclude<ScriptedAnswer, string> {
  return { status, body: anOutcome({ code }) };
}
