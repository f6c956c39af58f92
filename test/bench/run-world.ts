// The world around an engine, as a process of its own: an EHR with recordings, a speech recognition and a model, on 127.0.0.1. It counts its
// requests, and ends with the process that started it.
import type { IncomingMessage } from 'node:http';
import type { Encounter, Resource, ResourceType } from '@medplum/fhirtypes';
import { openSandboxEhr } from '../../src/sandbox/fhir/sandbox-ehr.ts';
import { makeAudio } from '../support/audio-samples.ts';
import { openVendors } from './run-vendors.ts';

export type WorldQuestion =
  /** Adds that many patients, each with an encounter that has ended and a recording. */
  | { readonly ask: 'admit'; readonly name: string; readonly from?: number; readonly count: number }
  | { readonly ask: 'think'; readonly thinkMs: number }
  /** From now on each request takes that much longer. */
  | { readonly ask: 'delay'; readonly delayMs: number }
  /** Returns the requests since the last such question. */
  | { readonly ask: 'requests' }
  /** Returns the kinds of the requests since the last such question, in order. */
  | { readonly ask: 'sequence' }
  /** Returns the number of documents of each type for each encounter of that name. */
  | { readonly ask: 'documents'; readonly name: string };

export type WorldAnswer =
  | { readonly baseUrl: string; readonly speechUrl: string; readonly modelUrl: string }
  | { readonly requests: readonly (readonly [what: string, count: number])[] }
  | { readonly documents: readonly (readonly [what: string, count: number])[] }
  | { readonly sequence: readonly string[] }
  | { readonly isDone: true };

const RECORDING_BYTES = 64 * 1024;
const DOCUMENTS: readonly ResourceType[] = ['Composition', 'DocumentReference', 'Condition', 'RiskAssessment'];
const AUDIO = 'audio/mpeg';

const requests = new Map<string, number>();
const sequence: string[] = [];
let delayMs = 0;

/** Notes the request, and lets it through after the delay. */
function onTheWay(what: string, go: () => void): void {
  requests.set(what, (requests.get(what) ?? 0) + 1);
  sequence.push(what);
  if (delayMs === 0) go();
  else setTimeout(go, delayMs);
}

const vendors = await openVendors(onTheWay);
const { store, baseUrl } = await openSandboxEhr({
  wrap: (listener) => (request, response) => onTheWay(kindOf(request), () => listener(request, response)),
});
const audio = Buffer.from(makeAudio('mp3', RECORDING_BYTES));
store.putBinary(
  'audio',
  AUDIO,
  async function* open() {
    yield audio;
  },
  audio.length,
);

process.on('disconnect', () => process.exit());
process.on('message', (question: WorldQuestion) => void process.send?.(answer(question)));
process.send?.({ baseUrl, speechUrl: vendors.speechUrl, modelUrl: vendors.modelUrl } satisfies WorldAnswer);

function kindOf({ method, url = '', headers }: IncomingMessage): string {
  const [path = '', query = ''] = url.slice('/fhir/R4/'.length).split('?');
  // The engine asks for the resources of a transaction; a batch of reads has them anyway.
  if (path === '' && method === 'POST')
    return `POST of a ${headers['prefer'] === undefined ? 'batch of reads' : 'transaction'}`;
  const [type = ''] = path.split('/');
  const names = [...new URLSearchParams(query).keys()].toSorted().join('&');
  return `${method} ${type}${path.includes('/') ? '/*' : ''}${names === '' ? '' : `?${names}`}`;
}

function answer(question: WorldQuestion): WorldAnswer {
  switch (question.ask) {
    case 'admit':
      for (let index = 0; index < question.count; index += 1) admit(`${question.name}-${(question.from ?? 0) + index}`);
      return { isDone: true };
    case 'think':
      vendors.think(question.thinkMs);
      return { isDone: true };
    case 'delay':
      ({ delayMs } = question);
      return { isDone: true };
    case 'requests': {
      const all = [...requests];
      requests.clear();
      return { requests: all };
    }
    case 'sequence':
      return { sequence: sequence.splice(0) };
    case 'documents':
      return { documents: [...countDocuments(question.name)] };
  }
}

function admit(id: string): void {
  const subject = { reference: `Patient/p-${id}` };
  store.put({ resourceType: 'Patient', id: `p-${id}`, birthDate: '1970-01-01', gender: 'female' });
  store.put(anEncounter(id));
  store.put({
    resourceType: 'DocumentReference',
    id: `r-${id}`,
    status: 'current',
    subject,
    date: '2026-03-02T09:00:00Z',
    content: [{ attachment: { contentType: AUDIO, url: 'Binary/audio', creation: '2026-03-02T09:00:00Z' } }],
    context: { encounter: [{ reference: `Encounter/e-${id}` }] },
  });
}

function anEncounter(id: string): Encounter {
  return {
    resourceType: 'Encounter',
    id: `e-${id}`,
    status: 'finished',
    class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
    subject: { reference: `Patient/p-${id}` },
    period: { start: '2026-03-02T09:00:00Z', end: '2026-03-02T09:20:00Z' },
  };
}

function countDocuments(name: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const type of DOCUMENTS) {
    for (const resource of store.all(type)) {
      const encounter = encounterOf(resource);
      if (!encounter?.startsWith(`Encounter/e-${name}-`) || resource.id?.startsWith('r-')) continue;
      counts.set(`${encounter} ${type}`, (counts.get(`${encounter} ${type}`) ?? 0) + 1);
    }
  }
  return counts;
}

function encounterOf(resource: Resource): string | undefined {
  if (resource.resourceType === 'DocumentReference') return resource.context?.encounter?.[0]?.reference;
  return 'encounter' in resource
    ? (resource.encounter as { readonly reference?: string } | undefined)?.reference
    : undefined;
}
