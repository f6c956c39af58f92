// OpenAPI paths of runs.
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { explainBody, explainResponse } from '../../../wire/explain.ts';
import { runId, sitePath } from '../../../wire/ids.ts';
import { recallBody, recallPreviewResponse, recallResponse } from '../../../wire/recall.ts';
import { reviewBody } from '../../../wire/review.ts';
import { runListQuery, runListResponse, runResponse } from '../../../wire/run.ts';
import {
  cancelResponse,
  replayBody,
  startBody,
  startedResponse,
  startedRunsResponse,
} from '../../../wire/run-orders.ts';
import { runQuery, runViewResponse } from '../../../wire/run-view.ts';
import { failures } from './openapi-failures.ts';
import { administration, body, JSON_TYPE, OPERATOR, ok } from './openapi-ops-parts.ts';
import { answerHeaders, withCommand } from './openapi-parts.ts';

const reviewing = { tags: ['Administration'], security: [{ reviewerKey: [] }] };

const RUN = '0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a77';
const runPath = z.object({ id: runId });

export function runPaths(serverUrl: string): ZodOpenApiPathsObject {
  return {
    '/ops/runs': { get: listRuns(serverUrl), post: startRuns(serverUrl) },
    '/ops/runs/recall': { post: recall(serverUrl) },
    '/ops/runs/{id}': { get: showRun(serverUrl) },
    '/ops/runs/{id}/replay': { post: replay(serverUrl) },
    '/ops/runs/{id}/cancel': { post: cancel(serverUrl) },
    '/ops/runs/{id}/review': { post: review(serverUrl) },
    '/ops/events': { get: watchRuns(serverUrl) },
    '/ops/sites/{site}/explain': { post: explain(serverUrl) },
  };
}

function listRuns(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'listRuns',
    summary: 'List runs, without patient data except ids',
    description: withCommand('Newest first.', `curl '${serverUrl}/ops/runs?status=held,parked' ${OPERATOR}`),
    requestParams: { query: runListQuery },
    responses: {
      200: ok('A page of runs.', runListResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 503: 'databaseDown' }),
    },
  };
}

function startRuns(serverUrl: string): ZodOpenApiOperationObject {
  const started = z.union([startedResponse, startedRunsResponse]);
  return {
    ...administration,
    operationId: 'startRuns',
    summary: 'Start a run for an encounter, or for all encounters since a time',
    description: withCommand(
      'Starts a run even if the encounter was processed before, but does not document a session twice. With `since` the EHR is searched; use `countOnly` first to see how many encounters it finds.',
      `curl ${serverUrl}/ops/runs ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"site":"mercy","encounter":"Encounter/123"}'`,
    ),
    requestBody: body(startBody, {
      'one encounter': { site: 'mercy', encounter: 'Encounter/123' },
      'count since': { site: 'mercy', since: '2026-11-01', countOnly: true },
    }),
    responses: {
      200: ok('The number of encounters.', startedRunsResponse),
      202: ok('The new run or runs.', started),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 404: 'noSite', 409: 'runConflict', 503: 'ehrFailed' }),
    },
  };
}

function showRun(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    security: [{ operatorKey: [] }, { reviewerKey: [] }],
    operationId: 'showRun',
    summary: 'Show one run with its steps and their results',
    description: withCommand(
      'The results are patient data, so each view is recorded in the audit trail. With `brief=true` there are no results and no entry. A reviewer can see the runs of their site.',
      `curl '${serverUrl}/ops/runs/${RUN}?brief=true' ${OPERATOR}`,
    ),
    requestParams: { path: runPath, query: runQuery },
    responses: {
      200: ok('The run.', runViewResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 404: 'noRun', 503: 'databaseDown' }),
    },
  };
}

function replay(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'replayRun',
    summary: 'Replay the session of a run',
    description: withCommand(
      'Uses the current mappings. Resources in the chart get a new version; no resource is created twice.',
      `curl ${serverUrl}/ops/runs/${RUN}/replay ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"from":"map","dryRun":true}'`,
    ),
    requestParams: { path: runPath },
    requestBody: body(
      replayBody,
      { 'show the differences': { from: 'map', dryRun: true }, 'replay everything': {} },
      false,
    ),
    responses: {
      202: ok('The new run.', startedResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 404: 'noRun', 409: 'runConflict', 503: 'databaseDown' }),
    },
  };
}

function cancel(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'cancelRun',
    summary: 'Cancel a run',
    description: withCommand(
      'A running run stops after the current step.',
      `curl -X POST ${serverUrl}/ops/runs/${RUN}/cancel ${OPERATOR}`,
    ),
    requestParams: { path: runPath },
    responses: {
      202: ok('The run is cancelled, or is being cancelled.', cancelResponse),
      ...failures({ 401: 'noOperator', 404: 'noRun', 409: 'runConflict', 503: 'databaseDown' }),
    },
  };
}

function review(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...reviewing,
    operationId: 'reviewRun',
    summary: 'Approve, edit or reject a draft',
    description: withCommand(
      'Requires the key of a reviewer of the site. The operator key is accepted only for the site `sandbox`, and only if its `ehr.baseUrl` is on this machine. A decision is about one revision, named by `If-Match` or `revision`; a stale revision is refused. If the mappings or the capabilities of the EHR have changed since the draft was shown, the run is held again with the new draft. A rejected draft is retracted from the chart.',
      `curl ${serverUrl}/ops/runs/${RUN}/review -H "Authorization: Bearer $REVIEWER_KEY" ${JSON_TYPE} \\\n  -d '{"decision":"approve","revision":1}'`,
    ),
    requestParams: { path: runPath },
    requestBody: body(reviewBody, {
      approve: { decision: 'approve', revision: 1 },
      edit: { decision: 'edit', revision: 1, sections: { PLAN: 'Chest X-ray tomorrow.' } },
      reject: { decision: 'reject', revision: 1, reason: 'It is about another visit.' },
    }),
    responses: {
      200: ok('The run after the decision.', runResponse),
      ...failures({
        400: 'badRunOrder',
        401: 'noOperator',
        403: 'noReviewer',
        404: 'noRun',
        409: 'runConflict',
        503: 'databaseDown',
      }),
    },
  };
}

function watchRuns(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'watchRuns',
    summary: 'Watch changes of runs as Server-Sent Events',
    description: withCommand(
      'Each `run` event has the schema *RunEvent*. A client that reconnects with `Last-Event-ID` misses no change, but may receive a change twice.',
      `curl -N ${serverUrl}/ops/events ${OPERATOR}`,
    ),
    responses: {
      200: {
        description: 'Events until the client or the engine closes the stream, with a comment every 15 s.',
        headers: answerHeaders,
        content: { 'text/event-stream': { schema: z.string() } },
      },
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 503: 'watched' }),
    },
  };
}

function recall(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'recallRuns',
    summary: 'Recall the results of a model, a mapping or a prompt',
    description: withCommand(
      'Retracts unsigned results from the charts, session by session, and reports the results that a person has changed or signed. Before that, runs whose results are not written yet are withdrawn: they can no longer be approved or written. Use `dryRun` first.',
      `curl ${serverUrl}/ops/runs/recall ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"model":"example-model","dryRun":true}'`,
    ),
    requestBody: body(recallBody, {
      'dry run': { model: 'example-model', dryRun: true },
      'results of one day': {
        site: 'mercy',
        from: '2026-11-20',
        to: '2026-11-21',
        reason: 'The model mixed up sides.',
      },
    }),
    responses: {
      200: ok('What was retracted, or would be.', z.union([recallPreviewResponse, recallResponse])),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 503: 'databaseDown' }),
    },
  };
}

function explain(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'explainEncounter',
    summary: 'Explain why an encounter has no note, and what to do next',
    description: withCommand(
      'Works even if no event was ever received: it reads the EHR. The answer contains no names and nothing that was spoken.',
      `curl ${serverUrl}/ops/sites/mercy/explain ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"of":"Encounter/123"}'`,
    ),
    requestParams: { path: sitePath },
    requestBody: body(explainBody, { 'an encounter': { of: 'Encounter/123' }, 'a visit number': { of: 'V-77' } }),
    responses: {
      200: ok('The explanation, also if there is no such site.', explainResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 503: 'databaseDown' }),
    },
  };
}
