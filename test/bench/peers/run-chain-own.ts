// The steps by the engine's own outlets, mappings and checks: the cost of a run without the rest of the engine.
import type { Bundle, Device, Resource, ResourceType } from '@medplum/fhirtypes';
import type { ChartFacts } from '../../../src/domain/chart/chart.ts';
import { mapChart } from '../../../src/flows/chart-writing/map-chart.ts';
import { makeDeepgramSpeech, parseDeepgramModels } from '../../../src/outbound/deepgram/deepgram-speech.ts';
import { makeFhirEhrs } from '../../../src/outbound/fhir/fhir-ehrs.ts';
import { makeOpenAiReasoner } from '../../../src/outbound/openai/openai-reasoner.ts';
import { makeHttpFetch } from '../../../src/platform/http-fetch.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import type { EhrKnowledge } from '../../../src/ports/ehr-knowledge.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { openValidator } from '../../../src/validation/open-validator.ts';
import { type ChainSteps, type Documented, deviceBundle, type MadeDocuments } from './run-chain-steps.ts';

type Addresses = { readonly ehrUrl: string; readonly speechUrl: string; readonly modelUrl: string };

const NEVER = new AbortController().signal;
const NOTHING_LEARNED: EhrKnowledge = { recall: async () => [], learn: async () => undefined, forget: async () => 0 };
const MODEL = 'gpt-5.4';
const SPEECH = 'nova-3-medical,nova-3';
const TIMEOUTS = { firstByteMs: 60_000, idleMs: 60_000, totalMs: 180_000 };
const MANY = 50;

export function makeOwnSteps(base: LoadedSite, { ehrUrl, speechUrl, modelUrl }: Addresses): ChainSteps {
  const address = { baseUrl: ehrUrl, auth: { type: 'none' }, maxConcurrentWrites: 20, headers: {} } as const;
  const site: LoadedSite = { ...base, name: 'mercy', settings: { ...base.settings, ehr: address } };
  const ehr = makeFhirEhrs({ knowledge: NOTHING_LEARNED, runtime: systemRuntime }).of(site);
  const speech = makeDeepgramSpeech({
    baseUrl: speechUrl,
    models: parseDeepgramModels(SPEECH),
    baseTimeoutMs: 60_000,
    fetch: makeHttpFetch(),
  });
  const reasoner = makeOpenAiReasoner({ baseUrl: modelUrl, model: MODEL, timeouts: TIMEOUTS, fetch: makeHttpFetch() });
  const validator = openValidator();
  const transact: ChainSteps['transact'] = async (bundle) => {
    const answer = await ehr.withWriteSlot(() => ehr.transact(bundle, NEVER), NEVER);
    if (answer.kind !== 'stored') throw new Error(`the transaction: ${answer.kind}`);
    return answer.entries.map(({ reference }) => reference);
  };
  return {
    transact,
    read: async <T extends Resource>(reference: string) => {
      const stored = await ehr.read(reference, NEVER);
      if (stored === undefined) throw new Error(`${reference} is not there`);
      return stored.resource as T;
    },
    search: async (query) => {
      const [type = '', text = ''] = query.split('?');
      const { _count: _, ...parameters } = Object.fromEntries(new URLSearchParams(text));
      return (await ehr.search({ type: type as ResourceType, parameters, maxResources: MANY }, NEVER)).resources;
    },
    transcribe: (url) => {
      const source = {
        reference: 'DocumentReference/1',
        contentType: 'audio/mpeg',
        bytes: { kind: 'link', url },
      } as const;
      const open = () => ehr.openRecording(source, NEVER);
      const recording = { type: 'audio/mpeg', sizeBytes: undefined, isReopenable: true, open } as const;
      return speech.transcribe({ recording, language: 'en' }, NEVER);
    },
    writeNote: async (transcript, template) => {
      const answer = await reasoner.writeNote({ transcript, template, language: 'en' }, NEVER);
      if (!answer.isMedical) throw new Error('the talk was to be medical');
      return answer;
    },
    diagnose: (clinicalHistory) => reasoner.diagnose({ clinicalHistory, attachments: [], language: 'en' }, NEVER),
    makeDocuments: async (documented): Promise<MadeDocuments> => {
      const { documents } = mapChart({ site, facts: factsOf(documented), takesType: () => true });
      const resources = documents.map(({ resource }) => resource);
      const fullUrls = documents.map(({ fullUrl }) => fullUrl);
      const problems = await validator.validate(resources, NEVER, { fullUrls });
      if (problems.some(({ severity }) => severity === 'error')) throw new Error('what was mapped may not leave');
      const device = documents.find(({ document }) => document === 'device')?.fullUrl ?? '';
      const entry = documents.flatMap(({ document, fullUrl, resource }) =>
        document === 'device'
          ? []
          : [{ fullUrl, resource, request: { method: 'POST' as const, url: resource.resourceType } }],
      );
      const bundle = JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry } satisfies Bundle);
      return {
        queries: queriesOf(documents),
        bundle: bundle.replaceAll(device, documented.device),
        kept: documents.map(({ document, fullUrl, resource }) => ({ document, fullUrl, resource })),
      };
    },
    makeDevice: async () => {
      const device: Device = {
        resourceType: 'Device',
        status: 'active',
        deviceName: [{ name: MODEL, type: 'model-name' }],
      };
      const [made = ''] = await transact(deviceBundle(device));
      return made;
    },
  };
}

type Named = {
  readonly document: string;
  readonly resource: Resource;
  readonly identity: { readonly system: string; readonly value: string };
};

function queriesOf(documents: readonly Named[]): readonly string[] {
  const written = documents.filter(({ document }) => document !== 'device');
  return [...Map.groupBy(written, ({ resource }) => resource.resourceType)].map(([type, ofType]) => {
    const names = ofType.map(({ identity }) => encodeURIComponent(`${identity.system}|${identity.value}`)).join(',');
    return `${type}?${type === 'Provenance' ? '_tag' : 'identifier'}=${names}`;
  });
}

function factsOf({ event, encounter, patient, recording, transcript, note, diagnosis, time }: Documented): ChartFacts {
  return {
    language: 'en',
    noteType: 'PROGRESS_NOTE',
    template: 'SOAP',
    note,
    diagnosis,
    transcript,
    recordings: [
      {
        reference: recording,
        contentType: 'audio/mpeg',
        ...(encounter.period?.start && { start: encounter.period.start }),
      },
    ],
    encounter,
    patient,
    session: { key: `s-${event}` },
    run: {
      id: event,
      time,
      status: 'preliminary',
      engine: { name: 'chain', version: '1' },
      model: { name: MODEL, kind: 'model', manufacturer: 'openai' },
    },
  };
}
