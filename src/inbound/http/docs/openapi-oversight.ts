// OpenAPI endpoints of pauses, the audit trail, quarantined deliveries and reviewers.
import { z } from 'zod';
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
import { type Endpoints, operatorCall } from './openapi-endpoints.ts';
import { body, ok } from './openapi-parts.ts';

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
