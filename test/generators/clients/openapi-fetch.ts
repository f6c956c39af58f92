// All six endpoints with the types of openapi-typescript and the client openapi-fetch. Its README shows how forms are sent: by a
// `bodySerializer` of the caller.
import createClient from 'openapi-fetch';
import type { components, paths } from '../generated/openapi-fetch.ts';
import { apiKey, baseUrl, dataOf, history, picture, print, recording } from './given.ts';

type DiagnosisEvent = components['schemas']['DiagnosisEvent'];

const client = createClient<paths>({ baseUrl, headers: { 'x-api-key': apiKey } });

function bodySerializer(fields: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value])
      form.append(name, one instanceof Blob ? one : String(one));
  }
  return form;
}

function lineOf(event: DiagnosisEvent): string {
  switch (event.type) {
    case 'partial':
      return `partial ${event.diagnosis?.diseases?.[0]?.name ?? ''}`;
    case 'final':
      return `final ${event.diagnosis.diseases[0]?.icd10_code} ${event.triage.triage_level}`;
    case 'error':
      return `error ${event.statusCode}`;
  }
}

const linesOf = (text: string) => dataOf(text).map((data) => lineOf(JSON.parse(data) as DiagnosisEvent));

const diagnosed = await client.POST('/diagnose', {
  body: { clinical_history: history, language: 'en', files: [picture] },
  bodySerializer,
});
const streamed = await client.POST('/diagnose/stream', {
  body: { clinical_history: history, language: 'en' },
  headers: { accept: 'text/event-stream' },
  parseAs: 'text',
});
const session = await client.POST('/diagnose/stream/files', {
  body: { clinical_history: history, files: [picture] },
  bodySerializer,
});
const prepared = await client.GET('/diagnose/stream/{sessionId}', {
  params: { path: { sessionId: session.data?.sessionId ?? '' } },
  headers: { accept: 'text/event-stream' },
  parseAs: 'text',
});
const noted = await client.POST('/transcribe', {
  params: { header: { Prefer: 'include=check' } },
  body: { note_type: 'PROGRESS_NOTE', language: 'en', file: recording },
  bodySerializer,
});
const conversed = await client.POST('/transcribe/conversation', {
  body: { language: 'en', include_timestamps: true, file: recording },
  bodySerializer,
});
const refused = await client.POST('/transcribe', {
  body: { template: 'SOAP', custom_template: '# Plan', file: recording },
  bodySerializer,
});

// A request without `Prefer: respond-async` gets no job.
const [diagnosis, note, conversation] = [diagnosed.data, noted.data, conversed.data];
if (diagnosis === undefined || !('diagnosis' in diagnosis)) throw new Error('there is no diagnosis');
if (note === undefined || !('note' in note)) throw new Error('there is no note');
if (conversation === undefined || !('conversation' in conversation)) throw new Error('there is no conversation');

print({
  diagnosis: diagnosis.diagnosis.diseases.map((disease) => disease.icd10_code),
  streamed: linesOf(String(streamed.data)),
  prepared: linesOf(String(prepared.data)),
  note: note.note.sections.map((section) => section.key),
  conversation: conversation.conversation.messages.map((message) => message.speaker_label),
  refused: refused.error ?? { statusCode: 0, message: '' },
});
