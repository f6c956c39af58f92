// OpenAPI endpoints by which a program without a browser signs in as a person.
import {
  deviceCodeForm,
  deviceCodeResponse,
  deviceErrorResponse,
  deviceLinkBody,
  deviceTokenForm,
  deviceTokenResponse,
} from '../../../wire/device.ts';
import { DEVICE_GRANT } from '../../../wire/device-grant.ts';
import type { Endpoints } from './openapi-endpoints.ts';
import { body, examplesOf, ok } from './openapi-parts.ts';

const PUBLIC = { tags: ['Administration'], security: [] };
const LINK = { token: 'EXAMPLE-NOT-A-LINK-EXAMPLE-NOT-A-LINK-00000' };

function form(schema: Parameters<typeof ok>[1], values: Parameters<typeof examplesOf>[0]) {
  return {
    required: true,
    content: { 'application/x-www-form-urlencoded': { schema, examples: examplesOf(values) } },
  };
}

export const deviceEndpoints: Endpoints = {
  'POST /device/code': {
    ...PUBLIC,
    operationId: 'beginDeviceSignIn',
    summary: 'Begin the sign-in of a program without a browser (RFC 8628)',
    description: 'The person opens the address, signs in there, types the code and confirms.',
    command: 'curl {server}/device/code -d client_id=chartwright-cli',
    requestBody: form(deviceCodeForm, { 'a program': { client_id: 'chartwright-cli' } }),
    responses: { 200: ok('The codes.', deviceCodeResponse), 400: ok('The form is not valid.', deviceErrorResponse) },
    failures: ['wrongKeys', 'databaseDown'],
  },
  'POST /device/token': {
    ...PUBLIC,
    operationId: 'askDeviceSignIn',
    summary: 'Ask whether the person has confirmed',
    description: 'Until then the answer is 400 with the error `authorization_pending`.',
    command: `curl {server}/device/token -d grant_type=${DEVICE_GRANT} -d device_code=EXAMPLE-NOT-A-CODE`,
    requestBody: form(deviceTokenForm, {
      'a program': { grant_type: DEVICE_GRANT, device_code: 'EXAMPLE-NOT-A-CODE' },
    }),
    responses: {
      200: ok('The session of the person.', deviceTokenResponse),
      400: ok('Not yet, refused, or too late.', deviceErrorResponse),
    },
    failures: ['wrongKeys', 'databaseDown'],
  },
  'POST /device/link': {
    ...PUBLIC,
    operationId: 'signInWithLink',
    summary: 'Sign in with a one-time link, where there is no browser',
    description: 'The link is used up.',
    command: `curl {server}/device/link -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(LINK)}'`,
    requestBody: body(deviceLinkBody, { 'a link': LINK }),
    responses: { 200: ok('The session of the person.', deviceTokenResponse) },
    failures: ['badRunOrder', 'noLink', 'wrongKeys', 'databaseDown'],
  },
};
