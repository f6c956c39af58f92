// The addresses of pauses, the audit trail, set-aside deliveries and reviewers as OpenAPI paths.
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import {
  asideQuery,
  asideResponse,
  auditListResponse,
  auditQuery,
  issuedReviewerResponse,
  pauseBody,
  pauseResponse,
  resumeBody,
  reviewerBody,
  reviewerId,
  reviewerListResponse,
  reviewerQuery,
  verifyBody,
  verifyResponse,
} from '../ops/ops-audit-schemas.ts';
import { sitePath } from '../ops/ops-site-schemas.ts';
import { administration, body, JSON_TYPE, OPERATOR, ok } from './openapi-ops-parts.ts';
import { failures, withCommand } from './openapi-parts.ts';

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
    summary: 'Stop a part of the work for a site',
    description: withCommand(
      'In every engine, within 5 seconds; steps that are under way are brought to their end. Events are taken all the while.',
      `curl ${serverUrl}/ops/sites/mercy/pause ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"what":"write","reason":"EHR upgrade"}'`,
    ),
    requestParams: { path: sitePath },
    requestBody: body(pauseBody, { 'nothing is written': { what: 'write', reason: 'EHR upgrade' } }),
    responses: {
      200: ok('What is paused now.', pauseResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 404: 'noSite', 409: 'siteInUse', 503: 'storeAway' }),
    },
  };
}

function resumeSite(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'resumeSite',
    summary: 'Let the work for a site go on',
    description: withCommand(
      'Also for a site that is not in force any more.',
      `curl ${serverUrl}/ops/sites/mercy/resume ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"what":"all"}'`,
    ),
    requestParams: { path: sitePath },
    requestBody: body(resumeBody, { 'all of it': { what: 'all' } }, false),
    responses: {
      200: ok('What is still paused.', pauseResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 404: 'noSite', 409: 'siteInUse', 503: 'storeAway' }),
    },
  };
}

function listAudit(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'listAudit',
    summary: 'Who did what',
    description: withCommand('The newest first.', `curl '${serverUrl}/ops/audit?site=mercy' ${OPERATOR}`),
    requestParams: { query: auditQuery },
    responses: {
      200: ok('A page of the trail.', auditListResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 503: 'storeAway' }),
    },
  };
}

function verifyAudit(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'verifyAudit',
    summary: 'Is the trail what was kept',
    description: withCommand(
      'Finds what was changed, taken out or put in. A trail that was cut at its end shows only beside a head that somebody wrote down.',
      `curl -X POST ${serverUrl}/ops/audit/verify ${OPERATOR}`,
    ),
    requestBody: body(
      verifyBody,
      {
        'beside what was written down': {
          seq: 42,
          hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        },
      },
      false,
    ),
    responses: {
      200: ok('What was found.', verifyResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 503: 'storeAway' }),
    },
  };
}

function listAside(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'listAside',
    summary: 'What came and could not be used, with the reason',
    description: withCommand('The newest first; never with what was in it.', `curl ${serverUrl}/ops/aside ${OPERATOR}`),
    requestParams: { query: asideQuery },
    responses: {
      200: ok('A page of deliveries.', asideResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 503: 'storeAway' }),
    },
  };
}

function createReviewer(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'createReviewer',
    summary: 'Give a clinician an account to review with',
    description: withCommand(
      'The key is in this answer and nowhere else. It sees and decides about the runs of this site. A Practitioner that the EHR does not have is 400.',
      `curl ${serverUrl}/ops/reviewers ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"site":"mercy","practitioner":"Practitioner/7","name":"Dr. Example"}'`,
    ),
    requestBody: body(reviewerBody, {
      'a clinician': { site: 'mercy', practitioner: 'Practitioner/7', name: 'Dr. Example' },
    }),
    responses: {
      201: ok('The account with its key.', issuedReviewerResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 404: 'noSite', 409: 'siteInUse', 503: 'storeAway' }),
    },
  };
}

function listReviewers(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'listReviewers',
    summary: 'List reviewers, never their secrets',
    description: withCommand('The newest first.', `curl ${serverUrl}/ops/reviewers ${OPERATOR}`),
    requestParams: { query: reviewerQuery },
    responses: {
      200: ok('All of them.', reviewerListResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 503: 'storeAway' }),
    },
  };
}

function revokeReviewer(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'revokeReviewer',
    summary: 'End an account',
    description: withCommand(
      'From the next request on.',
      `curl -X DELETE ${serverUrl}/ops/reviewers/5f0c2a9b7d3e4816 ${OPERATOR}`,
    ),
    requestParams: { path: z.object({ id: reviewerId }) },
    responses: {
      204: { description: 'It is ended.' },
      ...failures({ 401: 'noOperator', 404: 'noSuchReviewer', 503: 'storeAway' }),
    },
  };
}
