// The failures of the OpenAPI document: the description and example bodies of each.
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { exampleErrors } from '../api/examples.ts';
import { errorResponse } from '../api/response-schemas.ts';
import { answerHeaders, mapValues, retryHeaders } from './openapi-parts.ts';

type Failure = { readonly description: string; readonly examples: Readonly<Record<string, unknown>> };

function failureBody(statusCode: number, message: string, error: string) {
  return { statusCode, message, error };
}

/** Each failure with the bodies that a client can receive. docs/service-interface.md fixes those of the six endpoints. */
const FAILURES = {
  badDiagnosis: {
    description: 'The request is not valid, or its files cannot be accepted (type, size, number).',
    examples: { 'one message': exampleErrors.oneMessage, 'one entry per failure': exampleErrors.manyMessages },
  },
  badConnection: {
    description: 'The request is not valid.',
    examples: {
      accept: failureBody(
        400,
        'Accept must allow text/event-stream: this endpoint answers with a stream',
        'Bad Request',
      ),
    },
  },
  badAudio: {
    description: 'The parameters are not valid, or the audio has no relevant medical content.',
    examples: {
      'no medical content': exampleErrors.notMedical,
      'parameters that exclude each other': failureBody(
        400,
        'custom_template cannot be combined with template',
        'Bad Request',
      ),
      'one entry per failure': exampleErrors.manyParameters,
    },
  },
  unauthorized: {
    description: 'The API key is missing or invalid. The body has no `error`.',
    examples: { 'no key': exampleErrors.unauthorized },
  },
  otherKey: {
    description: 'The API key is missing, invalid, or not the one that prepared the stream session.',
    examples: {
      'no key': exampleErrors.unauthorized,
      'another key': { statusCode: 401, message: 'This stream session was prepared with another API key' },
    },
  },
  noSession: {
    description: 'There is no such stream session: it was never prepared, has expired, or was used.',
    examples: {
      'used up': failureBody(
        404,
        'There is no such stream session, or it has expired or was used already',
        'Not Found',
      ),
    },
  },
  quota: {
    description: "The plan's requests or audio of this month are used up.",
    examples: { audio: failureBody(402, "The plan's audio for this month is used up", 'Payment Required') },
  },
  tooLarge: {
    description: 'The audio file is larger than 100 MB (104,857,600 bytes).',
    examples: { 'too large': failureBody(413, 'The audio file is larger than 100 MB', 'Payload Too Large') },
  },
  unsupported: {
    description: 'The audio format is not supported. The content of the file decides, not its name.',
    examples: {
      'not audio': failureBody(
        415,
        'visit.txt: unsupported audio format; MP3, MP4, WAV, WebM, Ogg, FLAC and AAC are taken',
        'Unsupported Media Type',
      ),
    },
  },
  rateLimited: {
    description: 'The rate limit of the plan is exceeded, or the service is overloaded.',
    examples: { minute: failureBody(429, 'Rate limit exceeded: 600 requests a minute', 'Too Many Requests') },
  },
  internal: {
    description: 'An internal error, or no AI engine is configured; then the message names the setting.',
    examples: { unexpected: failureBody(500, 'Internal server error', 'Internal Server Error') },
  },
  unavailable: {
    description: 'The service is overloaded, or speech recognition is not configured or not available.',
    examples: { vendor: failureBody(503, 'Speech recognition is not available now', 'Service Unavailable') },
  },
  badOrder: {
    description: 'The request is not valid.',
    examples: {
      'one entry per failure': {
        statusCode: 400,
        message: ['organization is required and must be 1 to 200 characters without control characters'],
        error: 'Bad Request',
      },
    },
  },
  noOperator: {
    description: 'The operator key is missing or wrong.',
    examples: {
      'no key': {
        statusCode: 401,
        message: 'The operator key is missing or wrong: send Authorization: Bearer <operator key>',
      },
    },
  },
  noKey: {
    description: 'There is no such key.',
    examples: { 'no such key': failureBody(404, 'There is no key with this id', 'Not Found') },
  },
  endedKey: {
    description: 'The key is already revoked or expired.',
    examples: { ended: failureBody(409, 'The key is revoked or expired already', 'Conflict') },
  },
  badSiteOrder: {
    description: 'The request is not valid.',
    examples: {
      'one entry per failure': { statusCode: 400, message: ['writeTest must be true or false'], error: 'Bad Request' },
    },
  },
  noSite: {
    description: 'There is no such site.',
    examples: { 'no such site': failureBody(404, 'There is no site mery; did you mean mercy?', 'Not Found') },
  },
  siteInUse: {
    description: 'The site is not active, or a write test is running there.',
    examples: {
      'not active': failureBody(
        409,
        'The files of mercy have problems: npm run cli -- mappings check shows them',
        'Conflict',
      ),
    },
  },
  ehrFailed: {
    description: 'The EHR or the database cannot be reached.',
    examples: { away: failureBody(503, 'The EHR of mercy cannot be reached', 'Service Unavailable') },
  },
  badRunOrder: {
    description: 'The request is not valid.',
    examples: {
      'one entry per failure': { statusCode: 400, message: ['encounter or since is required'], error: 'Bad Request' },
    },
  },
  noRun: {
    description: 'There is no such run, or site.',
    examples: { 'no such run': failureBody(404, 'There is no run with this id', 'Not Found') },
  },
  runConflict: {
    description: 'The state of the run or of its site does not allow this.',
    examples: {
      'already ended': failureBody(409, 'The run is written: there is nothing left to cancel', 'Conflict'),
      'another revision': failureBody(409, 'This draft has revision 2 by now, not 1: read it again', 'Conflict'),
    },
  },
  noReviewer: {
    description: 'Only a reviewer of the site can decide about its drafts.',
    examples: {
      operator: failureBody(
        403,
        'Only a clinician decides about a draft: use the key of a reviewer of this site (npm run cli -- reviewers create)',
        'Forbidden',
      ),
    },
  },
  noSuchReviewer: {
    description: 'There is no such reviewer.',
    examples: { 'no such reviewer': failureBody(404, 'There is no reviewer with this id', 'Not Found') },
  },
  databaseDown: {
    description: 'The database cannot be reached; nothing was changed.',
    examples: { away: failureBody(503, 'The database cannot be reached', 'Service Unavailable') },
  },
  badVisitOrder: {
    description: 'The request is not valid.',
    examples: {
      'no scenario': failureBody(
        400,
        'story is required and must be the name of a visit or of a scenario',
        'Bad Request',
      ),
    },
  },
  noVisit: {
    description: 'There is no such visit.',
    examples: { 'no such visit': failureBody(404, 'There is no such encounter in the sandbox', 'Not Found') },
  },
  noDrill: {
    description: 'There is no such drill.',
    examples: {
      'no such drill': failureBody(404, 'There is no such drill. There are ehr-down, model-down', 'Not Found'),
    },
  },
  noSandbox: {
    description: 'No sandbox is running, or its state does not allow this.',
    examples: {
      'no sandbox': failureBody(
        409,
        'No sandbox runs here: start with SANDBOX=on (auto: on where no other site has an EHR)',
        'Conflict',
      ),
      'not in this state': failureBody(409, 'This encounter is cancelled: it cannot be finished', 'Conflict'),
    },
  },
  drillBusy: {
    description: 'Another drill is running, this drill cannot run here, or no sandbox is running.',
    examples: { 'another drill': failureBody(409, 'The drill model-down is under way', 'Conflict') },
  },
  watched: {
    description: 'There are too many watchers, or the engine is stopping.',
    examples: { many: failureBody(503, 'There are too many watchers of runs', 'Service Unavailable') },
  },
  badUpload: {
    description: 'The form is not valid, or the patient is not the one of the encounter. Nothing was stored.',
    examples: {
      'another patient': failureBody(
        400,
        'patient is not the patient of this encounter: nothing was stored',
        'Bad Request',
      ),
      'one entry per failure': {
        statusCode: 400,
        message: ['language must be one of en, es, pt, detect'],
        error: 'Bad Request',
      },
    },
  },
  noEhrSite: {
    description: 'There is no such site for this key or this sender, or the EHR has no such encounter.',
    examples: { 'no such site': failureBody(404, 'There is no such site', 'Not Found') },
  },
  noOwnRun: {
    description: 'There is no such site or run for this key.',
    examples: { 'no such run': failureBody(404, 'There is no such run', 'Not Found') },
  },
  takenSession: {
    description: 'The session already has another recording.',
    examples: {
      taken: failureBody(
        409,
        'This session of the encounter has another recording already: name another session',
        'Conflict',
      ),
    },
  },
  notStored: {
    description:
      'Nothing was stored: the EHR or the database cannot be reached, or the service is overloaded. Send it again.',
    examples: { away: failureBody(503, 'The EHR of mercy cannot be reached', 'Service Unavailable') },
  },
  badNotification: {
    description:
      'The message id is malformed, the body was sent too slowly, or it does not match its Content-Encoding.',
    examples: {
      'bad id': failureBody(400, 'The message id must be one text of 1 to 255 printable characters', 'Bad Request'),
    },
  },
  unknownSender: {
    description: 'No valid signature or secret, or a time that is more than five minutes from now.',
    examples: {
      wrong: { statusCode: 401, message: 'The notification has no valid signature and no valid secret' },
    },
  },
  largeNotification: {
    description: 'The body, or its decompressed content, is larger than 16 MB.',
    examples: { 'too large': failureBody(413, 'The request body is larger than 16 MB', 'Payload Too Large') },
  },
  unsupportedNotification: {
    description: 'The body is XML or has another type that is not supported.',
    examples: {
      xml: failureBody(
        415,
        'The Content-Type must be application/json, application/fhir+json, CloudEvents as JSON, or application/hl7-v2',
        'Unsupported Media Type',
      ),
    },
  },
  notUnderstood: {
    description: 'The notification cannot be understood and was quarantined. Sending it again does not help.',
    examples: {
      'another shape': failureBody(422, 'It has none of the supported formats', 'Unprocessable Entity'),
    },
  },
  noJwks: {
    description: 'There is no such site, or it has no keys of its own.',
    examples: { none: failureBody(404, 'There are no keys here', 'Not Found') },
  },
} as const satisfies Record<string, Failure>;

type FailureName = keyof typeof FAILURES;

const RETRIED: ReadonlySet<string> = new Set(['429', '503']);

/** Makes the failure responses of an operation, by status. */
export function failures(byStatus: Readonly<Record<string, FailureName>>): ZodOpenApiResponsesObject {
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, name]) => [status, failureResponse(status, FAILURES[name])]),
  );
}

function failureResponse(status: string, { description, examples }: Failure): ZodOpenApiResponseObject {
  return {
    description,
    headers: RETRIED.has(status) ? retryHeaders : answerHeaders,
    content: {
      'application/json': { schema: errorResponse, examples: mapValues(examples, (value) => ({ value })) },
    },
  };
}
