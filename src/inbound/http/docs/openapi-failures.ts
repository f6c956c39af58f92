// The failures of the OpenAPI document: the status, the description and example messages of each.
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { exampleErrors } from '../api/examples.ts';
import { errorResponse } from '../api/response-schemas.ts';
import { type ErrorBody, failureBody } from '../server/error-response.ts';
import { answerHeaders, examplesOf, retryHeaders } from './openapi-parts.ts';

type Failure = { readonly status: number; readonly response: ZodOpenApiResponseObject };

/** Each failure with the messages that a client can receive. docs/service-interface.md fixes those of the six endpoints. */
const FAILURES = {
  longHeaders: failure(431, 'The request line and the headers are larger than 16 kB.', {
    'too large': 'The request line and headers are too large',
  }),
  badDiagnosis: failure(400, 'The request is not valid, or its files cannot be accepted (type, size, number).', {
    'one message': exampleErrors.oneMessage.message,
    'one entry per failure': exampleErrors.manyMessages.message,
  }),
  badConnection: failure(400, 'The request is not valid.', {
    accept: 'Accept must allow text/event-stream: this endpoint answers with a stream',
  }),
  badAudio: failure(400, 'The parameters are not valid, or the audio has no relevant medical content.', {
    'no medical content': exampleErrors.notMedical.message,
    'parameters that exclude each other': 'custom_template cannot be combined with template',
    'one entry per failure': exampleErrors.manyParameters.message,
  }),
  unauthorized: failure(401, 'The API key is missing or invalid. The body has no `error`.', {
    'no key': exampleErrors.unauthorized.message,
  }),
  otherKey: failure(
    401,
    'The API key is missing, invalid, or not the one that prepared the session; or the ticket is wrong.',
    {
      'no key': exampleErrors.unauthorized.message,
      'another key': 'This stream session was prepared with another API key',
    },
  ),
  noSession: failure(404, 'There is no such stream session: it was never prepared, has expired, or was used.', {
    'used up': 'There is no such stream session, or it has expired or was used already',
  }),
  noJob: failure(404, 'There is no such job: it never existed, was deleted, has expired, or is of another API key.', {
    unknown: 'There is no such job: it never existed, was deleted, or is of another API key',
  }),
  wrongKeys: failure(429, 'Too many wrong keys came from this address.', {
    throttled: 'Too many requests with a wrong API key',
  }),
  noCallback: failure(409, 'The job has not ended, or no call-back was asked for.', {
    'not ended': 'This job has not ended, or no call-back was asked for',
  }),
  quota: failure(402, "The plan's requests or audio of this month are used up.", {
    audio: "The plan's audio for this month is used up",
  }),
  tooLarge: failure(413, 'The audio file is larger than 100 MB (104,857,600 bytes).', {
    'too large': 'The audio file is larger than 100 MB',
  }),
  unsupported: failure(415, 'The audio format is not supported. The content of the file decides, not its name.', {
    'not audio': 'visit.txt: unsupported audio format; MP3, MP4, WAV, WebM, Ogg, FLAC and AAC are taken',
  }),
  keyReused: failure(422, 'The Idempotency-Key was used with another request: another body, or another endpoint.', {
    'another request': 'This Idempotency-Key was used with another request',
  }),
  rateLimited: failure(429, 'The rate limit of the plan is exceeded, or the service is overloaded.', {
    minute: 'Rate limit exceeded: 600 requests a minute',
  }),
  internal: failure(500, 'An internal error, or no AI engine is configured; then the message names the setting.', {
    unexpected: 'Internal server error',
  }),
  unavailable: failure(503, 'The service is overloaded, or speech recognition is not configured or not available.', {
    vendor: 'Speech recognition is not available now',
  }),
  badOrder: failure(400, 'The request is not valid.', {
    'one entry per failure': ['organization is required and must be 1 to 200 characters without control characters'],
  }),
  noOperator: failure(401, 'The operator key is missing or wrong.', {
    'no key': 'The operator key is missing or wrong: send Authorization: Bearer <operator key>',
  }),
  noKey: failure(404, 'There is no such key.', { 'no such key': 'There is no key with this id' }),
  endedKey: failure(409, 'The key is already revoked or expired.', { ended: 'The key is revoked or expired already' }),
  noNewKey: failure(409, 'There is no new key, an engine does not have it, or an earlier replacement goes on.', {
    'an engine without it':
      'Not every engine has the new master key, so nothing was changed. Without it: host-2 (process 41)',
  }),
  badSiteOrder: failure(400, 'The request is not valid.', {
    'one entry per failure': ['writeTest must be true or false'],
  }),
  noSite: failure(404, 'There is no such site.', { 'no such site': 'There is no site mery; did you mean mercy?' }),
  siteInUse: failure(409, 'The site is not active, or a write test is running there.', {
    'not active': 'The files of mercy have problems: npm run cli -- mappings check shows them',
  }),
  ehrFailed: failure(503, 'The EHR or the database cannot be reached.', { away: 'The EHR of mercy cannot be reached' }),
  badRunOrder: failure(400, 'The request is not valid.', {
    'one entry per failure': ['encounter or since is required'],
  }),
  noRun: failure(404, 'There is no such run, or site.', { 'no such run': 'There is no run with this id' }),
  runConflict: failure(409, 'The state of the run or of its site does not allow this.', {
    'already ended': 'The run is written: there is nothing left to cancel',
    'another revision': 'This draft has revision 2 by now, not 1: read it again',
    'another person':
      'Dr. Example has this draft (since 2026-11-21T09:00:00.000Z, until 2026-11-21T09:30:00.000Z). To go on nevertheless, send takeOver: true',
  }),
  restrictedChart: failure(403, 'The role does not allow it, no purpose was said, or the chart is restricted.', {
    'a restricted chart':
      'This chart is restricted: open it with a reason, of which the privacy officer is notified (POST /ops/runs/0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a77/break-glass, or npm run cli -- runs break-glass 0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a77 --reason)',
  }),
  noPermission: failure(403, 'The role does not allow it, or no purpose was said.', {
    'another role': 'This needs the role auditor: an admin of the site gives it',
  }),
  notRestricted: failure(409, 'The chart is not restricted.', {
    'nothing to open': 'The chart of this run is not restricted: nothing needs to be opened',
  }),
  noReviewer: failure(403, 'Only a reviewer of the site can decide about its drafts.', {
    operator:
      'Only a clinician decides about a draft: use the key of a reviewer of this site (npm run cli -- reviewers create)',
  }),
  noSuchReviewer: failure(404, 'There is no such reviewer.', {
    'no such reviewer': 'There is no reviewer with this id',
  }),
  notAdmitted: failure(403, 'The caller has no role that is admitted here, or may not give or take this.', {
    'another role': 'This needs the role admin: an admin of the site gives it',
  }),
  noLink: failure(401, 'The link was used, has ended, or is wrong.', {
    used: 'This link was used, has ended, or is wrong: ask an admin for a new one',
  }),
  noPerson: failure(404, 'There is no such person at your sites.', {
    'no such person': 'There is no person with this id',
  }),
  noSuchSession: failure(404, 'There is no such open session at your sites.', {
    'no such session': 'There is no open session with this id',
  }),
  noSuchToken: failure(404, 'There is no such token at your sites.', {
    'no such token': 'There is no token with this id',
  }),
  takenPractitioner: failure(409, 'Another person is this Practitioner, or this is the last admin of every site.', {
    taken: 'Another person signs as Practitioner/7 at mercy already',
    last: 'This is the last admin of every site: make another one first',
  }),
  disabledPerson: failure(409, 'The person is disabled.', { disabled: 'This person is disabled: enable them first' }),
  lastAdmin: failure(409, 'This is the last admin of every site.', {
    last: 'This is the last admin of every site: make another one first',
  }),
  noOwnSession: failure(409, 'The caller is a key or a token, which has no session.', {
    token: 'A key or token has no session to end: sign in as a person (npm run cli -- login)',
  }),
  badCodes: failure(400, 'The request or the file is not valid. The old list stays.', {
    'one entry per failure': ['system must be one of icd-10-cm, icd-10, cie-10-es'],
    'a wrong file': 'Line 7: the column of codes holds no code of ICD-10.',
  }),
  importRunning: failure(409, 'Another list is being imported.', {
    running: 'Another list is imported at the moment: try again when it is done',
  }),
  largeCodes: failure(413, 'The file is larger than 200 MB.', {
    'too large': 'The request body is larger than 200 MB',
  }),
  databaseDown: failure(503, 'The database cannot be reached; nothing was changed.', {
    away: 'The database cannot be reached',
  }),
  badVisitOrder: failure(400, 'The request is not valid.', {
    'no scenario': 'story is required and must be the name of a visit or of a scenario',
  }),
  badChartOrder: failure(400, 'The request is not valid.', {
    'no practitioner': 'practitioner must be Practitioner/ and an id',
  }),
  noVisit: failure(404, 'There is no such visit.', { 'no such visit': 'There is no such encounter in the sandbox' }),
  noDrill: failure(404, 'There is no such drill.', {
    'no such drill': 'There is no such drill. There are ehr-down, model-down',
  }),
  noSandbox: failure(409, 'No sandbox is running, or its state does not allow this.', {
    'no sandbox': 'No sandbox runs here: start with SANDBOX=on (auto: on where no other site has an EHR)',
    'not in this state': 'This encounter is cancelled: it cannot be finished',
  }),
  drillBusy: failure(409, 'Another drill is running, this drill cannot run here, or no sandbox is running.', {
    'another drill': 'The drill model-down is under way',
  }),
  watched: failure(503, 'There are too many watchers, or the engine is stopping.', {
    many: 'There are too many watchers of runs',
  }),
  badUpload: failure(
    400,
    'The form is not valid, or the patient is not the one of the encounter. Nothing was stored.',
    {
      'another patient': 'patient is not the patient of this encounter: nothing was stored',
      'one entry per failure': ['language must be one of en, es, pt, detect'],
    },
  ),
  noEhrSite: failure(404, 'There is no such site for this key or this sender, or the EHR has no such encounter.', {
    'no such site': 'There is no such site',
  }),
  noOwnRun: failure(404, 'There is no such site or run for this key.', { 'no such run': 'There is no such run' }),
  takenSession: failure(409, 'The session already has another recording.', {
    taken: 'This session of the encounter has another recording already: name another session',
  }),
  notStored: failure(
    503,
    'Nothing was stored: the EHR or the database cannot be reached, or the service is overloaded. Send it again.',
    { away: 'The EHR of mercy cannot be reached' },
  ),
  badNotification: failure(
    400,
    'The message id is malformed, the body was sent too slowly, or it does not match its Content-Encoding.',
    { 'bad id': 'The message id must be one text of 1 to 255 printable characters' },
  ),
  unknownSender: failure(401, 'No valid signature or secret, or a time that is more than five minutes from now.', {
    wrong: 'The notification has no valid signature and no valid secret',
  }),
  largeNotification: failure(413, 'The body, or its decompressed content, is larger than 16 MB.', {
    'too large': 'The request body is larger than 16 MB',
  }),
  unsupportedNotification: failure(415, 'The body is XML or has another type that is not supported.', {
    xml: 'The Content-Type must be application/json, application/fhir+json, CloudEvents as JSON, or application/hl7-v2',
  }),
  notUnderstood: failure(
    422,
    'The notification cannot be understood and was quarantined. Sending it again does not help.',
    { 'another shape': 'It has none of the supported formats' },
  ),
  noJwks: failure(404, 'There is no such site, or it has no keys of its own.', { none: 'There are no keys here' }),
} as const;

export type FailureName = keyof typeof FAILURES;

/** Makes the failure responses of an operation, by status. */
export function failures(names: readonly FailureName[]): ZodOpenApiResponsesObject {
  return Object.fromEntries(names.map((name) => [FAILURES[name].status, FAILURES[name].response]));
}

function failure(
  status: number,
  description: string,
  messages: Readonly<Record<string, ErrorBody['message']>>,
): Failure {
  const bodies = Object.entries(messages).map(([name, message]) => [name, failureBody(status, message)]);
  const examples = examplesOf(Object.fromEntries(bodies));
  const headers = status === 429 || status === 503 ? retryHeaders : answerHeaders;
  const content = { 'application/json': { schema: errorResponse, examples } };
  return { status, response: { description, headers, content } };
}
