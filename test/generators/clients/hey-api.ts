// All six endpoints with the client of @hey-api/openapi-ts.
import { client } from '../generated/hey-api/client.gen.ts';
import {
  connectStream,
  diagnose,
  prepareStream,
  streamDiagnosis,
  transcribe,
  transcribeConversation,
} from '../generated/hey-api/sdk.gen.ts';
import type { DiagnosisEvent } from '../generated/hey-api/types.gen.ts';
import { apiKey, baseUrl, history, picture, print, recording } from './given.ts';

client.setConfig({ baseUrl, auth: () => apiKey });

/** Without a limit this client asks again without end for a stream that was refused. */
const once = { sseMaxRetryAttempts: 1 } as const;

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

const diagnosed = await diagnose({ body: { clinical_history: history, language: 'en', files: [picture] } });
const { stream: streamed } = await streamDiagnosis({ body: { clinical_history: history, language: 'en' }, ...once });
const streamedLines = await linesOf(streamed);
const session = await prepareStream({ body: { clinical_history: history, files: [picture] } });
const { stream: prepared } = await connectStream({ path: { sessionId: session.data?.sessionId ?? '' }, ...once });
const preparedLines = await linesOf(prepared);
const noted = await transcribe({
  body: { note_type: 'PROGRESS_NOTE', language: 'en', file: recording },
  headers: { Prefer: 'include=check' },
});
const conversed = await transcribeConversation({
  body: { language: 'en', include_timestamps: true, file: recording },
});
const refused = await transcribe({ body: { template: 'SOAP', custom_template: '# Plan', file: recording } });

// A request without `Prefer: respond-async` gets no job.
const [diagnosis, note, conversation] = [diagnosed.data, noted.data, conversed.data];
if (diagnosis === undefined || !('diagnosis' in diagnosis)) throw new Error('there is no diagnosis');
if (note === undefined || !('note' in note)) throw new Error('there is no note');
if (conversation === undefined || !('conversation' in conversation)) throw new Error('there is no conversation');

print({
  diagnosis: diagnosis.diagnosis.diseases.map((disease) => disease.icd10_code),
  streamed: streamedLines,
  prepared: preparedLines,
  note: note.note.sections.map((section) => section.key),
  conversation: conversation.conversation.messages.map((message) => message.speaker_label),
  refused: refused.error ?? { statusCode: 0, message: '' },
});
