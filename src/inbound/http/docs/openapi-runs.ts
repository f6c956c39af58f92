// The addresses of runs as OpenAPI paths.
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import {
  cancelResponse,
  explainResponse,
  recallFindResponse,
  recallResponse,
  runListResponse,
  runResponse,
  runViewResponse,
  startedResponse,
  startedRunsResponse,
} from '../ops/ops-run-answers.ts';
import {
  explainBody,
  recallBody,
  replayBody,
  reviewBody,
  runId,
  runListQuery,
  runQuery,
  startBody,
} from '../ops/ops-run-schemas.ts';
import { sitePath } from '../ops/ops-site-schemas.ts';
import { administration, body, JSON_TYPE, OPERATOR, ok } from './openapi-ops-parts.ts';
import { answerHeaders, failures, withCommand } from './openapi-parts.ts';

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
    summary: 'List runs, without anything of a patient but ids',
    description: withCommand('The newest first.', `curl '${serverUrl}/ops/runs?status=held,parked' ${OPERATOR}`),
    requestParams: { query: runListQuery },
    responses: {
      200: ok('A page of runs.', runListResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 503: 'storeAway' }),
    },
  };
}

function startRuns(serverUrl: string): ZodOpenApiOperationObject {
  const started = z.union([startedResponse, startedRunsResponse]);
  return {
    ...administration,
    operationId: 'startRuns',
    summary: 'Look at an encounter now, or at all since a time',
    description: withCommand(
      'Whatever was seen of it before. With `since` the EHR is searched; ask with `countOnly` first. What is documented already is not documented again.',
      `curl ${serverUrl}/ops/runs ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"site":"mercy","encounter":"Encounter/123"}'`,
    ),
    requestBody: body(startBody, {
      'one encounter': { site: 'mercy', encounter: 'Encounter/123' },
      'how many since': { site: 'mercy', since: '2026-11-01', countOnly: true },
    }),
    responses: {
      200: ok('How many they are.', startedRunsResponse),
      202: ok('The run, or runs.', started),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 404: 'noSite', 409: 'runConflict', 503: 'ehrFailed' }),
    },
  };
}

function showRun(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    security: [{ operatorKey: [] }, { reviewerKey: [] }],
    operationId: 'showRun',
    summary: 'One run with its steps, and what they gave',
    description: withCommand(
      'Shows what was said and made of it, and so stands in the audit trail; with `brief=true` it does neither. A reviewer sees the runs of their site.',
      `curl '${serverUrl}/ops/runs/${RUN}?brief=true' ${OPERATOR}`,
    ),
    requestParams: { path: runPath, query: runQuery },
    responses: {
      200: ok('The run.', runViewResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 404: 'noRun', 503: 'storeAway' }),
    },
  };
}

function replay(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'replayRun',
    summary: 'Do the session of a run again',
    description: withCommand(
      'With today’s mappings. A further version of what stands in the chart, never a second one of it.',
      `curl ${serverUrl}/ops/runs/${RUN}/replay ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"from":"map","dryRun":true}'`,
    ),
    requestParams: { path: runPath },
    requestBody: body(replayBody, { 'what would change': { from: 'map', dryRun: true }, 'all of it': {} }, false),
    responses: {
      202: ok('The new run.', startedResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 404: 'noRun', 409: 'runConflict', 503: 'storeAway' }),
    },
  };
}

function cancel(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'cancelRun',
    summary: 'End a run',
    description: withCommand(
      'One that is at work ends at its next step.',
      `curl -X POST ${serverUrl}/ops/runs/${RUN}/cancel ${OPERATOR}`,
    ),
    requestParams: { path: runPath },
    responses: {
      202: ok('It is ended, or will be.', cancelResponse),
      ...failures({ 401: 'noOperator', 404: 'noRun', 409: 'runConflict', 503: 'storeAway' }),
    },
  };
}

function review(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...reviewing,
    operationId: 'reviewRun',
    summary: 'Approve, edit or reject a draft',
    description: withCommand(
      'With the key of a reviewer of the site; the operator’s is taken for the site `sandbox` only, where its `ehr.baseUrl` is on this machine. The decision is about one revision: `If-Match` or `revision` says which, and a stale one is refused. Where the mappings, or what the EHR takes, were changed since it was shown, the run is held again with what would be written now. What is rejected is taken out of the chart.',
      `curl ${serverUrl}/ops/runs/${RUN}/review -H "Authorization: Bearer $REVIEWER_KEY" ${JSON_TYPE} \\\n  -d '{"decision":"approve","revision":1}'`,
    ),
    requestParams: { path: runPath },
    requestBody: body(reviewBody, {
      approve: { decision: 'approve', revision: 1 },
      edit: { decision: 'edit', revision: 1, sections: { PLAN: 'Chest X-ray tomorrow.' } },
      reject: { decision: 'reject', revision: 1, reason: 'It is about another visit.' },
    }),
    responses: {
      200: ok('The run, as it goes on.', runResponse),
      ...failures({
        400: 'badRunOrder',
        401: 'noOperator',
        403: 'noReviewer',
        404: 'noRun',
        409: 'runConflict',
        503: 'storeAway',
      }),
    },
  };
}

function watchRuns(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'watchRuns',
    summary: 'Changes of runs as Server-Sent Events, while they happen',
    description: withCommand(
      'Each `run` event has the schema *RunEvent*. Who comes back with `Last-Event-ID` misses nothing; a change may be told twice then.',
      `curl -N ${serverUrl}/ops/events ${OPERATOR}`,
    ),
    responses: {
      200: {
        description: 'Events until one of both ends it; a comment every 15 s.',
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
    summary: 'Take back what a model, a mapping or a prompt made',
    description: withCommand(
      'What nobody signed is taken out of the charts, session by session; what a person made their own is named. Runs that hold such results and have not written them are withdrawn before: nobody may approve or write them any more. Ask with `dryRun` first.',
      `curl ${serverUrl}/ops/runs/recall ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"model":"example-model","dryRun":true}'`,
    ),
    requestBody: body(recallBody, {
      'what it would be': { model: 'example-model', dryRun: true },
      'all of a day': { site: 'mercy', from: '2026-11-20', to: '2026-11-21', reason: 'The model mixed up sides.' },
    }),
    responses: {
      200: ok('What was taken back, or would be.', z.union([recallFindResponse, recallResponse])),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 503: 'storeAway' }),
    },
  };
}

function explain(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'explainEncounter',
    summary: 'Why is there no note: one sentence, and what to do next',
    description: withCommand(
      'Also where no event ever came. It asks the EHR; it says nobody’s name, and nothing that anybody said.',
      `curl ${serverUrl}/ops/sites/mercy/explain ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"of":"Encounter/123"}'`,
    ),
    requestParams: { path: sitePath },
    requestBody: body(explainBody, { 'an encounter': { of: 'Encounter/123' }, 'a visit number': { of: 'V-77' } }),
    responses: {
      200: ok('How things stand, also where there is no such site.', explainResponse),
      ...failures({ 400: 'badRunOrder', 401: 'noOperator', 503: 'storeAway' }),
    },
  };
}
