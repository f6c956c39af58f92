// OpenAPI endpoints of the service interface (docs/service-interface.md).
import { z } from 'zod';
import { type AttachmentLimits, DIAGNOSE_LIMITS, STREAM_FILES_LIMITS } from '../../../domain/diagnosis/attachment.ts';
import { diagnosisResponse, exampleDiagnosis } from '../../../wire/diagnosis.ts';
import {
  exampleCheckedNote,
  exampleConversation,
  exampleCustomNote,
  exampleHistory,
  exampleNote,
  examplePartial,
  exampleSession,
} from '../api/examples.ts';
import { conversationResponse, diagnosisEvent, noteResponse, streamSessionResponse } from '../api/response-schemas.ts';
import { conversationFields, diagnoseFields, streamBody, transcribeFields } from '../api/schemas.ts';
import { MEBIBYTE } from '../body/sizes.ts';
import type { Endpoints } from './openapi-endpoints.ts';
import { body, bytes, examplesOf, json, limited, limitedHeaders } from './openapi-parts.ts';

const audioFile = bytes(
  'Audio (MP3, MP4, WAV, WebM, Ogg, FLAC or AAC), at most 100 MB. Send it after the other fields: it is then forwarded while it arrives.',
);

function attachments({ maxFiles, maxFileBytes }: AttachmentLimits) {
  const each = `${maxFileBytes / MEBIBYTE} MB`;
  return z
    .array(bytes(`At most ${each}.`))
    .max(maxFiles)
    .optional()
    .meta({
      description: `JPEG, PNG, WEBP, GIF or PDF, at most ${maxFiles} of ${each} each; required when clinical_history is absent.`,
      // Without this, Swagger UI invents an example.
      examples: [[]],
    });
}

const diagnoseForm = diagnoseFields.extend({ files: attachments(DIAGNOSE_LIMITS) }).meta({ id: 'DiagnosisForm' });
const prepareForm = diagnoseFields
  .extend({ files: attachments(STREAM_FILES_LIMITS) })
  .meta({ id: 'StreamPreparationForm' });
const transcribeForm = transcribeFields.extend({ file: audioFile }).meta({ id: 'TranscriptionForm' });
const conversationForm = conversationFields.extend({ file: audioFile }).meta({ id: 'ConversationForm' });

const preferHeader = z.object({
  Prefer: z
    .string()
    .optional()
    .meta({
      description: 'RFC 7240. `include=check` asks for the member `check`; other preferences are ignored.',
      examples: ['include=check'],
    }),
});
const checkedHeaders = limitedHeaders.extend({
  'x-chartwright-check': z.string().meta({
    description: 'How many statements of the note the recording supports, does not support, and contradicts.',
    examples: ['supported=12, unsupported=1, contradicted=0'],
  }),
  'Preference-Applied': z.string().optional().meta({ description: '`include=check` if it was asked for.' }),
});

/** The schema is that of the data of one event, as generators of clients expect it; so are the examples. */
const eventStream = {
  'text/event-stream': {
    schema: diagnosisEvent,
    examples: examplesOf({
      'a partial event': { type: 'partial', ...examplePartial },
      'the final event': { type: 'final', ...exampleDiagnosis },
      'an error event': { type: 'error', statusCode: 500, message: 'The diagnosis could not be completed' },
    }),
  },
};

const DIAGNOSIS_FAILURES = ['badDiagnosis', 'unauthorized', 'rateLimited', 'internal'] as const;

const diagnosis = { tags: ['Diagnosis'], security: [{ apiKey: [] }] };
const transcription = { tags: ['Transcription'], security: [{ apiKey: [] }] };

const exampleRequest = { clinical_history: exampleHistory, language: 'en' };

const TRANSCRIPTION_FAILURES = [
  'badAudio',
  'unauthorized',
  'quota',
  'tooLarge',
  'unsupported',
  'rateLimited',
  'internal',
  'unavailable',
] as const;

export const clientEndpoints: Endpoints = {
  'POST /diagnose': {
    ...diagnosis,
    operationId: 'diagnose',
    summary: 'Get a differential diagnosis and triage in one answer',
    description:
      'At least one of `clinical_history` and `files` is required. Text without files can also be sent as JSON, with the same fields; only the form is described below, because generators of clients take one of two bodies and lose the other.',
    command: `curl {server}/diagnose -H "x-api-key: $KEY" \\\n  -F 'clinical_history=${exampleHistory}' -F language=en`,
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': { schema: diagnoseForm, example: exampleRequest },
      },
    },
    responses: {
      200: limited('The complete diagnosis.', json(diagnosisResponse, { 'urgent chest pain': exampleDiagnosis })),
    },
    failures: DIAGNOSIS_FAILURES,
  },
  'POST /diagnose/stream': {
    ...diagnosis,
    operationId: 'streamDiagnosis',
    summary: 'Stream a differential diagnosis from text',
    description: 'Send `Accept: text/event-stream`. The answer is a stream of Server-Sent Events.',
    command: `curl -N {server}/diagnose/stream -H "x-api-key: $KEY" -H 'Accept: text/event-stream' \\\n  -H 'Content-Type: application/json' -d '${JSON.stringify(exampleRequest)}'`,
    requestBody: body(streamBody, { 'a history': exampleRequest }),
    responses: { 201: limited('The stream is open.', eventStream) },
    failures: DIAGNOSIS_FAILURES,
  },
  'POST /diagnose/stream/files': {
    ...diagnosis,
    operationId: 'prepareStream',
    summary: 'Prepare a diagnosis stream with files',
    description: 'Stores the request for 10 minutes and one connection with the same key. Open `streamUrl` next.',
    command: `curl {server}/diagnose/stream/files -H "x-api-key: $KEY" \\\n  -F 'clinical_history=${exampleHistory}' -F files=@ecg.png`,
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': { schema: prepareForm, example: exampleRequest },
      },
    },
    responses: {
      201: limited('The stream session is prepared.', json(streamSessionResponse, { prepared: exampleSession })),
    },
    failures: DIAGNOSIS_FAILURES,
  },
  'GET /diagnose/stream/{sessionId}': {
    ...diagnosis,
    operationId: 'connectStream',
    summary: 'Open a prepared stream',
    description:
      'Send `Accept: text/event-stream` and the key that prepared the session. A session is valid for one connection; it is used up when the headers of the answer are sent.',
    command: `curl -N {server}${exampleSession.streamUrl} -H "x-api-key: $KEY" -H 'Accept: text/event-stream'`,
    requestParams: {
      path: z.object({
        sessionId: z
          .string()
          .meta({ description: 'The `sessionId` from the preparation.', examples: [exampleSession.sessionId] }),
      }),
    },
    responses: { 200: limited('The stream is open.', eventStream) },
    failures: ['badConnection', 'otherKey', 'noSession', 'rateLimited', 'internal'],
  },
  'POST /transcribe': {
    ...transcription,
    operationId: 'transcribe',
    summary: 'Turn a recording into a clinical note',
    description:
      'The sections come from `custom_template`, or from the template that `template` or `note_type` names (default: SOAP). The note is compared with the recording; a note with a drug, a dose or an allergy that was not said is asked for once more.',
    command: `curl {server}/transcribe -H "x-api-key: $KEY" \\\n  -F note_type=PROGRESS_NOTE -F language=en -F file=@visit.wav`,
    requestParams: { header: preferHeader },
    requestBody: { required: true, content: { 'multipart/form-data': { schema: transcribeForm } } },
    responses: {
      200: {
        ...limited(
          'The note.',
          json(noteResponse, {
            'a SOAP note': exampleNote,
            'a custom template': exampleCustomNote,
            'a note with its check': exampleCheckedNote,
          }),
        ),
        headers: checkedHeaders,
      },
    },
    failures: TRANSCRIPTION_FAILURES,
  },
  'POST /transcribe/conversation': {
    ...transcription,
    operationId: 'transcribeConversation',
    summary: 'Turn a recording into messages with speakers',
    description: 'Speakers are numbered; the answer does not say which of them is the clinician.',
    command: `curl {server}/transcribe/conversation -H "x-api-key: $KEY" \\\n  -F language=en -F include_timestamps=true -F file=@visit.wav`,
    requestBody: { required: true, content: { 'multipart/form-data': { schema: conversationForm } } },
    responses: {
      200: limited('The conversation.', json(conversationResponse, { 'two speakers': exampleConversation })),
    },
    failures: TRANSCRIPTION_FAILURES,
  },
};
