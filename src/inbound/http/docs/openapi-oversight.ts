// OpenAPI endpoints of pauses, the audit trail, quarantined deliveries and reviewers.
import { z } from 'zod';
import { auditListResponse, auditQuery, verifyBody, verifyResponse } from '../../../wire/audit.ts';
import { sitePath } from '../../../wire/ids.ts';
import { pauseBody, pauseResponse, resumeBody } from '../../../wire/pauses.ts';
import {
  quarantinedPath,
  quarantinedResponse,
  quarantineQuery,
  quarantineResponse,
  resendBody,
  resendResponse,
} from '../../../wire/quarantine.ts';
import {
  issuedReviewerResponse,
  reviewerBody,
  reviewerId,
  reviewerListResponse,
  reviewerQuery,
} from '../../../wire/reviewers.ts';
import { type Endpoints, operatorCall } from './openapi-endpoints.ts';
import { body, ok } from './openapi-parts.ts';

const DELIVERY = '0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a78';

export const oversightEndpoints: Endpoints = {
  'POST /ops/sites/{site}/pause': {
    operationId: 'pauseSite',
    summary: 'Pause a part of the work for a site',
    description:
      'Takes effect in every engine within 5 seconds. Steps that are running finish, and events are still accepted.',
    command: operatorCall('POST', '/ops/sites/mercy/pause', { what: 'write', reason: 'EHR upgrade' }),
    requestParams: { path: sitePath },
    requestBody: body(pauseBody, { 'pause writing': { what: 'write', reason: 'EHR upgrade' } }),
    responses: { 200: ok('The current pauses of the site.', pauseResponse) },
    failures: ['badRunOrder', 'noOperator', 'noSite', 'siteInUse', 'databaseDown'],
  },
  'POST /ops/sites/{site}/resume': {
    operationId: 'resumeSite',
    summary: 'Resume the work for a site',
    description: 'Also works for a site that is no longer active.',
    command: operatorCall('POST', '/ops/sites/mercy/resume', { what: 'all' }),
    requestParams: { path: sitePath },
    requestBody: body(resumeBody, { 'resume everything': { what: 'all' } }, false),
    responses: { 200: ok('The remaining pauses of the site.', pauseResponse) },
    failures: ['badRunOrder', 'noOperator', 'noSite', 'siteInUse', 'databaseDown'],
  },
  'GET /ops/audit': {
    operationId: 'listAudit',
    summary: 'List the audit trail',
    description: 'Newest first.',
    command: operatorCall('GET', '/ops/audit?site=mercy'),
    requestParams: { query: auditQuery },
    responses: { 200: ok('A page of the audit trail.', auditListResponse) },
    failures: ['badRunOrder', 'noOperator', 'databaseDown'],
  },
  'POST /ops/audit/verify': {
    operationId: 'verifyAudit',
    summary: 'Verify the audit trail',
    description:
      'Detects entries that were changed, removed or inserted. Only a head that was stored elsewhere can show that the end of the trail was cut.',
    command: operatorCall('POST', '/ops/audit/verify'),
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
    responses: { 200: ok('The result of the verification.', verifyResponse) },
    failures: ['badRunOrder', 'noOperator', 'databaseDown'],
  },
  'GET /ops/aside': {
    operationId: 'listAside',
    summary: 'List quarantined deliveries, which could not be used, with the reason',
    description: 'Newest first, without the content of the deliveries.',
    command: operatorCall('GET', '/ops/aside'),
    requestParams: { query: quarantineQuery },
    responses: { 200: ok('A page of deliveries.', quarantineResponse) },
    failures: ['badRunOrder', 'noOperator', 'databaseDown'],
  },
  'GET /ops/aside/{id}': {
    operationId: 'showAside',
    summary: 'Show a quarantined delivery with its content',
    description: 'The content is patient data: each view is recorded in the audit trail.',
    command: operatorCall('GET', `/ops/aside/${DELIVERY}`),
    requestParams: { path: quarantinedPath },
    responses: { 200: ok('The delivery.', quarantinedResponse) },
    failures: ['badRunOrder', 'noOperator', 'noRun', 'databaseDown'],
  },
  'POST /ops/aside/{id}/send': {
    operationId: 'resendAside',
    summary: 'Send a quarantined delivery again, corrected or as it came',
    description:
      'It is taken in like a new delivery of the same feed. Once it is accepted it leaves the list; otherwise `why` says what is wrong.',
    command: operatorCall('POST', `/ops/aside/${DELIVERY}/send`, { content: '{"encounter":"Encounter/123"}' }),
    requestParams: { path: quarantinedPath },
    requestBody: body(
      resendBody,
      { corrected: { content: '{"encounter": "Encounter/123"}', contentType: 'application/json' }, 'as it came': {} },
      false,
    ),
    responses: { 200: ok('What became of it.', resendResponse) },
    failures: ['badRunOrder', 'noOperator', 'noRun', 'runConflict', 'databaseDown'],
  },
  'POST /ops/reviewers': {
    operationId: 'createReviewer',
    summary: 'Create an account for a reviewer',
    description:
      'Only this answer contains the key. It can see and decide about the runs of this site. A Practitioner that does not exist in the EHR is refused with 400.',
    command: operatorCall('POST', '/ops/reviewers', {
      site: 'mercy',
      practitioner: 'Practitioner/7',
      name: 'Dr. Example',
    }),
    requestBody: body(reviewerBody, {
      'a clinician': { site: 'mercy', practitioner: 'Practitioner/7', name: 'Dr. Example' },
    }),
    responses: { 201: ok('The account and its key.', issuedReviewerResponse) },
    failures: ['badRunOrder', 'noOperator', 'noSite', 'siteInUse', 'databaseDown'],
  },
  'GET /ops/reviewers': {
    operationId: 'listReviewers',
    summary: 'List reviewers, without their keys',
    description: 'Newest first.',
    command: operatorCall('GET', '/ops/reviewers'),
    requestParams: { query: reviewerQuery },
    responses: { 200: ok('All reviewers.', reviewerListResponse) },
    failures: ['badRunOrder', 'noOperator', 'databaseDown'],
  },
  'DELETE /ops/reviewers/{id}': {
    operationId: 'revokeReviewer',
    summary: 'Revoke the account of a reviewer',
    description: 'Takes effect with the next request.',
    command: operatorCall('DELETE', '/ops/reviewers/5f0c2a9b7d3e4816'),
    requestParams: { path: z.object({ id: reviewerId }) },
    responses: {
      204: { description: 'The account is revoked.' },
    },
    failures: ['noOperator', 'noSuchReviewer', 'databaseDown'],
  },
};
