// The addresses of sites and their EHRs as OpenAPI paths.
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import {
  probeBody,
  probeResponse,
  reconcileBody,
  reconcileResponse,
  siteListResponse,
  sitePath,
} from '../ops/ops-site-schemas.ts';
import { administration, body, JSON_TYPE, OPERATOR, ok } from './openapi-ops-parts.ts';
import { failures, withCommand } from './openapi-parts.ts';

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
    summary: 'List sites, and how each is',
    description: withCommand('By name.', `curl ${serverUrl}/ops/sites ${OPERATOR}`),
    responses: { 200: ok('All sites.', siteListResponse), ...failures({ 401: 'noOperator', 503: 'ehrFailed' }) },
  };
}

function probeSite(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'probeSite',
    summary: 'Find out what the EHR of a site can do',
    description: withCommand(
      'Reads nothing of a patient. With `writeTest` it makes a test patient with documents, and removes all of it again; what cannot be removed is named.',
      `curl ${serverUrl}/ops/sites/mercy/probe ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"writeTest":true}'`,
    ),
    requestParams: { path: sitePath },
    requestBody: body(probeBody, { 'with a write test': { writeTest: true }, anew: { forget: true } }, false),
    responses: {
      200: ok('What was found out, also where the EHR is not there.', probeResponse),
      ...failures({ 400: 'badSiteOrder', 401: 'noOperator', 404: 'noSite', 409: 'siteInUse', 503: 'ehrFailed' }),
    },
  };
}

function reconcileSite(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'reconcileSite',
    summary: 'Compare the charts of a site with what was written to them',
    description: withCommand(
      'Finds what is there twice, is missing, or stands at another patient. It changes nothing.',
      `curl -X POST ${serverUrl}/ops/sites/mercy/reconcile ${OPERATOR}`,
    ),
    requestParams: { path: sitePath },
    requestBody: body(reconcileBody, { 'a part of it': { limit: 500 } }, false),
    responses: {
      200: ok('What was found.', reconcileResponse),
      ...failures({ 400: 'badSiteOrder', 401: 'noOperator', 404: 'noSite', 409: 'siteInUse', 503: 'ehrFailed' }),
    },
  };
}

function showKeys(serverUrl: string): ZodOpenApiOperationObject {
  return {
    tags: ['Operation'],
    security: [],
    operationId: 'siteKeys',
    summary: 'The public keys by which the engine proves to the EHR of a site who it is',
    description: withCommand(
      'For SMART Backend Services: the address to register at the EHR.',
      `curl ${serverUrl}/ehr/mercy/jwks.json`,
    ),
    requestParams: { path: sitePath },
    responses: { 200: ok('A JWK Set.', jwksResponse), ...failures({ 404: 'noJwks' }) },
  };
}

const jwksResponse = z.object({ keys: z.array(z.record(z.string(), z.unknown())) }).meta({ id: 'JwkSet' });
