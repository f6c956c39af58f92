// OpenAPI paths of the six endpoints of the service interface (docs/service-interface.md).
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { type AttachmentLimits, DIAGNOSE_LIMITS, STREAM_FILES_LIMITS } from '../../../domain/diagnosis/attachment.ts';
import { diagnosisResponse, exampleDiagnosis } from '../../../wire/diagnosis.ts';
import {
  exampleConversation,
  exampleCustomNote,
  exampleHistory,
  exampleNote,
  examplePartial,
  exampleSession,
} from '../api/examples.ts';
import { conversationResponse, noteResponse, streamSessionResponse } from '../api/response-schemas.ts';
import { conversationFields, diagnoseFields, streamBody, transcribeFields } from '../api/schemas.ts';
import { MEBIBYTE } from '../body/sizes.ts';
import { failures } from './openapi-failures.ts';
import { limitedHeaders, mapValues, withCommand } from './openapi-parts.ts';

/**
 * The schema of a file in a form; zod does not validate files. There is no `encoding` with the list of types, because Swagger UI
 * would send the whole list as the type of the file.
 */
const bytes = (description: string) =>
  z.string().meta({ description, format: 'binary', contentMediaType: 'application/octet-stream' });

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
const diagnoseJson = diagnoseFields.meta({ id: 'DiagnosisRequest' });
const prepareForm = diagnoseFields
  .extend({ files: attachments(STREAM_FILES_LIMITS) })
  .meta({ id: 'StreamPreparationForm' });
const transcribeForm = transcribeFields.extend({ file: audioFile }).meta({ id: 'TranscriptionForm' });
const conversationForm = conversationFields.extend({ file: audioFile }).meta({ id: 'ConversationForm' });

function json(schema: z.ZodType, values: Readonly<Record<string, unknown>>) {
  return { 'application/json': { schema, examples: mapValues(values, (value) => ({ value })) } };
}

function eventText(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

const eventStream = {
  'text/event-stream': {
    schema: {
      type: 'string' as const,
      description:
        'Any number of `partial` events (schema PartialEvent), then one `final` (FinalEvent) or one `error` (ErrorEvent).',
    },
    examples: {
      'a complete stream': { value: eventText('partial', examplePartial) + eventText('final', exampleDiagnosis) },
      'a failure during the stream': {
        value:
          eventText('partial', examplePartial) +
          eventText('error', { statusCode: 500, message: 'The diagnosis could not be completed' }),
      },
    },
  },
};

const DIAGNOSIS_FAILURES = { 401: 'unauthorized', 429: 'rateLimited', 500: 'internal' } as const;

type Common = Pick<ZodOpenApiOperationObject, 'tags' | 'security'>;
const diagnosis: Common = { tags: ['Diagnosis'], security: [{ apiKey: [] }] };
const transcription: Common = { tags: ['Transcription'], security: [{ apiKey: [] }] };

const HISTORY_JSON = JSON.stringify({ clinical_history: exampleHistory, language: 'en' });

/** The commands in these paths can be pasted if `$KEY` is set to an API key. */
export function clientPaths(serverUrl: string): ZodOpenApiPathsObject {
  return {
    '/diagnose': { post: diagnose(serverUrl) },
    '/diagnose/stream': { post: streamText(serverUrl) },
    '/diagnose/stream/files': { post: prepareStream(serverUrl) },
    '/diagnose/stream/{sessionId}': { get: connectStream(serverUrl) },
    '/transcribe': { post: transcribe(serverUrl) },
    '/transcribe/conversation': { post: transcribeConversation(serverUrl) },
  };
}

function diagnose(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...diagnosis,
    operationId: 'diagnose',
    summary: 'Get a differential diagnosis and triage in one answer',
    description: withCommand(
      'At least one of `clinical_history` and `files` is required. Text without files can also be sent as JSON.',
      `curl ${serverUrl}/diagnose -H "x-api-key: $KEY" \\\n  -F 'clinical_history=${exampleHistory}' -F language=en`,
    ),
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': {
          schema: diagnoseForm,
          example: { clinical_history: exampleHistory, language: 'en' },
        },
        ...json(diagnoseJson, { 'a history': { clinical_history: exampleHistory, language: 'en' } }),
      },
    },
    responses: {
      200: {
        description: 'The complete diagnosis.',
        headers: limitedHeaders,
        content: json(diagnosisResponse, { 'urgent chest pain': exampleDiagnosis }),
      },
      ...failures({ 400: 'badDiagnosis', ...DIAGNOSIS_FAILURES }),
    },
  };
}

function streamText(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...diagnosis,
    operationId: 'streamDiagnosis',
    summary: 'Stream a differential diagnosis from text',
    description: withCommand(
      'Send `Accept: text/event-stream`. The answer is a stream of Server-Sent Events.',
      `curl -N ${serverUrl}/diagnose/stream -H "x-api-key: $KEY" -H 'Accept: text/event-stream' \\\n  -H 'Content-Type: application/json' -d '${HISTORY_JSON}'`,
    ),
    requestBody: {
      required: true,
      content: json(streamBody, { 'a history': { clinical_history: exampleHistory, language: 'en' } }),
    },
    responses: {
      201: { description: 'The stream is open.', headers: limitedHeaders, content: eventStream },
      ...failures({ 400: 'badDiagnosis', ...DIAGNOSIS_FAILURES }),
    },
  };
}

function prepareStream(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...diagnosis,
    operationId: 'prepareStream',
    summary: 'Prepare a diagnosis stream with files',
    description: withCommand(
      'Stores the request for 10 minutes and one connection with the same key. Open `streamUrl` next.',
      `curl ${serverUrl}/diagnose/stream/files -H "x-api-key: $KEY" \\\n  -F 'clinical_history=${exampleHistory}' -F files=@ecg.png`,
    ),
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': {
          schema: prepareForm,
          example: { clinical_history: exampleHistory, language: 'en' },
        },
      },
    },
    responses: {
      201: {
        description: 'The stream session is prepared.',
        headers: limitedHeaders,
        content: json(streamSessionResponse, { prepared: exampleSession }),
      },
      ...failures({ 400: 'badDiagnosis', ...DIAGNOSIS_FAILURES }),
    },
  };
}

function connectStream(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...diagnosis,
    operationId: 'connectStream',
    summary: 'Open a prepared stream',
    description: withCommand(
      'Send `Accept: text/event-stream` and the key that prepared the session. A session is valid for one connection; it is used up when the headers of the answer are sent.',
      `curl -N ${serverUrl}${exampleSession.streamUrl} -H "x-api-key: $KEY" -H 'Accept: text/event-stream'`,
    ),
    requestParams: {
      path: z.object({
        sessionId: z
          .string()
          .meta({ description: 'The `sessionId` from the preparation.', examples: [exampleSession.sessionId] }),
      }),
    },
    responses: {
      200: { description: 'The stream is open.', headers: limitedHeaders, content: eventStream },
      ...failures({ 400: 'badConnection', ...DIAGNOSIS_FAILURES, 401: 'otherKey', 404: 'noSession' }),
    },
  };
}

const TRANSCRIPTION_FAILURES = {
  400: 'badAudio',
  401: 'unauthorized',
  402: 'quota',
  413: 'tooLarge',
  415: 'unsupported',
  429: 'rateLimited',
  500: 'internal',
  503: 'unavailable',
} as const;

function transcribe(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...transcription,
    operationId: 'transcribe',
    summary: 'Turn a recording into a clinical note',
    description: withCommand(
      'The sections come from `custom_template`, or from the template that `template` or `note_type` names (default: SOAP).',
      `curl ${serverUrl}/transcribe -H "x-api-key: $KEY" \\\n  -F note_type=PROGRESS_NOTE -F language=en -F file=@visit.wav`,
    ),
    requestBody: {
      required: true,
      content: { 'multipart/form-data': { schema: transcribeForm } },
    },
    responses: {
      200: {
        description: 'The note.',
        headers: limitedHeaders,
        content: json(noteResponse, { 'a SOAP note': exampleNote, 'a custom template': exampleCustomNote }),
      },
      ...failures(TRANSCRIPTION_FAILURES),
    },
  };
}

function transcribeConversation(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...transcription,
    operationId: 'transcribeConversation',
    summary: 'Turn a recording into messages with speakers',
    description: withCommand(
      'Speakers are numbered; the answer does not say which of them is the clinician.',
      `curl ${serverUrl}/transcribe/conversation -H "x-api-key: $KEY" \\\n  -F language=en -F include_timestamps=true -F file=@visit.wav`,
    ),
    requestBody: {
      required: true,
      content: { 'multipart/form-data': { schema: conversationForm } },
    },
    responses: {
      200: {
        description: 'The conversation.',
        headers: limitedHeaders,
        content: json(conversationResponse, { 'two speakers': exampleConversation }),
      },
      ...failures(TRANSCRIPTION_FAILURES),
    },
  };
}
