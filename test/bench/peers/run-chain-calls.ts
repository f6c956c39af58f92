// The steps with plain fetch and unchecked JSON.
import type { Bundle } from '@medplum/fhirtypes';
import type { Diagnosis } from '../../../src/domain/diagnosis/diagnosis.ts';
import type { WrittenNote } from '../../../src/domain/note/note.ts';
import type { Template } from '../../../src/domain/note/template.ts';
import type { Transcript } from '../../../src/domain/recording/transcript.ts';
import { askForDiagnosis } from '../../../src/outbound/openai/diagnosis-prompt.ts';
import { askForNote } from '../../../src/outbound/openai/note-prompt.ts';
import type { Question } from '../../../src/outbound/openai/question.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { DEVICE, handWritten } from './run-chain-documents.ts';
import { type ChainSteps, deviceBundle } from './run-chain-steps.ts';

const MODEL = 'gpt-5.4';
const FHIR_JSON = 'application/fhir+json';

type Addresses = { readonly ehrUrl: string; readonly speechUrl: string; readonly modelUrl: string };

export function makeBareSteps({ codes }: LoadedSite, { ehrUrl, speechUrl, modelUrl }: Addresses): ChainSteps {
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${ehrUrl}/${path}`, { headers: { accept: FHIR_JSON } });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return (await response.json()) as T;
  };
  const transact: ChainSteps['transact'] = async (bundle) => {
    const headers = { 'content-type': FHIR_JSON, accept: FHIR_JSON };
    const response = await fetch(ehrUrl, { method: 'POST', headers, body: bundle });
    if (!response.ok) throw new Error(`the transaction: ${response.status}`);
    const { entry = [] } = (await response.json()) as Bundle;
    return entry.map((one) => one.response?.location?.match(/[A-Z]\w+\/[^/]+/)?.[0] ?? '');
  };
  return {
    transact,
    read: (reference) => get(reference),
    search: async (query) => {
      const { entry = [] } = await get<Bundle>(query);
      return entry.flatMap(({ resource }) => resource ?? []);
    },
    transcribe: async (url) => {
      const response = await fetch(`${ehrUrl}/${url}`);
      if (!response.ok) throw new Error(`${url}: ${response.status}`);
      return transcribe(speechUrl, new Uint8Array(await response.arrayBuffer()));
    },
    writeNote: (transcript, template) => writeNote(modelUrl, transcript, template),
    diagnose: (history) => diagnose(modelUrl, history),
    makeDocuments: handWritten(codes),
    makeDevice: async () => (await transact(deviceBundle(DEVICE)))[0] ?? '',
  };
}

type RecordedCall = {
  readonly metadata: { readonly duration: number };
  readonly results: {
    readonly utterances: readonly {
      readonly start: number;
      readonly end: number;
      readonly confidence: number;
      readonly transcript: string;
      readonly speaker: number;
    }[];
  };
};

async function transcribe(speechUrl: string, audio: Uint8Array<ArrayBuffer>): Promise<Transcript> {
  const wanted = new URLSearchParams({
    model: 'nova-3-medical',
    language: 'en',
    diarize: 'true',
    utterances: 'true',
    punctuate: 'true',
  });
  const headers = { 'content-type': 'audio/mpeg' };
  const response = await fetch(`${speechUrl}/v1/listen?${wanted}`, { method: 'POST', headers, body: audio });
  if (!response.ok) throw new Error(`speech: ${response.status}`);
  const { metadata, results } = (await response.json()) as RecordedCall;
  const speakers = [...new Set(results.utterances.map(({ speaker }) => speaker))];
  return {
    language: 'en',
    durationSeconds: metadata.duration,
    utterances: results.utterances.map(({ start, end, confidence, transcript, speaker }) => ({
      speaker: speakers.indexOf(speaker),
      text: transcript,
      startSeconds: start,
      endSeconds: end,
      confidence,
    })),
  };
}

/** The prompts are the engine's, so that requests have the same size. */
async function writeNote(modelUrl: string, transcript: Transcript, template: Template): Promise<WrittenNote> {
  const answer = await ask(modelUrl, askForNote({ transcript, template, language: 'en' }));
  const { title, sections } = answer as {
    readonly title: string;
    readonly sections: readonly { readonly key: string; readonly text: string }[];
  };
  const texts = new Map(sections.map(({ key, text }) => [key, text]));
  return {
    note: {
      title,
      sections: template.sections.map(({ key, title: named }) => ({ key, title: named, text: texts.get(key) ?? '' })),
    },
  };
}

async function diagnose(modelUrl: string, clinicalHistory: string): Promise<Diagnosis> {
  return (await ask(modelUrl, askForDiagnosis({ clinicalHistory, attachments: [], language: 'en' }))) as Diagnosis;
}

async function ask(modelUrl: string, { messages, schemaName, schema }: Question): Promise<unknown> {
  const response_format = { type: 'json_schema', json_schema: { name: schemaName, strict: true, schema } };
  const response = await fetch(`${modelUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages, stream: false, response_format }),
  });
  if (!response.ok) throw new Error(`the model: ${response.status}`);
  const answer = (await response.json()) as {
    readonly choices: readonly { readonly message: { readonly content: string } }[];
  };
  return JSON.parse(answer.choices[0]?.message.content ?? '');
}
