import { makeFhirEhrs } from '../../../src/outbound/fhir/fhir-ehrs.ts';
import type { Fault } from '../../../src/sandbox/faults/faults.ts';
import { describeEhrInTrouble, type Trouble } from '../../contracts/ehr-trouble-contract.ts';
import { makeFakeEhrKnowledge } from '../../fakes/ehr-knowledge.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';
import { startSandboxEhr } from '../../support/sandbox-ehr.ts';
import { type ScriptedAnswer, type SeenRequest, startScriptedEhr } from './scripted-ehr.ts';

const stored = { status: 201, headers: { location: 'Condition/1/_history/1', etag: 'W/"1"' } };
const ANSWERS: Readonly<Record<Trouble, ScriptedAnswer>> = {
  reset: 'reset',
  'stored-reset': 'reset',
  hang: 'hang',
  'stored-cut': { ...stored, body: { resourceType: 'Condition', id: '1', meta: { versionId: '1' } }, isCut: true },
  'refused-login': { status: 401 },
  'too-many': { status: 429, headers: { 'retry-after': '2' } },
  500: { status: 500 },
  502: { status: 502, body: '<html>', headers: { 'content-type': 'text/html' } },
  503: { status: 503 },
};
const healthy = ({ method }: SeenRequest): ScriptedAnswer =>
  method === 'GET' ? { status: 200, body: { resourceType: 'Patient', id: 'p-1', meta: { versionId: '1' } } } : stored;

describeEhrInTrouble('The adapter at a server that does as it is told', async (limits = {}) => {
  let [illness, left]: [Trouble | undefined, number] = [undefined, 0];
  const server = await startScriptedEhr(
    (request) => {
      if (illness === undefined || left === 0) return healthy(request);
      left -= 1;
      return ANSWERS[illness];
    },
    { limits },
  );
  return {
    ehr: server.ehr,
    fallIll: (trouble, times = Number.POSITIVE_INFINITY) => {
      [illness, left] = [trouble, times];
    },
    getWell: () => {
      illness = undefined;
    },
    requests: () => server.requests.length,
    pauses: () => server.runtime.pauses,
    advance: server.runtime.advance,
    close: server.close,
  };
});

const FAULTS: Readonly<Record<Trouble, Fault>> = {
  reset: { mode: 'down' },
  'stored-reset': { mode: 'lost-answer', how: 'reset', isStored: true },
  hang: { mode: 'lost-answer', how: 'hang', isStored: false },
  'stored-cut': { mode: 'lost-answer', how: 'cut', isStored: true },
  'refused-login': { mode: 'unauthorized' },
  'too-many': { mode: 'too-many-requests', seconds: 2 },
  500: { mode: 'server-errors', status: 500 },
  502: { mode: 'server-errors', status: 502 },
  503: { mode: 'server-errors', status: 503 },
};

describeEhrInTrouble('The adapter at the sandbox’s server', async (limits = {}) => {
  const server = await startSandboxEhr();
  const runtime = makeFakeRuntime();
  const ehrs = makeFhirEhrs({ knowledge: makeFakeEhrKnowledge(), runtime, limits });
  return {
    ehr: ehrs.of(server.site),
    fallIll: (trouble, times) => server.faults.set([{ ...FAULTS[trouble], ...(times !== undefined && { times }) }]),
    getWell: server.faults.clear,
    requests: () => server.faults.seen.length,
    pauses: () => runtime.pauses,
    advance: runtime.advance,
    close: async () => {
      ehrs.close();
      await server.close();
    },
  };
});
