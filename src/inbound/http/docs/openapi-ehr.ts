// What EHRs, interface engines and the programs of a site send to it, as OpenAPI paths.
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import {
  encounterPath,
  notificationBody,
  notificationResponse,
  resourcePath,
  runPath,
  shownRunResponse,
  uploadFields,
  uploadResponse,
} from '../ehr/ehr-schemas.ts';
import { sitePath } from '../ops/ops-site-schemas.ts';
import { answerHeaders, failures, limitedHeaders, mapValues, withCommand } from './openapi-parts.ts';

const TAGS = ['Sites'];
/** Behind which secret each stands. */
const byKey = { tags: TAGS, security: [{ apiKey: [] }] };
const bySecret = { tags: TAGS, security: [{ siteSecret: [] }] };

const uploadForm = uploadFields
  .extend({
    file: z.string().meta({
      description:
        'Audio (MP3, MP4, WAV, WebM, Ogg, FLAC or AAC), at most 100 MB. Send it after the other fields: it is then checked and stored while it arrives.',
      format: 'binary',
      contentMediaType: 'application/octet-stream',
    }),
  })
  .meta({ id: 'RecordingForm' });

const exampleEvent = { eventId: 'e-1', encounter: 'Encounter/123', status: 'finished' };
const exampleEncounter = { resourceType: 'Encounter', id: '123', meta: { versionId: '3' }, status: 'finished' };
const exampleHl7 = [
  'MSH|^~\\&|ADT|MERCY|CHARTWRIGHT||20270131093000||ADT^A03^ADT_A03|m-42|P|2.5.1',
  'PV1|1|O|||||||||||||||||V-77',
].join('\r');

/** Paths whose commands can be pasted with `$KEY` set to an API key of the site's organization, and `$SECRET` to the site's. */
export function ehrPaths(serverUrl: string): ZodOpenApiPathsObject {
  return {
    '/ehr/{site}/events': { post: takeEvent(serverUrl) },
    '/ehr/{site}/events/{type}/{id}': { put: putResource(), delete: deleteResource() },
    '/ehr/{site}/encounters/{id}/recording': { post: uploadRecording(serverUrl) },
    '/ehr/{site}/runs/{id}': { get: showRun(serverUrl) },
  };
}

function json(schema: z.ZodType, values: Readonly<Record<string, unknown>>) {
  return { schema, examples: mapValues(values, (value) => ({ value })) };
}

const notification = {
  required: false,
  content: {
    'application/json': json(notificationBody, { 'an event of your own': exampleEvent }),
    'application/fhir+json': json(notificationBody, { 'a FHIR resource': exampleEncounter }),
    'application/hl7-v2': { schema: { type: 'string' as const }, example: exampleHl7 },
  },
};

const taken = {
  200: {
    description: 'It is stored: an EHR need not send it again. An HL7 v2 message is answered with an ACK (AA).',
    headers: answerHeaders,
    content: {
      'application/json': json(notificationResponse, { new: { outcome: 'accepted' }, again: { outcome: 'repeated' } }),
      'application/hl7-v2': { schema: { type: 'string' as const } },
    },
  },
  ...failures({
    400: 'badNotification',
    401: 'unknownSender',
    404: 'noEhrSite',
    413: 'largeNotification',
    415: 'strangeNotification',
    422: 'notUnderstood',
    429: 'rateLimited',
    500: 'internal',
    503: 'notKept',
  }),
};

function takeEvent(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...bySecret,
    operationId: 'takeEvent',
    summary: 'Something happened to an encounter',
    description: withCommand(
      'For FHIR Subscriptions (a full resource, its id, nothing at all, or a notification Bundle) and for interface engines (also CloudEvents and HL7 v2 ADT). An event only says that an encounter is to be looked at; what is written is read from the EHR. Show who you are by the secret of `events.subscription` or `events.push`: as a bearer, or as the hex HMAC-SHA256 of the raw body in `X-Signature` (also `X-Hub-Signature-256: sha256=…`, or `t=<time>,v1=<HMAC of <time>.<body>>`). A time in `X-Timestamp` must be within five minutes. Anything but 2xx: send it again.',
      `curl ${serverUrl}/ehr/mercy/events -H "Authorization: Bearer $SECRET" \\\n  -H 'Content-Type: application/json' -d '${JSON.stringify(exampleEvent)}'`,
    ),
    requestParams: { path: sitePath },
    requestBody: notification,
    responses: taken,
  };
}

function putResource(): ZodOpenApiOperationObject {
  return {
    ...bySecret,
    operationId: 'putNotifiedResource',
    summary: 'The same from a HAPI server, which puts what has changed',
    description: 'The receiver of a Subscription with a payload is taken for a FHIR server by HAPI.',
    requestParams: { path: resourcePath },
    requestBody: notification,
    responses: taken,
  };
}

function deleteResource(): ZodOpenApiOperationObject {
  return {
    ...bySecret,
    operationId: 'deleteNotifiedResource',
    summary: 'The same, of what was deleted in the EHR',
    description: 'Nothing is deleted here.',
    requestParams: { path: resourcePath },
    responses: taken,
  };
}

function uploadRecording(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...byKey,
    operationId: 'uploadRecording',
    summary: 'A recording for an encounter: its note and differential are written to the chart',
    description: withCommand(
      'Stores the recording, encrypted, and starts a run with it. The same recording for the same encounter again is the same run.',
      `curl ${serverUrl}/ehr/mercy/encounters/123/recording -H "x-api-key: $KEY" \\\n  -F patient=Patient/1 -F note_type=PROGRESS_NOTE -F file=@visit.wav`,
    ),
    requestParams: { path: encounterPath },
    requestBody: { required: true, content: { 'multipart/form-data': { schema: uploadForm } } },
    responses: {
      202: {
        description: 'The recording is stored, and its run is waiting for its turn.',
        headers: limitedHeaders,
        content: { 'application/json': { schema: uploadResponse } },
      },
      ...failures({
        400: 'badUpload',
        401: 'unauthorized',
        402: 'quota',
        404: 'noEhrSite',
        409: 'takenSession',
        413: 'tooLarge',
        415: 'unsupported',
        429: 'rateLimited',
        500: 'internal',
        503: 'notKept',
      }),
    },
  };
}

function showRun(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...byKey,
    operationId: 'showOwnRun',
    summary: 'How the run of a recording is',
    description: withCommand(
      'With a key of the organization that the run counts to. Each look at a differential is kept in the audit trail.',
      `curl ${serverUrl}/ehr/mercy/runs/0b9f6c1e-7a35-4c52-9d0e-5f1a2b3c4d5e -H "x-api-key: $KEY"`,
    ),
    requestParams: { path: runPath },
    responses: {
      200: {
        description: 'Its state; what was written once it was.',
        headers: answerHeaders,
        content: { 'application/json': { schema: shownRunResponse } },
      },
      ...failures({ 401: 'unauthorized', 404: 'noOwnRun', 429: 'rateLimited', 500: 'internal', 503: 'notKept' }),
    },
  };
}
