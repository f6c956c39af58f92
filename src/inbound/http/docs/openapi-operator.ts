// Health, metrics and the operator's addresses as OpenAPI paths.
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import {
  createKeyBody,
  issuedKeyResponse,
  keyId,
  keyListQuery,
  keyListResponse,
  planBody,
  planListResponse,
  planPath,
  planResponse,
  readinessResponse,
  rotatedKeyResponse,
  rotateKeyBody,
  usageQuery,
  usageResponse,
} from '../ops/ops-schemas.ts';
import { administration, body, JSON_TYPE, OPERATOR, ok } from './openapi-ops-parts.ts';
import { oversightPaths } from './openapi-oversight.ts';
import { answerHeaders, failures, withCommand } from './openapi-parts.ts';
import { runPaths } from './openapi-runs.ts';
import { sitePaths } from './openapi-sites.ts';

type Common = Pick<ZodOpenApiOperationObject, 'tags' | 'security'>;
const operation: Common = { tags: ['Operation'], security: [] };
const text = (description: string) => ({ description, content: { 'text/plain': { schema: z.string() } } });

/** Paths whose commands can be pasted with `$OPERATOR_KEY` set. */
export function operatorPaths(serverUrl: string): ZodOpenApiPathsObject {
  return {
    ...healthPaths(serverUrl),
    '/ops/keys': { post: createKey(serverUrl), get: listKeys(serverUrl) },
    '/ops/keys/{id}/rotate': { post: rotateKey(serverUrl) },
    '/ops/keys/{id}': { delete: revokeKey(serverUrl) },
    '/ops/plans': { get: listPlans(serverUrl) },
    '/ops/plans/{name}': { put: putPlan(serverUrl) },
    '/ops/usage': { get: reportUsage(serverUrl) },
    ...sitePaths(serverUrl),
    ...runPaths(serverUrl),
    ...oversightPaths(serverUrl),
  };
}

function healthPaths(serverUrl: string): ZodOpenApiPathsObject {
  return {
    '/healthz': {
      get: {
        ...operation,
        operationId: 'health',
        summary: 'Does the process live',
        responses: { 200: ok('It does.', z.object({ status: z.literal('ok') })) },
      },
    },
    '/readyz': {
      get: {
        ...operation,
        operationId: 'readiness',
        summary: 'Can work be accepted, and how is each part',
        description: withCommand(
          '`degraded` is 200 too: some requests cannot be answered.',
          `curl ${serverUrl}/readyz`,
        ),
        responses: {
          200: ok('Work can be accepted.', readinessResponse),
          503: ok('Work cannot be accepted.', readinessResponse),
        },
      },
    },
    '/metrics': {
      get: {
        ...operation,
        operationId: 'metrics',
        summary: 'Counts and times for Prometheus',
        responses: { 200: text('In the text format of Prometheus.') },
      },
    },
  };
}

function createKey(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'createKey',
    summary: 'Make an API key',
    description: withCommand(
      'The key is in this answer and nowhere else.',
      `curl ${serverUrl}/ops/keys ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"organization":"my-clinic","plan":"standard"}'`,
    ),
    requestBody: body(createKeyBody, {
      'a first key': { organization: 'my-clinic' },
      'a key with an end': {
        organization: 'my-clinic',
        plan: 'standard',
        label: 'test bench',
        expiresAt: '2027-01-31',
      },
    }),
    responses: { 201: ok('The key.', issuedKeyResponse), ...failures({ 400: 'badOrder', 401: 'noOperator' }) },
  };
}

function listKeys(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'listKeys',
    summary: 'List API keys, never their secrets',
    description: withCommand('Newest first.', `curl ${serverUrl}/ops/keys ${OPERATOR}`),
    requestParams: { query: keyListQuery },
    responses: { 200: ok('A page of keys.', keyListResponse), ...failures({ 400: 'badOrder', 401: 'noOperator' }) },
  };
}

function rotateKey(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'rotateKey',
    summary: 'Replace an API key',
    description: withCommand(
      'The new key takes over organization, plan and label. The old one stays good for `overlapHours`.',
      `curl ${serverUrl}/ops/keys/5f0c2a9b7d3e4816/rotate ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"overlapHours":24}'`,
    ),
    requestParams: { path: z.object({ id: keyId }) },
    requestBody: body(rotateKeyBody, { 'a day to change over': { overlapHours: 24 } }, false),
    responses: {
      201: ok('The new key.', rotatedKeyResponse),
      ...failures({ 400: 'badOrder', 401: 'noOperator', 404: 'noKey', 409: 'endedKey' }),
    },
  };
}

function revokeKey(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'revokeKey',
    summary: 'End an API key',
    description: withCommand(
      'No engine takes it for longer than 5 seconds more, not even on a stream that is open.',
      `curl -X DELETE ${serverUrl}/ops/keys/5f0c2a9b7d3e4816 ${OPERATOR}`,
    ),
    requestParams: { path: z.object({ id: keyId }) },
    responses: { 204: { description: 'It is ended.' }, ...failures({ 401: 'noOperator', 404: 'noKey' }) },
  };
}

function listPlans(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'listPlans',
    summary: 'List plans',
    description: withCommand('A number that is absent is no limit.', `curl ${serverUrl}/ops/plans ${OPERATOR}`),
    responses: { 200: ok('All plans.', planListResponse), ...failures({ 401: 'noOperator' }) },
  };
}

function putPlan(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'putPlan',
    summary: 'Make or change a plan',
    description: withCommand(
      'Replaces all its limits: a number that is absent is no limit.',
      `curl -X PUT ${serverUrl}/ops/plans/standard ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"requestsPerMinute":60,"requestsPerMonth":10000}'`,
    ),
    requestParams: { path: planPath },
    requestBody: body(planBody, { 'with limits': { requestsPerMinute: 60, requestsPerMonth: 10_000 }, 'no limit': {} }),
    responses: { 200: ok('The plan.', planResponse), ...failures({ 400: 'badOrder', 401: 'noOperator' }) },
  };
}

function reportUsage(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'reportUsage',
    summary: 'What was used, by organization, key and operation',
    description: withCommand(
      'This month where nothing else is asked.',
      `curl '${serverUrl}/ops/usage?format=csv' ${OPERATOR}`,
    ),
    requestParams: { query: usageQuery },
    responses: {
      200: {
        description: 'The sums.',
        headers: answerHeaders,
        content: { 'application/json': { schema: usageResponse }, 'text/csv': { schema: z.string() } },
      },
      ...failures({ 400: 'badOrder', 401: 'noOperator' }),
    },
  };
}
