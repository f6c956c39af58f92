// All six endpoints with the client of orval that uses fetch.
import {
  connectStream,
  type DiagnosisEvent,
  diagnose,
  prepareStream,
  streamDiagnosis,
  transcribe,
  transcribeConversation,
} from '../generated/orval.ts';
import { apiKey, history, picture, print, recording } from './given.ts';

const withKey = { headers: { 'x-api-key': apiKey } } as const;

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

async function linesOf(events: AsyncIterable<DiagnosisEvent>): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const event of events) lines.push(lineOf(event));
  return lines;
}

const diagnosed = await diagnose({ clinical_history: history, language: 'en', files: [picture] }, withKey);
if (diagnosed.status !== 200) throw new Error(`diagnose: ${diagnosed.status}`);
const streamed = await linesOf(streamDiagnosis({ clinical_history: history, language: 'en' }, withKey));
const session = await prepareStream({ clinical_history: history, files: [picture] }, withKey);
if (session.status !== 201) throw new Error(`prepareStream: ${session.status}`);
const prepared = await linesOf(connectStream(session.data.sessionId, {}, withKey));
const noted = await transcribe({ note_type: 'PROGRESS_NOTE', language: 'en', file: recording }, withKey);
if (noted.status !== 200) throw new Error(`transcribe: ${noted.status}`);
const conversed = await transcribeConversation({ language: 'en', include_timestamps: true, file: recording }, withKey);
if (conversed.status !== 200) throw new Error(`transcribeConversation: ${conversed.status}`);
const refused = await transcribe({ template: 'SOAP', custom_template: '# Plan', file: recording }, withKey);
if (refused.status === 200 || refused.status === 202) throw new Error('a request with two templates was not refused');

print({
  diagnosis: diagnosed.data.diagnosis.diseases.map((disease) => disease.icd10_code),
  streamed,
  prepared,
  note: noted.data.note.sections.map((section) => section.key),
  conversation: conversed.data.conversation.messages.map((message) => message.speaker_label),
  refused: refused.data,
});
