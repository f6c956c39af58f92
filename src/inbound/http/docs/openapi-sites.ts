// OpenAPI paths of sites and their EHRs.
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { sitePath } from '../../../wire/ids.ts';
import { probeBody, probeResponse } from '../../../wire/probe.ts';
import { reconcileBody, reconcileResponse } from '../../../wire/reconcile.ts';
import { siteListResponse } from '../../../wire/sites.ts';
import { failures } from './openapi-failures.ts';
import { administration, body, JSON_TYPE, OPERATOR, ok } from './openapi-ops-parts.ts';
import { withCommand } from './openapi-parts.ts';

export function sitePaths(serverUrl: string): ZodOpenApiPathsObject {
  return {
    '/ops/sites': { get: listSites(serverUrl) },
    '/ops/sites/{site}/probe': { post: probeSite(serverUrl) },
    '/ops/sites/{site}/reconcile': { post: reconcileSite(serverUrl) },
    '/ehr/{site}/jwks.json': { get: showKeys(serverUrl) },
  };
}

function listSites(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'listSites',
    summary: 'List sites with their status',
    description: withCommand('Sorted by name.', `curl ${serverUrl}/ops/sites ${OPERATOR}`),
    responses: { 200: ok('All sites.', siteListResponse), ...failures({ 401: 'noOperator', 503: 'ehrFailed' }) },
  };
}

function probeSite(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'probeSite',
    summary: 'Probe the EHR of a site',
    description: withCommand(
      'Finds out what the EHR supports, without reading patient data. With `writeTest` it creates a test patient with documents and deletes them again; what cannot be deleted is reported.',
      `curl ${serverUrl}/ops/sites/mercy/probe ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"writeTest":true}'`,
    ),
    requestParams: { path: sitePath },
    requestBody: body(
      probeBody,
      { 'with a write test': { writeTest: true }, 'without earlier findings': { forget: true } },
      false,
    ),
    responses: {
      200: ok('The report, also if the EHR cannot be reached.', probeResponse),
      ...failures({ 400: 'badSiteOrder', 401: 'noOperator', 404: 'noSite', 409: 'siteInUse', 503: 'ehrFailed' }),
    },
  };
}

function reconcileSite(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'reconcileSite',
    summary: 'Reconcile the charts of a site with the ledger',
    description: withCommand(
      'Finds written resources that are duplicated, missing, or at another patient. It changes nothing.',
      `curl -X POST ${serverUrl}/ops/sites/mercy/reconcile ${OPERATOR}`,
    ),
    requestParams: { path: sitePath },
    requestBody: body(reconcileBody, { 'a part of the charts': { limit: 500 } }, false),
    responses: {
      200: ok('The findings.', reconcileResponse),
      ...failures({ 400: 'badSiteOrder', 401: 'noOperator', 404: 'noSite', 409: 'siteInUse', 503: 'ehrFailed' }),
    },
  };
}

function showKeys(serverUrl: string): ZodOpenApiOperationObject {
  return {
    tags: ['Operation'],
    security: [],
    operationId: 'siteKeys',
    summary: 'Public keys with which the engine authenticates at the EHR of a site',
    description: withCommand(
      'For SMART Backend Services: register this address at the EHR.',
      `curl ${serverUrl}/ehr/mercy/jwks.json`,
    ),
    requestParams: { path: sitePath },
    responses: { 200: ok('A JWK Set.', jwksResponse), ...failures({ 404: 'noJwks' }) },
  };
}

const jwksResponse = z.object({ keys: z.array(z.record(z.string(), z.unknown())) }).meta({ id: 'JwkSet' });
