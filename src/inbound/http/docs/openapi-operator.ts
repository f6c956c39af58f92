// OpenAPI paths of health, metrics, keys, plans and usage.
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import {
  createKeyBody,
  issuedKeyResponse,
  keyId,
  keyListQuery,
  keyListResponse,
  rotatedKeyResponse,
  rotateKeyBody,
} from '../../../wire/keys.ts';
import { planBody, planListResponse, planPath, planResponse } from '../../../wire/plans.ts';
import { readinessResponse } from '../../../wire/readiness.ts';
import { usageQuery, usageResponse } from '../../../wire/usage.ts';
import { failures } from './openapi-failures.ts';
import { administration, body, JSON_TYPE, OPERATOR, ok } from './openapi-ops-parts.ts';
import { oversightPaths } from './openapi-oversight.ts';
import { answerHeaders, withCommand } from './openapi-parts.ts';
import { runPaths } from './openapi-runs.ts';
import { sitePaths } from './openapi-sites.ts';

type Common = Pick<ZodOpenApiOperationObject, 'tags' | 'security'>;
const operation: Common = { tags: ['Operation'], security: [] };
const text = (description: string) => ({ description, content: { 'text/plain': { schema: z.string() } } });

/** The commands in these paths can be pasted if `$OPERATOR_KEY` is set. */
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
        summary: 'Check that the process is alive',
        responses: { 200: ok('The process is alive.', z.object({ status: z.literal('ok') })) },
      },
    },
    '/readyz': {
      get: {
        ...operation,
        operationId: 'readiness',
        summary: 'Check that the engine accepts work, and show the status of each part',
        description: withCommand(
          '`degraded` also has status 200: some requests cannot be answered.',
          `curl ${serverUrl}/readyz`,
        ),
        responses: {
          200: ok('The engine accepts work.', readinessResponse),
          503: ok('The engine does not accept work.', readinessResponse),
        },
      },
    },
    '/metrics': {
      get: {
        ...operation,
        operationId: 'metrics',
        summary: 'Show metrics for Prometheus',
        responses: { 200: text('Metrics in the Prometheus text format.') },
      },
    },
  };
}

function createKey(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'createKey',
    summary: 'Create an API key',
    description: withCommand(
      'Only this answer contains the key.',
      `curl ${serverUrl}/ops/keys ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"organization":"my-clinic","plan":"standard"}'`,
    ),
    requestBody: body(createKeyBody, {
      'a minimal key': { organization: 'my-clinic' },
      'a key that expires': {
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
    summary: 'List API keys, without their secrets',
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
      'The new key has the same organization, plan and label. The old key stays valid for `overlapHours`.',
      `curl ${serverUrl}/ops/keys/5f0c2a9b7d3e4816/rotate ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"overlapHours":24}'`,
    ),
    requestParams: { path: z.object({ id: keyId }) },
    requestBody: body(rotateKeyBody, { 'an overlap of one day': { overlapHours: 24 } }, false),
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
    summary: 'Revoke an API key',
    description: withCommand(
      'Every engine rejects the key within 5 seconds, and ends its open streams.',
      `curl -X DELETE ${serverUrl}/ops/keys/5f0c2a9b7d3e4816 ${OPERATOR}`,
    ),
    requestParams: { path: z.object({ id: keyId }) },
    responses: { 204: { description: 'The key is revoked.' }, ...failures({ 401: 'noOperator', 404: 'noKey' }) },
  };
}

function listPlans(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'listPlans',
    summary: 'List plans',
    description: withCommand('A limit that is absent does not apply.', `curl ${serverUrl}/ops/plans ${OPERATOR}`),
    responses: { 200: ok('All plans.', planListResponse), ...failures({ 401: 'noOperator' }) },
  };
}

function putPlan(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'putPlan',
    summary: 'Create or change a plan',
    description: withCommand(
      'Replaces all limits of the plan; a limit that is absent does not apply.',
      `curl -X PUT ${serverUrl}/ops/plans/standard ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"requestsPerMinute":60,"requestsPerMonth":10000}'`,
    ),
    requestParams: { path: planPath },
    requestBody: body(planBody, {
      'with limits': { requestsPerMinute: 60, requestsPerMonth: 10_000 },
      'without limits': {},
    }),
    responses: { 200: ok('The plan.', planResponse), ...failures({ 400: 'badOrder', 401: 'noOperator' }) },
  };
}

function reportUsage(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'reportUsage',
    summary: 'Report usage by organization, key and operation',
    description: withCommand(
      'The default period is this month.',
      `curl '${serverUrl}/ops/usage?format=csv' ${OPERATOR}`,
    ),
    requestParams: { query: usageQuery },
    responses: {
      200: {
        description: 'Usage in the period.',
        headers: answerHeaders,
        content: { 'application/json': { schema: usageResponse }, 'text/csv': { schema: z.string() } },
      },
      ...failures({ 400: 'badOrder', 401: 'noOperator' }),
    },
  };
}
