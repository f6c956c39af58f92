// OpenAPI endpoints of health, metrics, keys, plans, lists of codes and usage.
import { z } from 'zod';
import { codeListsResponse, codesPath, codesQuery, importedCodesResponse } from '../../../wire/codes.ts';
import {
  createKeyBody,
  issuedKeyResponse,
  keyCallbacksBody,
  keyCallbacksResponse,
  keyId,
  keyListQuery,
  keyListResponse,
  rotatedKeyResponse,
  rotateKeyBody,
} from '../../../wire/keys.ts';
import { masterKeyResponse } from '../../../wire/master-key.ts';
import { planBody, planListResponse, planPath, planResponse } from '../../../wire/plans.ts';
import { readinessResponse } from '../../../wire/readiness.ts';
import { usageQuery, usageResponse } from '../../../wire/usage.ts';
import { type Endpoints, operatorCall } from './openapi-endpoints.ts';
import { answerHeaders, body, bytes, ok } from './openapi-parts.ts';

const operation = { tags: ['Operation'], security: [] };

export const operatorEndpoints: Endpoints = {
  'GET /healthz': {
    ...operation,
    operationId: 'health',
    summary: 'Check that the process is alive',
    description: 'For the supervisor of the process. It says nothing of the database or the vendors: `/readyz` does.',
    responses: { 200: ok('The process is alive.', z.object({ status: z.literal('ok') })) },
  },
  'GET /readyz': {
    ...operation,
    operationId: 'readiness',
    summary: 'Check that the engine accepts work, and show the status of each part',
    description: '`degraded` also has status 200: some requests cannot be answered.',
    command: 'curl {server}/readyz',
    responses: {
      200: ok('The engine accepts work.', readinessResponse),
      503: ok('The engine does not accept work.', readinessResponse),
    },
  },
  'GET /metrics': {
    ...operation,
    operationId: 'metrics',
    summary: 'Show metrics for Prometheus',
    description: 'Counts and times, without anything of a person. docs/operations.md names the most useful ones.',
    responses: {
      200: {
        description: 'Metrics in the Prometheus text format.',
        content: { 'text/plain': { schema: z.string() } },
      },
    },
  },
  'POST /ops/keys': {
    operationId: 'createKey',
    summary: 'Create an API key',
    description: 'Only this answer contains the key.',
    command: operatorCall('POST', '/ops/keys', { organization: 'my-clinic', plan: 'standard' }),
    requestBody: body(createKeyBody, {
      'a minimal key': { organization: 'my-clinic' },
      'a key that expires': {
        organization: 'my-clinic',
        plan: 'standard',
        label: 'test bench',
        expiresAt: '2027-01-31',
      },
    }),
    responses: { 201: ok('The key.', issuedKeyResponse) },
    failures: ['badOrder', 'noOperator'],
  },
  'GET /ops/keys': {
    operationId: 'listKeys',
    summary: 'List API keys, without their secrets',
    description: 'Newest first.',
    command: operatorCall('GET', '/ops/keys'),
    requestParams: { query: keyListQuery },
    responses: { 200: ok('A page of keys.', keyListResponse) },
    failures: ['badOrder', 'noOperator'],
  },
  'POST /ops/keys/{id}/rotate': {
    operationId: 'rotateKey',
    summary: 'Replace an API key',
    description: 'The new key has the same organization, plan and label. The old key stays valid for `overlapHours`.',
    command: operatorCall('POST', '/ops/keys/5f0c2a9b7d3e4816/rotate', { overlapHours: 24 }),
    requestParams: { path: z.object({ id: keyId }) },
    requestBody: body(rotateKeyBody, { 'an overlap of one day': { overlapHours: 24 } }, false),
    responses: { 201: ok('The new key.', rotatedKeyResponse) },
    failures: ['badOrder', 'noOperator', 'noKey', 'endedKey'],
  },
  'PUT /ops/keys/{id}/callbacks': {
    operationId: 'setKeyCallbacks',
    summary: 'Allow call-backs to origins of the client',
    description: 'Replaces what was allowed, and the secret that signs the call-backs of the key.',
    command: operatorCall('PUT', '/ops/keys/5f0c2a9b7d3e4816/callbacks', { origins: ['https://clinic.example.org'] }),
    requestParams: { path: z.object({ id: keyId }) },
    requestBody: body(keyCallbacksBody, { 'one origin': { origins: ['https://clinic.example.org'] } }),
    responses: { 200: ok('The origins, and the new secret.', keyCallbacksResponse) },
    failures: ['badOrder', 'noOperator', 'noKey'],
  },
  'DELETE /ops/keys/{id}': {
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    description: 'Every engine rejects the key within 5 seconds, and ends its open streams.',
    command: operatorCall('DELETE', '/ops/keys/5f0c2a9b7d3e4816'),
    requestParams: { path: z.object({ id: keyId }) },
    responses: { 204: { description: 'The key is revoked.' } },
    failures: ['noOperator', 'noKey'],
  },
  'GET /ops/plans': {
    operationId: 'listPlans',
    summary: 'List plans',
    description: 'A limit that is absent does not apply.',
    command: operatorCall('GET', '/ops/plans'),
    responses: { 200: ok('All plans.', planListResponse) },
    failures: ['noOperator'],
  },
  'PUT /ops/plans/{name}': {
    operationId: 'putPlan',
    summary: 'Create or change a plan',
    description: 'Replaces all limits of the plan; a limit that is absent does not apply.',
    command: operatorCall('PUT', '/ops/plans/standard', { requestsPerMinute: 60, requestsPerMonth: 10000 }),
    requestParams: { path: planPath },
    requestBody: body(planBody, {
      'with limits': { requestsPerMinute: 60, requestsPerMonth: 10_000 },
      'without limits': {},
    }),
    responses: { 200: ok('The plan.', planResponse) },
    failures: ['badOrder', 'noOperator'],
  },
  'GET /ops/master-key': {
    operationId: 'showMasterKey',
    summary: 'Show how far the replacement of the master key is',
    command: operatorCall('GET', '/ops/master-key'),
    responses: { 200: ok('The last replacement.', masterKeyResponse) },
    failures: ['noOperator'],
  },
  'POST /ops/master-key/rotate': {
    operationId: 'rotateMasterKey',
    summary: 'Replace the master key',
    description:
      'From then on the old key opens nothing that is stored; values are sealed anew in the background. 409, and nothing is changed: there is no new key, an engine does not have it, or an earlier replacement goes on.',
    command: operatorCall('POST', '/ops/master-key/rotate'),
    responses: { 200: ok('The key is replaced.', masterKeyResponse) },
    failures: ['noOperator', 'noNewKey'],
  },
  'GET /ops/codes': {
    operationId: 'listCodes',
    summary: 'List the official lists of codes',
    description: 'Without the list of its code system a site uses the table in its mappings.',
    command: operatorCall('GET', '/ops/codes'),
    responses: { 200: ok('The lists.', codeListsResponse) },
    failures: ['noOperator', 'databaseDown'],
  },
  'PUT /ops/codes/{system}': {
    operationId: 'importCodes',
    summary: 'Import the official list of a code system',
    description:
      'Replaces the list before as a whole, or not at all. The body is the file of the publisher, 200 MB at most: the order file of CMS for `icd-10-cm`, ClaML for `icd-10`, CSV with a header for `cie-10-es`. One list is imported at a time. Every engine on the database uses the new list at once.',
    command:
      'curl -X PUT \'{server}/ops/codes/icd-10-cm?version=2026\' -H "Authorization: Bearer $OPERATOR_KEY" \\\n  -T icd10cm_order_2026.txt',
    requestParams: { path: codesPath, query: codesQuery },
    requestBody: { required: true, content: { 'application/octet-stream': { schema: bytes('The file, unpacked.') } } },
    responses: { 200: ok('The new list.', importedCodesResponse) },
    failures: ['badCodes', 'noOperator', 'importRunning', 'largeCodes', 'databaseDown'],
  },
  'GET /ops/usage': {
    operationId: 'reportUsage',
    summary: 'Report usage by organization, key and operation',
    description: 'The default period is this month.',
    command: operatorCall('GET', '/ops/usage?format=csv'),
    requestParams: { query: usageQuery },
    responses: {
      200: {
        description: 'Usage in the period.',
        headers: answerHeaders,
        content: { 'application/json': { schema: usageResponse }, 'text/csv': { schema: z.string() } },
      },
    },
    failures: ['badOrder', 'noOperator'],
  },
};
