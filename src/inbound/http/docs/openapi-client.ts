// OpenAPI endpoints of the service interface (docs/service-interface.md).
import { z } from 'zod';
import type { ZodOpenApiContentObject } from 'zod-openapi';
import { type AttachmentLimits, DIAGNOSE_LIMITS, STREAM_FILES_LIMITS } from '../../../domain/diagnosis/attachment.ts';
import { diagnosisResponse, exampleDiagnosis } from '../../../wire/diagnosis.ts';
import {
  exampleCheckedNote,
  exampleConversation,
  exampleCustomNote,
  exampleDoneJob,
  exampleHistory,
  exampleJob,
  exampleNote,
  examplePartial,
  exampleSession,
} from '../api/examples.ts';
import {
  conversationResponse,
  diagnosisEvent,
  jobResponse,
  noteResponse,
  streamSessionResponse,
} from '../api/response-schemas.ts';
import { conversationFields, diagnoseFields, streamBody, transcribeFields } from '../api/schemas.ts';
import { MEBIBYTE } from '../body/sizes.ts';
import type { Endpoints } from './openapi-endpoints.ts';
import { answerHeaders, body, bytes, examplesOf, json, limited, limitedHeaders } from './openapi-parts.ts';

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

const idempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .max(255)
    .optional()
    .meta({
      description:
        'A key of your own for this request, such as a UUID, with or without quotes. The same request with the same key within 24 hours gets the first answer; while the first is worked on, it waits.',
      examples: ['8e03978e-40d5-43dd-bc93-6894a57f9324'],
    }),
});
const respondAsync = '`respond-async` (RFC 7240): the answer is 202 with a job, and the work is done later.';
const callbackHeader = {
  'Callback-Url': z
    .string()
    .max(2000)
    .optional()
    .meta({
      description:
        'With `respond-async`: the address to call when the job has ended, at an origin that the operator has allowed for the key. The call is signed as Standard Webhooks has it, and holds no clinical content.',
      examples: ['https://clinic.example.org/hooks/charts'],
    }),
};
const preferHeader = idempotencyHeader.extend({
  ...callbackHeader,
  Prefer: z
    .string()
    .optional()
    .meta({
      description: `\`include=check\` asks for the member \`check\`. ${respondAsync} Other preferences are ignored.`,
      examples: ['include=check', 'respond-async'],
    }),
});
const laterHeader = idempotencyHeader.extend({
  ...callbackHeader,
  Prefer: z
    .string()
    .optional()
    .meta({ description: respondAsync, examples: ['respond-async'] }),
});
const keyedHeaders = limitedHeaders.extend({
  'Idempotent-Replayed': z
    .string()
    .optional()
    .meta({ description: '`true` if this is the answer to an earlier request with the same Idempotency-Key.' }),
});

/** A success of an endpoint that takes an Idempotency-Key. */
function keyed(description: string, content: ZodOpenApiContentObject) {
  return { description, headers: keyedHeaders, content };
}

const checkedHeaders = keyedHeaders.extend({
  'x-chartwright-check': z.string().meta({
    description: 'How many statements of the note the recording supports, does not support, and contradicts.',
    examples: ['supported=12, unsupported=1, contradicted=0, misplaced=0, conflict=0'],
  }),
  'Preference-Applied': z.string().optional().meta({ description: '`include=check` if it was asked for.' }),
});

/** The answer to `Prefer: respond-async`. */
const accepted = {
  description: 'The request is stored, and its job is queued. Only with `Prefer: respond-async`.',
  headers: keyedHeaders.extend({
    Location: z.string().meta({ description: 'The address of the job.', examples: [exampleJob.url] }),
    'Preference-Applied': z.string().meta({ description: '`respond-async`' }),
    'Retry-After': z.string().meta({ description: 'Seconds after which to look.' }),
  }),
  content: json(jobResponse, { queued: exampleJob }),
};
const jobId = z.object({
  id: z.uuid().meta({ description: 'The `id` of the job.', examples: [exampleJob.id] }),
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

const DIAGNOSIS_FAILURES = ['badDiagnosis', 'unauthorized', 'keyReused', 'rateLimited', 'internal'] as const;

const diagnosis = { tags: ['Diagnosis'], security: [{ apiKey: [] }] };
const jobs = { tags: ['Jobs'], security: [{ apiKey: [] }] };
const transcription = { tags: ['Transcription'], security: [{ apiKey: [] }] };

const exampleRequest = { clinical_history: exampleHistory, language: 'en' };

const TRANSCRIPTION_FAILURES = [
  'badAudio',
  'unauthorized',
  'quota',
  'tooLarge',
  'unsupported',
  'keyReused',
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
    requestParams: { header: laterHeader },
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': { schema: diagnoseForm, example: exampleRequest },
      },
    },
    responses: {
      200: keyed('The complete diagnosis.', json(diagnosisResponse, { 'urgent chest pain': exampleDiagnosis })),
      202: accepted,
    },
    failures: DIAGNOSIS_FAILURES,
  },
  'POST /diagnose/stream': {
    ...diagnosis,
    operationId: 'streamDiagnosis',
    summary: 'Stream a differential diagnosis from text',
    description: 'Send `Accept: text/event-stream`. The answer is a stream of Server-Sent Events.',
    command: `curl -N {server}/diagnose/stream -H "x-api-key: $KEY" -H 'Accept: text/event-stream' \\\n  -H 'Content-Type: application/json' -d '${JSON.stringify(exampleRequest)}'`,
    requestParams: { header: idempotencyHeader },
    requestBody: body(streamBody, { 'a history': exampleRequest }),
    responses: { 201: keyed('The stream is open.', eventStream) },
    failures: DIAGNOSIS_FAILURES,
  },
  'POST /diagnose/stream/files': {
    ...diagnosis,
    operationId: 'prepareStream',
    summary: 'Prepare a diagnosis stream with files',
    description:
      'Stores the request for 10 minutes and one connection. Open `streamUrl` next, with the same key; or `eventSourceUrl`, without it, as the `EventSource` of a browser does.',
    command: `curl {server}/diagnose/stream/files -H "x-api-key: $KEY" \\\n  -F 'clinical_history=${exampleHistory}' -F files=@ecg.png`,
    requestParams: { header: idempotencyHeader },
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': { schema: prepareForm, example: exampleRequest },
      },
    },
    responses: {
      201: keyed('The stream session is prepared.', json(streamSessionResponse, { prepared: exampleSession })),
    },
    failures: DIAGNOSIS_FAILURES,
  },
  'GET /diagnose/stream/{sessionId}': {
    ...diagnosis,
    // With the ticket no key is needed. It is no security scheme: generated clients would put the API key into the address.
    security: [{ apiKey: [] }, {}],
    operationId: 'connectStream',
    summary: 'Open a prepared stream',
    description:
      'Send `Accept: text/event-stream` and the key that prepared the session, or its ticket. A session is valid for one connection; it is used up when the headers of the answer are sent. Opened again it answers 404, which ends an `EventSource`.',
    command: `curl -N {server}${exampleSession.streamUrl} -H "x-api-key: $KEY" -H 'Accept: text/event-stream'`,
    requestParams: {
      path: z.object({
        sessionId: z
          .string()
          .meta({ description: 'The `sessionId` from the preparation.', examples: [exampleSession.sessionId] }),
      }),
      query: z.object({
        ticket: z
          .string()
          .optional()
          .meta({
            description: 'From `eventSourceUrl`, instead of the key.',
            examples: ['EXAMPLE-NOT-A-TICKET'],
          }),
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
        ...keyed(
          'The note.',
          json(noteResponse, {
            'a SOAP note': exampleNote,
            'a custom template': exampleCustomNote,
            'a note with its check': exampleCheckedNote,
          }),
        ),
        headers: checkedHeaders,
      },
      202: accepted,
    },
    failures: TRANSCRIPTION_FAILURES,
  },
  'POST /transcribe/conversation': {
    ...transcription,
    operationId: 'transcribeConversation',
    summary: 'Turn a recording into messages with speakers',
    description: 'Speakers are numbered; the answer does not say which of them is the clinician.',
    command: `curl {server}/transcribe/conversation -H "x-api-key: $KEY" \\\n  -F language=en -F include_timestamps=true -F file=@visit.wav`,
    requestParams: { header: laterHeader },
    requestBody: { required: true, content: { 'multipart/form-data': { schema: conversationForm } } },
    responses: {
      200: keyed('The conversation.', json(conversationResponse, { 'two speakers': exampleConversation })),
      202: accepted,
    },
    failures: TRANSCRIPTION_FAILURES,
  },
  'GET /jobs/{id}': {
    ...jobs,
    operationId: 'getJob',
    summary: 'Get a job and, when it has ended, its result',
    description:
      'With the key that made the job. The result is kept, encrypted, for 24 hours after the end. Looking does not count for the plan.',
    command: `curl {server}${exampleJob.url} -H "x-api-key: $KEY"`,
    requestParams: { path: jobId },
    responses: {
      200: {
        description: 'The job.',
        headers: answerHeaders.extend({
          'Retry-After': z
            .string()
            .optional()
            .meta({ description: 'Seconds after which to look again, until it has ended.' }),
        }),
        content: json(jobResponse, { queued: exampleJob, done: exampleDoneJob }),
      },
    },
    failures: ['unauthorized', 'noJob', 'wrongKeys', 'internal'],
  },
  'POST /jobs/{id}/callback': {
    ...jobs,
    operationId: 'repeatCallback',
    summary: 'Ask for the call-back of a job once more',
    description: 'It comes with the same `webhook-id` as before.',
    command: `curl -X POST {server}${exampleJob.url}/callback -H "x-api-key: $KEY"`,
    requestParams: { path: jobId },
    responses: { 202: { description: 'The call-back is due.' } },
    failures: ['unauthorized', 'noJob', 'noCallback', 'wrongKeys', 'internal'],
  },
  'DELETE /jobs/{id}': {
    ...jobs,
    operationId: 'deleteJob',
    summary: 'Cancel a job, or delete its result',
    description:
      'A job that has not ended is cancelled, and stays visible without a result. One that has ended is deleted with its result.',
    command: `curl -X DELETE {server}${exampleJob.url} -H "x-api-key: $KEY"`,
    requestParams: { path: jobId },
    responses: { 204: { description: 'The job is cancelled or deleted.' } },
    failures: ['unauthorized', 'noJob', 'wrongKeys', 'internal'],
  },
};
