// OpenAPI endpoints of sites and their EHRs.
import { z } from 'zod';
import { sitePath } from '../../../wire/ids.ts';
import { probeBody, probeResponse } from '../../../wire/probe.ts';
import { reconcileBody, reconcileResponse } from '../../../wire/reconcile.ts';
import { siteListResponse } from '../../../wire/sites.ts';
import { type Endpoints, operatorCall } from './openapi-endpoints.ts';
import { body, ok } from './openapi-parts.ts';

const jwksResponse = z.object({ keys: z.array(z.record(z.string(), z.unknown())) }).meta({ id: 'JwkSet' });

export const siteEndpoints: Endpoints = {
  'GET /ops/sites': {
    operationId: 'listSites',
    summary: 'List sites with their status',
    description: 'Sorted by name.',
    command: operatorCall('GET', '/ops/sites'),
    responses: { 200: ok('All sites.', siteListResponse) },
    failures: ['noOperator', 'ehrFailed'],
  },
  'POST /ops/sites/{site}/probe': {
    operationId: 'probeSite',
    summary: 'Probe the EHR of a site',
    description:
      'Finds out what the EHR supports, without reading patient data. With `writeTest` it creates a test patient with documents and deletes them again; what cannot be deleted is reported.',
    command: operatorCall('POST', '/ops/sites/mercy/probe', { writeTest: true }),
    requestParams: { path: sitePath },
    requestBody: body(
      probeBody,
      { 'with a write test': { writeTest: true }, 'without earlier findings': { forget: true } },
      false,
    ),
    responses: { 200: ok('The report, also if the EHR cannot be reached.', probeResponse) },
    failures: ['badSiteOrder', 'noOperator', 'noSite', 'siteInUse', 'ehrFailed'],
  },
  'POST /ops/sites/{site}/reconcile': {
    operationId: 'reconcileSite',
    summary: 'Reconcile the charts of a site with the ledger',
    description: 'Finds written resources that are duplicated, missing, or at another patient. It changes nothing.',
    command: operatorCall('POST', '/ops/sites/mercy/reconcile'),
    requestParams: { path: sitePath },
    requestBody: body(reconcileBody, { 'a part of the charts': { limit: 500 } }, false),
    responses: { 200: ok('The findings.', reconcileResponse) },
    failures: ['badSiteOrder', 'noOperator', 'noSite', 'siteInUse', 'ehrFailed'],
  },
  'GET /ehr/{site}/jwks.json': {
    tags: ['Operation'],
    security: [],
    operationId: 'siteKeys',
    summary: 'Public keys with which the engine authenticates at the EHR of a site',
    description: 'For SMART Backend Services: register this address at the EHR.',
    command: 'curl {server}/ehr/mercy/jwks.json',
    requestParams: { path: sitePath },
    responses: { 200: ok('A JWK Set.', jwksResponse) },
    failures: ['noJwks'],
  },
};
