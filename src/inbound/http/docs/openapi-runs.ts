// OpenAPI endpoints of runs.
import { z } from 'zod';
import { breakGlassBody, openingListResponse, openingResponse, openingsQuery } from '../../../wire/break-glass.ts';
import { explainBody, explainResponse } from '../../../wire/explain.ts';
import { runId, sitePath } from '../../../wire/ids.ts';
import { recallBody, recallPreviewResponse, recallResponse } from '../../../wire/recall.ts';
import { runEvent, runListQuery, runListResponse, runResponse } from '../../../wire/run.ts';
import { evidenceResponse } from '../../../wire/run-evidence.ts';
import {
  cancelResponse,
  releaseBody,
  replayBody,
  startBody,
  startedResponse,
  startedRunsResponse,
} from '../../../wire/run-orders.ts';
import { runQuery, runViewResponse } from '../../../wire/run-view.ts';
import { type Endpoints, operatorCall } from './openapi-endpoints.ts';
import { answerHeaders, body, ok } from './openapi-parts.ts';

const RUN = '0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a77';
const runPath = z.object({ id: runId });

export const runEndpoints: Endpoints = {
  'GET /ops/runs': {
    operationId: 'listRuns',
    summary: 'List runs, without patient data except ids',
    description:
      'Newest first. With `status=parked` only runs that still need a person: not those whose replay was written, unless `replayed=true`. Without unfinished looks at encounters that have a run already, unless `looks=true`.',
    command: operatorCall('GET', '/ops/runs?status=held,parked'),
    requestParams: { query: runListQuery },
    responses: { 200: ok('A page of runs.', runListResponse) },
    failures: ['badRunOrder', 'noOperator', 'databaseDown'],
  },
  'POST /ops/runs': {
    operationId: 'startRuns',
    summary: 'Start a run for an encounter, or for all encounters since a time',
    description:
      'Starts a run even if the encounter was processed before, but does not document a session twice. With `since` the EHR is searched; use `countOnly` first to see how many encounters it finds.',
    command: operatorCall('POST', '/ops/runs', { site: 'mercy', encounter: 'Encounter/123' }),
    requestBody: body(startBody, {
      'one encounter': { site: 'mercy', encounter: 'Encounter/123' },
      'count since': { site: 'mercy', since: '2026-11-01', countOnly: true },
    }),
    responses: {
      200: ok('The number of encounters.', startedRunsResponse),
      202: ok('The new run or runs.', z.union([startedResponse, startedRunsResponse])),
    },
    failures: ['badRunOrder', 'noOperator', 'noSite', 'runConflict', 'ehrFailed'],
  },
  'POST /ops/runs/recall': {
    operationId: 'recallRuns',
    summary: 'Recall the results of a model, a mapping or a prompt',
    description:
      'Retracts unsigned results from the charts, session by session, and reports the results that a person has changed or signed. Before that, runs whose results are not written yet are withdrawn: they can no longer be approved or written. Use `dryRun` first.',
    command: operatorCall('POST', '/ops/runs/recall', { model: 'example-model', dryRun: true }),
    requestBody: body(recallBody, {
      'dry run': { model: 'example-model', dryRun: true },
      'results of one day': {
        site: 'mercy',
        from: '2026-11-20',
        to: '2026-11-21',
        reason: 'The model mixed up sides.',
      },
    }),
    responses: { 200: ok('What was retracted, or would be.', z.union([recallPreviewResponse, recallResponse])) },
    failures: ['badRunOrder', 'noOperator', 'databaseDown'],
  },
  'GET /ops/runs/{id}': {
    security: [{ operatorKey: [] }, { reviewerKey: [] }],
    operationId: 'showRun',
    summary: 'Show one run with its steps and their results',
    description:
      'The results are patient data, so each view is recorded in the audit trail. With `brief=true` there are no results and no entry. A reviewer can see the runs of their site.',
    command: operatorCall('GET', `/ops/runs/${RUN}?brief=true`),
    requestParams: { path: runPath, query: runQuery },
    responses: { 200: ok('The run.', runViewResponse) },
    failures: ['badRunOrder', 'noOperator', 'restrictedChart', 'noRun', 'databaseDown'],
  },
  'GET /ops/runs/{id}/evidence': {
    security: [{ operatorKey: [] }, { reviewerKey: [] }],
    operationId: 'showEvidence',
    summary: 'Show the note of a run statement by statement, with the words on which each rests',
    description:
      'All of it is patient data, so each view is recorded in the audit trail. It is about the draft as it was checked, before a clinician edited it. 404 if the note is not checked yet. A reviewer can see the runs of their site.',
    command: operatorCall('GET', `/ops/runs/${RUN}/evidence`),
    requestParams: { path: runPath },
    responses: { 200: ok('The evidence.', evidenceResponse) },
    failures: ['noOperator', 'restrictedChart', 'noRun', 'databaseDown'],
  },
  'POST /ops/runs/{id}/replay': {
    operationId: 'replayRun',
    summary: 'Replay the session of a run',
    description: 'Uses the current mappings. Resources in the chart get a new version; no resource is created twice.',
    command: operatorCall('POST', `/ops/runs/${RUN}/replay`, { from: 'map', dryRun: true }),
    requestParams: { path: runPath },
    requestBody: body(
      replayBody,
      { 'show the differences': { from: 'map', dryRun: true }, 'replay everything': {} },
      false,
    ),
    responses: { 202: ok('The new run.', startedResponse) },
    failures: ['badRunOrder', 'noOperator', 'noRun', 'runConflict', 'databaseDown'],
  },
  'POST /ops/runs/{id}/cancel': {
    operationId: 'cancelRun',
    summary: 'Cancel a run',
    description: 'A running run stops after the current step.',
    command: operatorCall('POST', `/ops/runs/${RUN}/cancel`),
    requestParams: { path: runPath },
    responses: { 202: ok('The run is cancelled, or is being cancelled.', cancelResponse) },
    failures: ['noOperator', 'noRun', 'runConflict', 'databaseDown'],
  },
  'POST /ops/runs/{id}/retry': {
    operationId: 'retryRun',
    summary: 'Try a run again that waits or is parked',
    description:
      'A waiting run is tried now. For a parked one a new run goes on at the step that failed. The answer names the run that goes on.',
    command: operatorCall('POST', `/ops/runs/${RUN}/retry`),
    requestParams: { path: runPath },
    responses: { 202: ok('The run that goes on.', startedResponse) },
    failures: ['noOperator', 'noRun', 'runConflict', 'databaseDown'],
  },
  'POST /ops/runs/{id}/release': {
    operationId: 'releaseRun',
    summary: 'Release a run that is held as sensitive',
    description:
      'It goes on from where it was held. The release is recorded in the audit trail with its reason. Labels and consent are still checked.',
    command: operatorCall('POST', `/ops/runs/${RUN}/release`, { reason: 'The officer for data protection agrees.' }),
    requestParams: { path: runPath },
    requestBody: body(releaseBody, {
      'this session': { reason: 'The officer for data protection agrees.' },
      'the encounter from now on': { reason: 'The officer for data protection agrees.', wholeEncounter: true },
    }),
    responses: { 200: ok('The run, which goes on.', runResponse) },
    failures: ['badRunOrder', 'noOperator', 'noRun', 'runConflict', 'databaseDown'],
  },
  'POST /ops/runs/{id}/break-glass': {
    security: [{ operatorKey: [] }, { reviewerKey: [] }],
    operationId: 'breakGlass',
    summary: 'Open a restricted chart for an hour, with a reason',
    description:
      'A chart is restricted if it is labelled R or V, if the site holds it as sensitive, or if the patient is a VIP. People and tokens read its patient data and decide about its draft only while they have it open. The opening is recorded and listed, and the privacy address of the site is notified.',
    command: operatorCall('POST', `/ops/runs/${RUN}/break-glass`, { reason: 'Called to the ward.' }),
    requestParams: { path: runPath },
    requestBody: body(breakGlassBody, { 'a reason': { reason: 'Called to the ward; the clinician is away.' } }),
    responses: { 201: ok('The opening.', openingResponse) },
    failures: ['badRunOrder', 'noOperator', 'noPermission', 'noRun', 'notRestricted', 'databaseDown'],
  },
  'GET /ops/break-glass': {
    operationId: 'listOpenedCharts',
    summary: 'List the restricted charts that were opened, with the reasons',
    description: 'Newest first, for auditors. A reason may hold patient data.',
    command: operatorCall('GET', '/ops/break-glass'),
    requestParams: { query: openingsQuery },
    responses: { 200: ok('A page of openings.', openingListResponse) },
    failures: ['badRunOrder', 'noOperator', 'noPermission', 'databaseDown'],
  },
  'GET /ops/events': {
    operationId: 'watchRuns',
    summary: 'Watch changes of runs as Server-Sent Events',
    description:
      'Each `run` event has the schema *RunEvent*. A client that reconnects with `Last-Event-ID` misses no change, but may receive a change twice.',
    command: `curl -N {server}/ops/events -H "Authorization: Bearer $OPERATOR_KEY"`,
    responses: {
      200: {
        description:
          'Events until the client or the engine closes the stream, with a comment every 15 s. It ends when the session or the role of the caller does.',
        headers: answerHeaders,
        content: { 'text/event-stream': { schema: runEvent } },
      },
    },
    failures: ['badRunOrder', 'noOperator', 'watched'],
  },
  'POST /ops/sites/{site}/explain': {
    operationId: 'explainEncounter',
    summary: 'Explain why an encounter has no note, and what to do next',
    description:
      'Works even if no event was ever received: it reads the EHR. The answer contains no names and nothing that was spoken.',
    command: operatorCall('POST', '/ops/sites/mercy/explain', { of: 'Encounter/123' }),
    requestParams: { path: sitePath },
    requestBody: body(explainBody, { 'an encounter': { of: 'Encounter/123' }, 'a visit number': { of: 'V-77' } }),
    responses: { 200: ok('The explanation, also if there is no such site.', explainResponse) },
    failures: ['badRunOrder', 'noOperator', 'databaseDown'],
  },
};
