// Pieces that the descriptions of all addresses share: failures with an example each, and the headers of every answer.
import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { exampleErrors } from '../api/examples.ts';
import { errorResponse } from '../api/response-schemas.ts';

const requestIdHeader = z.string().optional().meta({
  description: 'Names this request in the log; taken from the request where the client sent one.',
});
const retryAfterHeader = z.string().optional().meta({ description: 'Seconds to wait before trying again.' });
const rateLimitHeaders = {
  'RateLimit-Policy': z
    .string()
    .optional()
    .meta({
      description: 'Requests that the plan allows in a window of seconds; absent where the plan has no such limit.',
      examples: ['"minute";q=60;w=60'],
    }),
  RateLimit: z
    .string()
    .optional()
    .meta({
      description: 'Requests that are left, and seconds until there are more.',
      examples: ['"minute";r=58;t=31'],
    }),
};

export const answerHeaders = z.object({ 'x-request-id': requestIdHeader });
export const limitedHeaders = z.object({ 'x-request-id': requestIdHeader, ...rateLimitHeaders });
const retryHeaders = z.object({
  'x-request-id': requestIdHeader,
  'Retry-After': retryAfterHeader,
  ...rateLimitHeaders,
});

type Failure = { readonly description: string; readonly examples: Readonly<Record<string, unknown>> };

function failureBody(statusCode: number, message: string, error: string) {
  return { statusCode, message, error };
}

/** One status each, as the interface has them, with the bodies that a client will meet. */
const FAILURES = {
  badDiagnosis: {
    description: 'The request is not valid, or its files cannot be taken (kind, size, number).',
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
      'nothing medical': exampleErrors.notMedical,
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
    description: 'There is no such stream session: never prepared, expired, or used already.',
    examples: {
      gone: failureBody(404, 'There is no such stream session, or it has expired or was used already', 'Not Found'),
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
    description: 'The audio format is not supported. The content decides, never the name.',
    examples: {
      'not audio': failureBody(
        415,
        'visit.txt: unsupported audio format; MP3, MP4, WAV, WebM, Ogg, FLAC and AAC are taken',
        'Unsupported Media Type',
      ),
    },
  },
  rateLimited: {
    description: 'The rate limit of the plan is exceeded, or the service has too much to do.',
    examples: { minute: failureBody(429, 'Rate limit exceeded: 600 requests a minute', 'Too Many Requests') },
  },
  internal: {
    description:
      'Something failed here, or nothing is configured that could answer; then the message names the setting.',
    examples: { unforeseen: failureBody(500, 'Internal server error', 'Internal Server Error') },
  },
  unavailable: {
    description: 'Too much to do, or speech recognition is absent or down.',
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
    description: 'The key is revoked or expired already.',
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
    description: 'The site is not in force, or a write test is going on there.',
    examples: {
      'not in force': failureBody(
        409,
        'The files of mercy have problems: npm run cli -- mappings check says which',
        'Conflict',
      ),
    },
  },
  ehrFailed: {
    description: 'The EHR cannot be reached, or the database cannot.',
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
    description: 'The run, or its site, is not in a state in which that can be done.',
    examples: {
      'at its end': failureBody(409, 'The run is written: there is nothing left to cancel', 'Conflict'),
      'another revision': failureBody(409, 'This draft has revision 2 by now, not 1: look at it again', 'Conflict'),
    },
  },
  noReviewer: {
    description: 'Only a reviewer of the site decides about its drafts.',
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
  storeAway: {
    description: 'The database cannot be reached: nothing was done.',
    examples: { away: failureBody(503, 'The database cannot be reached', 'Service Unavailable') },
  },
  badVisitOrder: {
    description: 'The order is not valid.',
    examples: {
      'no story': failureBody(400, 'story is required and must be the name of a visit or of a story', 'Bad Request'),
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
    description: 'No sandbox runs here, or it cannot be done at this moment.',
    examples: {
      'no sandbox': failureBody(
        409,
        'No sandbox runs here: start with SANDBOX=on (auto: on where no other site has an EHR)',
        'Conflict',
      ),
      'not now': failureBody(409, 'This encounter is cancelled: it cannot be finished', 'Conflict'),
    },
  },
  drillBusy: {
    description: 'Another drill is under way, this one cannot be rehearsed here, or no sandbox runs.',
    examples: { 'another one': failureBody(409, 'The drill model-down is under way', 'Conflict') },
  },
  watched: {
    description: 'Too many watch already, or the engine stops.',
    examples: { many: failureBody(503, 'Too many watch the runs already', 'Service Unavailable') },
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
    description: 'The session has another recording already.',
    examples: {
      taken: failureBody(
        409,
        'This session of the encounter has another recording already: name another session',
        'Conflict',
      ),
    },
  },
  notKept: {
    description:
      'Nothing was kept: the EHR or the database cannot be reached, or there is too much to do. Send it again.',
    examples: { away: failureBody(503, 'The EHR of mercy cannot be reached', 'Service Unavailable') },
  },
  badNotification: {
    description: 'It has a message id that is none, came too slowly, or is not packed as it says.',
    examples: {
      'bad id': failureBody(400, 'The message id must be one text of 1 to 255 printable characters', 'Bad Request'),
    },
  },
  unknownSender: {
    description: 'No good signature and no good secret, or a time that is more than five minutes from now.',
    examples: {
      wrong: { statusCode: 401, message: 'The notification has no good signature and no good secret' },
    },
  },
  largeNotification: {
    description: 'It is larger than 16 MB, also when unpacked.',
    examples: { 'too large': failureBody(413, 'The request body is larger than 16 MB', 'Payload Too Large') },
  },
  strangeNotification: {
    description: 'It is XML, or of another kind that is not taken.',
    examples: {
      xml: failureBody(
        415,
        'The Content-Type must be application/json, application/fhir+json, CloudEvents as JSON, or application/hl7-v2',
        'Unsupported Media Type',
      ),
    },
  },
  notUnderstood: {
    description: 'It was kept aside, and cannot be understood however often it comes.',
    examples: {
      'another shape': failureBody(422, 'It has none of the shapes that are understood', 'Unprocessable Entity'),
    },
  },
  noJwks: {
    description: 'There is no such site, or it has no keys of its own.',
    examples: { none: failureBody(404, 'There are no keys here', 'Not Found') },
  },
} as const satisfies Record<string, Failure>;

type FailureName = keyof typeof FAILURES;

const RETRIED: ReadonlySet<string> = new Set(['429', '503']);

/** The failures of an address by their status. */
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

export function mapValues<Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

/** A description with the command that shows it, ready to be pasted. */
export function withCommand(description: string, command: string): string {
  return `${description}\n\n\`\`\`sh\n${command}\n\`\`\``;
}
