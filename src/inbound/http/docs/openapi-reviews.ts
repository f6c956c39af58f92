// OpenAPI endpoints of a reviewer's work: the drafts that wait, claims, decisions, what was signed, and the figures of edits.
import { z } from 'zod';
import {
  claimBody,
  claimResponse,
  delegateBody,
  draftListResponse,
  draftsQuery,
  nextDraftBody,
  nextDraftResponse,
  releasedResponse,
  reviewFiguresQuery,
  reviewFiguresResponse,
  signedQuery,
  signedResponse,
} from '../../../wire/drafts.ts';
import { runId } from '../../../wire/ids.ts';
import { reviewBody } from '../../../wire/review.ts';
import { runResponse } from '../../../wire/run.ts';
import { type Endpoints, operatorCall } from './openapi-endpoints.ts';
import { body, ok } from './openapi-parts.ts';

const RUN = '0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a77';
const runPath = z.object({ id: runId });
const BOTH_KEYS = [{ operatorKey: [] }, { reviewerKey: [] }];

function reviewerCall(method: 'GET' | 'POST', path: string, data?: unknown): string {
  const verb = method === 'POST' ? '-X POST ' : '';
  const call = `curl ${verb}{server}${path} -H "Authorization: Bearer $REVIEWER_KEY"`;
  return data === undefined ? call : `${call} -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(data)}'`;
}

export const reviewEndpoints: Endpoints = {
  'GET /ops/reviews': {
    security: BOTH_KEYS,
    operationId: 'listDrafts',
    summary: 'List the drafts that wait for a decision',
    description:
      'RED first, then by the severity of their marks, then the oldest first; without patient data except ids. Only drafts of sites for which the caller is a reviewer or operator. `draft` holds counts and codes, no text; those of runs of earlier versions are missing.',
    command: reviewerCall('GET', '/ops/reviews'),
    requestParams: { query: draftsQuery },
    responses: { 200: ok('The drafts.', draftListResponse) },
    failures: ['badRunOrder', 'noOperator', 'databaseDown'],
  },
  'POST /ops/reviews/next': {
    security: BOTH_KEYS,
    operationId: 'claimNextDraft',
    summary: 'Claim the first draft that is free',
    description:
      'Two people never get the same draft. The claim ends with the decision, when it is released, or 30 minutes after its holder last used it. It locks no one out.',
    command: reviewerCall('POST', '/ops/reviews/next'),
    requestBody: body(nextDraftBody, { any: {}, 'of a site': { site: 'mercy' } }),
    responses: { 200: ok('The draft; without `run` none is free.', nextDraftResponse) },
    failures: ['badRunOrder', 'noOperator', 'databaseDown'],
  },
  'GET /ops/reviews/signed': {
    security: BOTH_KEYS,
    operationId: 'listSignedDrafts',
    summary: 'List what the caller has signed',
    description: 'Newest first, with the references of what was written. Decisions of earlier versions are not in it.',
    command: reviewerCall('GET', '/ops/reviews/signed'),
    requestParams: { query: signedQuery },
    responses: { 200: ok('The signed drafts.', signedResponse) },
    failures: ['badRunOrder', 'noOperator', 'databaseDown'],
  },
  'GET /ops/reviews/figures': {
    operationId: 'showReviewFigures',
    summary: 'Show how much of the drafts was changed',
    description: 'Counts and lengths by note type and section, for quality reports. Texts are never stored for them.',
    command: operatorCall('GET', '/ops/reviews/figures?from=2026-11-01'),
    requestParams: { query: reviewFiguresQuery },
    responses: { 200: ok('The figures.', reviewFiguresResponse) },
    failures: ['badRunOrder', 'noOperator', 'databaseDown'],
  },
  'POST /ops/runs/{id}/claim': {
    security: BOTH_KEYS,
    operationId: 'claimDraft',
    summary: 'Claim a draft',
    description:
      'Claiming again makes the claim last 30 minutes from then on. If another person has the draft the answer is 409 with their name, unless `takeOver` is true.',
    command: reviewerCall('POST', `/ops/runs/${RUN}/claim`),
    requestParams: { path: runPath },
    requestBody: body(claimBody, { claim: {}, 'take over': { takeOver: true } }),
    responses: { 200: ok('The claim.', claimResponse) },
    failures: ['badRunOrder', 'noOperator', 'noRun', 'runConflict', 'databaseDown'],
  },
  'POST /ops/runs/{id}/unclaim': {
    security: BOTH_KEYS,
    operationId: 'releaseDraft',
    summary: 'Release a draft that the caller has claimed',
    command: reviewerCall('POST', `/ops/runs/${RUN}/unclaim`),
    requestParams: { path: runPath },
    responses: { 200: ok('Whether it was claimed by the caller.', releasedResponse) },
    failures: ['noOperator', 'noRun', 'databaseDown'],
  },
  'POST /ops/runs/{id}/delegate': {
    security: BOTH_KEYS,
    operationId: 'delegateDraft',
    summary: 'Hand a draft to another reviewer of its site',
    description:
      'The other reviewer has it for 12 hours, and gets a notice by mail if SMTP_URL is set and the account has an address. A claim of another person than the caller is ended only with `takeOver`.',
    command: reviewerCall('POST', `/ops/runs/${RUN}/delegate`, { to: 'Practitioner/8' }),
    requestParams: { path: runPath },
    requestBody: body(delegateBody, {
      'a Practitioner': { to: 'Practitioner/8' },
      'a person': { to: '5f0c2a9b7d3e4816' },
    }),
    responses: { 200: ok('The claim of the other reviewer.', claimResponse) },
    failures: ['badRunOrder', 'noOperator', 'noRun', 'runConflict', 'databaseDown'],
  },
  'POST /ops/runs/{id}/review': {
    security: [{ reviewerKey: [] }],
    operationId: 'reviewRun',
    summary: 'Approve, edit, reject or send back a draft',
    description:
      'Requires a reviewer of the site. The operator key is accepted only for the site `sandbox`, and only if its `ehr.baseUrl` is on this machine. A decision is about one revision, named by `If-Match` or `revision`; a stale revision is refused. If another person has claimed the draft the answer is 409 with their name, unless `takeOver` is true. If the mappings or the capabilities of the EHR have changed since the draft was shown, the run is held again with the new draft. A rejected draft is retracted from the chart. `correct` starts a new run of the session, in which the model writes the note anew with `reason` as an instruction; the note is checked as any other. The draft stays until the new one is there. Without a model the answer is 409.',
    command: reviewerCall('POST', `/ops/runs/${RUN}/review`, { decision: 'approve', revision: 1 }).replace(
      '-X POST ',
      '',
    ),
    requestParams: { path: runPath },
    requestBody: body(reviewBody, {
      approve: { decision: 'approve', revision: 1 },
      edit: { decision: 'edit', revision: 1, sections: { PLAN: 'Chest X-ray tomorrow.' } },
      reject: {
        decision: 'reject',
        revision: 1,
        reason: 'It is about another visit.',
        category: 'wrong-encounter',
      },
      correct: {
        decision: 'correct',
        revision: 1,
        reason: 'Leave out the family history.',
        category: 'not-usable',
      },
    }),
    responses: { 200: ok('The run after the decision; after `correct` the new run.', runResponse) },
    failures: ['badRunOrder', 'noOperator', 'noReviewer', 'noRun', 'runConflict', 'databaseDown'],
  },
};
