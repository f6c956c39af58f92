// OpenAPI paths of pauses, the audit trail, quarantined deliveries and reviewers.
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { auditListResponse, auditQuery, verifyBody, verifyResponse } from '../../../wire/audit.ts';
import { sitePath } from '../../../wire/ids.ts';
import { pauseBody, pauseResponse, resumeBody } from '../../../wire/pauses.ts';
import { quarantineQuery, quarantineResponse } from '../../../wire/quarantine.ts';
import {
  issuedReviewerResponse,
  reviewerBody,
  reviewerId,
  reviewerListResponse,
  reviewerQuery,
} from '../../../wire/reviewers.ts';
import { failures } from './openapi-failures.ts';
import { administration, body, JSON_TYPE, OPERATOR, ok } from './openapi-ops-parts.ts';
import { withCommand } from './openapi-parts.ts';

export function oversightPaths(serverUrl: string): ZodOpenApiPathsObject {
  return {
    '/ops/sites/{site}/pause': { post: pauseSite(serverUrl) },
    '/ops/sites/{site}/resume': { post: resumeSite(serverUrl) },
    '/ops/audit': { get: listAudit(serverUrl) },
    '/ops/audit/verify': { post: verifyAudit(serverUrl) },
    '/ops/aside': { get: listAside(serverUrl) },
    '/ops/reviewers': { post: createReviewer(serverUrl), get: listReviewers(serverUrl) },
    '/ops/reviewers/{id}': { delete: revokeReviewer(serverUrl) },
  };
}

function pauseSite(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'pauseSite',
    summary: 'Pause a part of the work for a site',
    description: withCommand(
      'Takes effect in every engine within 5 seconds. Steps that are running finish, and events are still accepted.',
      `curl ${serverUrl}/ops/sites/mercy/pause ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"what":"write","reason":"EHR upgrade"}'`,
    ),
    requestParams: { path: sitePath },
    requestBody: body(pauseBody, { 'pause writing': { what: 'write', reason: 'EHR upgrade' } }),
    responses: {
      200: ok('The current pauses of the site.', pauseResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 404: 'noSite', 409: 'siteInUse', 503: 'databaseDown' }),
    },
  };
}

function resumeSite(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'resumeSite',
    summary: 'Resume the work for a site',
    description: withCommand(
      'Also works for a site that is no longer active.',
      `curl ${serverUrl}/ops/sites/mercy/resume ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"what":"all"}'`,
    ),
    requestParams: { path: sitePath },
    requestBody: body(resumeBody, { 'resume everything': { what: 'all' } }, false),
    responses: {
      200: ok('The remaining pauses of the site.', pauseResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 404: 'noSite', 409: 'siteInUse', 503: 'databaseDown' }),
    },
  };
}

function listAudit(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'listAudit',
    summary: 'List the audit trail',
    description: withCommand('Newest first.', `curl '${serverUrl}/ops/audit?site=mercy' ${OPERATOR}`),
    requestParams: { query: auditQuery },
    responses: {
      200: ok('A page of the audit trail.', auditListResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 503: 'databaseDown' }),
    },
  };
}

function verifyAudit(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'verifyAudit',
    summary: 'Verify the audit trail',
    description: withCommand(
      'Detects entries that were changed, removed or inserted. Only a head that was stored elsewhere can show that the end of the trail was cut.',
      `curl -X POST ${serverUrl}/ops/audit/verify ${OPERATOR}`,
    ),
    requestBody: body(
      verifyBody,
      {
        'with a stored head': {
          seq: 42,
          hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        },
      },
      false,
    ),
    responses: {
      200: ok('The result of the verification.', verifyResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 503: 'databaseDown' }),
    },
  };
}

function listAside(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'listAside',
    summary: 'List quarantined deliveries, which could not be used, with the reason',
    description: withCommand(
      'Newest first, without the content of the deliveries.',
      `curl ${serverUrl}/ops/aside ${OPERATOR}`,
    ),
    requestParams: { query: quarantineQuery },
    responses: {
      200: ok('A page of deliveries.', quarantineResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 503: 'databaseDown' }),
    },
  };
}

function createReviewer(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'createReviewer',
    summary: 'Create an account for a reviewer',
    description: withCommand(
      'Only this answer contains the key. It can see and decide about the runs of this site. A Practitioner that does not exist in the EHR is refused with 400.',
      `curl ${serverUrl}/ops/reviewers ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"site":"mercy","practitioner":"Practitioner/7","name":"Dr. Example"}'`,
    ),
    requestBody: body(reviewerBody, {
      'a clinician': { site: 'mercy', practitioner: 'Practitioner/7', name: 'Dr. Example' },
    }),
    responses: {
      201: ok('The account and its key.', issuedReviewerResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 404: 'noSite', 409: 'siteInUse', 503: 'databaseDown' }),
    },
  };
}

function listReviewers(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'listReviewers',
    summary: 'List reviewers, without their keys',
    description: withCommand('Newest first.', `curl ${serverUrl}/ops/reviewers ${OPERATOR}`),
    requestParams: { query: reviewerQuery },
    responses: {
      200: ok('All reviewers.', reviewerListResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 503: 'databaseDown' }),
    },
  };
}

function revokeReviewer(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'revokeReviewer',
    summary: 'Revoke the account of a reviewer',
    description: withCommand(
      'Takes effect with the next request.',
      `curl -X DELETE ${serverUrl}/ops/reviewers/5f0c2a9b7d3e4816 ${OPERATOR}`,
    ),
    requestParams: { path: z.object({ id: reviewerId }) },
    responses: {
      204: { description: 'The account is revoked.' },
      ...failures({ 401: 'noOperator', 404: 'noSuchReviewer', 503: 'databaseDown' }),
    },
  };
}
