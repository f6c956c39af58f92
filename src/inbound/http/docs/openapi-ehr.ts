// OpenAPI endpoints of a site: what EHRs, interface engines and the programs of the site send.
import { sitePath } from '../../../wire/ids.ts';
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
import type { Endpoints } from './openapi-endpoints.ts';
import { failures } from './openapi-failures.ts';
import { answerHeaders, bytes, examplesOf, json, limited, ok } from './openapi-parts.ts';

const TAGS = ['Sites'];
const byKey = { tags: TAGS, security: [{ apiKey: [] }] };
const bySecret = { tags: TAGS, security: [{ siteSecret: [] }] };

const uploadForm = uploadFields
  .extend({
    file: bytes(
      'Audio (MP3, MP4, WAV, WebM, Ogg, FLAC or AAC), at most 100 MB. Send it after the other fields: it is then checked and stored while it arrives.',
    ),
  })
  .meta({ id: 'RecordingForm' });

const exampleEvent = { eventId: 'e-1', encounter: 'Encounter/123', status: 'finished' };
const exampleEncounter = { resourceType: 'Encounter', id: '123', meta: { versionId: '3' }, status: 'finished' };
const exampleHl7 = [
  'MSH|^~\\&|ADT|MERCY|CHARTWRIGHT||20270131093000||ADT^A03^ADT_A03|m-42|P|2.5.1',
  'PV1|1|O|||||||||||||||||V-77',
].join('\r');

const notification = {
  required: false,
  content: {
    ...json(notificationBody, { 'an event of your own': exampleEvent }),
    'application/fhir+json': {
      schema: notificationBody,
      examples: examplesOf({ 'a FHIR resource': exampleEncounter }),
    },
    'application/hl7-v2': { schema: { type: 'string' as const }, example: exampleHl7 },
  },
};

const taken = {
  200: {
    description:
      'The notification is stored, and the EHR need not send it again. An HL7 v2 message is answered with an ACK (AA; CA if MSH-15 asks for it), a batch with a batch of them.',
    headers: answerHeaders,
    content: {
      ...json(notificationResponse, { new: { outcome: 'accepted' }, again: { outcome: 'repeated' } }),
      'application/hl7-v2': { schema: { type: 'string' as const } },
    },
  },
  ...failures([
    'badNotification',
    'unknownSender',
    'noEhrSite',
    'largeNotification',
    'unsupportedNotification',
    'notUnderstood',
    'rateLimited',
    'internal',
    'notStored',
  ]),
};

export const ehrEndpoints: Endpoints = {
  'POST /ehr/{site}/events': {
    ...bySecret,
    operationId: 'takeEvent',
    summary: 'Notify the engine of an encounter',
    description:
      'For FHIR Subscriptions (a full resource, its id, an empty body, or a notification Bundle) and for interface engines (also CloudEvents and HL7 v2 ADT). An event only says which encounter to process; its data is read from the EHR. Authenticate with the secret of `events.subscription` or `events.push`: as a bearer token, or as the hex HMAC-SHA256 of the raw body in `X-Signature` (also `X-Hub-Signature-256: sha256=…`, or `t=<time>,v1=<HMAC of <time>.<body>>`). A time in `X-Timestamp` must be within five minutes of now. After any status other than 2xx, send the event again.',
    command: `curl {server}/ehr/mercy/events -H "Authorization: Bearer $SECRET" \\\n  -H 'Content-Type: application/json' -d '${JSON.stringify(exampleEvent)}'`,
    requestParams: { path: sitePath },
    requestBody: notification,
    responses: taken,
  },
  'PUT /ehr/{site}/events/{type}/{id}': {
    ...bySecret,
    operationId: 'putNotifiedResource',
    summary: 'Notify the engine from a HAPI server, which sends changed resources with PUT',
    description: 'HAPI treats the receiver of a Subscription with a payload as a FHIR server.',
    requestParams: { path: resourcePath },
    requestBody: notification,
    responses: taken,
  },
  'DELETE /ehr/{site}/events/{type}/{id}': {
    ...bySecret,
    operationId: 'deleteNotifiedResource',
    summary: 'Notify the engine of a resource that was deleted in the EHR',
    description: 'The engine deletes nothing.',
    requestParams: { path: resourcePath },
    responses: taken,
  },
  'POST /ehr/{site}/encounters/{id}/recording': {
    ...byKey,
    operationId: 'uploadRecording',
    summary: 'Upload a recording for an encounter; its note and differential are written to the chart',
    description:
      'Stores the recording encrypted and starts a run. A second upload of the same recording for the same encounter returns the same run.',
    command: `curl {server}/ehr/mercy/encounters/123/recording -H "x-api-key: $KEY" \\\n  -F patient=Patient/1 -F note_type=PROGRESS_NOTE -F file=@visit.wav`,
    requestParams: { path: encounterPath },
    requestBody: { required: true, content: { 'multipart/form-data': { schema: uploadForm } } },
    responses: {
      202: limited('The recording is stored, and its run is queued.', {
        'application/json': { schema: uploadResponse },
      }),
    },
    failures: [
      'badUpload',
      'unauthorized',
      'quota',
      'noEhrSite',
      'takenSession',
      'tooLarge',
      'unsupported',
      'rateLimited',
      'internal',
      'notStored',
    ],
  },
  'GET /ehr/{site}/runs/{id}': {
    ...byKey,
    operationId: 'showOwnRun',
    summary: 'Show the run of an uploaded recording',
    description:
      'Requires a key of the organization that the usage of the run counts for. Each view of a differential is recorded in the audit trail.',
    command: 'curl {server}/ehr/mercy/runs/0b9f6c1e-7a35-4c52-9d0e-5f1a2b3c4d5e -H "x-api-key: $KEY"',
    requestParams: { path: runPath },
    responses: {
      200: ok('The state of the run and, once written, its resources.', shownRunResponse),
    },
    failures: ['unauthorized', 'noOwnRun', 'rateLimited', 'internal', 'notStored'],
  },
};
