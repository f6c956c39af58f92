// The paths of the sandbox in the OpenAPI document.
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { type Endpoints, makePaths, operatorCall } from '../../inbound/http/docs/openapi-endpoints.ts';
import { body, ok } from '../../inbound/http/docs/openapi-parts.ts';
import {
  chartResponse,
  comeAgainBody,
  drillListResponse,
  drillPath,
  drillResponse,
  mergedVisitResponse,
  openChartBody,
  openedChartResponse,
  resetResponse,
  sandboxResponse,
  visitPath,
  visitResponse,
} from '../../wire/sandbox.ts';

const VISIT = '/ops/sandbox/visits/en-chest-pressure';

const ofVisit = {
  requestParams: { path: visitPath },
  failures: ['noOperator', 'noVisit', 'noSandbox', 'databaseDown'],
} as const;

const endpoints: Endpoints = {
  'GET /ops/sandbox': {
    operationId: 'showSandbox',
    summary: 'The visits of the made-up hospital',
    description: 'If no sandbox runs, this path and all paths below it answer 409.',
    command: operatorCall('GET', '/ops/sandbox'),
    responses: { 200: ok('All visits.', sandboxResponse) },
    failures: ['noOperator', 'noSandbox'],
  },
  'POST /ops/sandbox/visits': {
    operationId: 'playStory',
    summary: 'Start another visit of a scenario',
    description: 'The new visit is in progress until it is finished.',
    command: operatorCall('POST', '/ops/sandbox/visits', { story: 'en-chest-pressure' }),
    requestBody: body(comeAgainBody, { 'a story': { story: 'en-chest-pressure' } }),
    responses: { 201: ok('The visit.', visitResponse) },
    failures: ['badVisitOrder', ...ofVisit.failures],
  },
  'GET /ops/sandbox/visits/{name}': {
    operationId: 'showVisit',
    summary: 'One visit',
    description: 'Without anything of its chart.',
    command: operatorCall('GET', VISIT),
    requestParams: { path: visitPath },
    responses: { 200: ok('The visit.', visitResponse) },
    failures: ['noOperator', 'noVisit', 'noSandbox'],
  },
  'POST /ops/sandbox/visits/{name}/finish': {
    operationId: 'finishVisit',
    summary: 'Finish the encounter and notify all subscribers',
    description: 'Answers once the events are sent. A finished encounter is announced again.',
    command: operatorCall('POST', `${VISIT}/finish`),
    responses: { 200: ok('The visit as it is now.', visitResponse) },
    ...ofVisit,
  },
  'POST /ops/sandbox/visits/{name}/open': {
    operationId: 'openVisitChart',
    summary: 'Open the chart in the EHR',
    description:
      'The EHR of the sandbox asks the engine for cards (CDS Hooks) and launches its review (SMART App Launch). The answer has both.',
    command: operatorCall('POST', `${VISIT}/open`, {}),
    requestBody: body(openChartBody, { 'as a nurse': { practitioner: 'Practitioner/sandbox-nurse' } }),
    requestParams: { path: visitPath },
    responses: { 200: ok('The cards, and the address of the review.', openedChartResponse) },
    failures: ['badChartOrder', ...ofVisit.failures],
  },
  'POST /ops/sandbox/visits/{name}/cancel': {
    operationId: 'cancelVisit',
    summary: 'Cancel the encounter',
    description: 'Unsigned drafts of it are retracted.',
    command: operatorCall('POST', `${VISIT}/cancel`),
    responses: { 200: ok('The visit as it is now.', visitResponse) },
    ...ofVisit,
  },
  'POST /ops/sandbox/visits/{name}/merge': {
    operationId: 'mergeVisit',
    summary: 'Merge the patient into another record',
    description: 'The other record takes over the chart and the encounters.',
    command: operatorCall('POST', `${VISIT}/merge`),
    responses: { 200: ok('The visit as it is now.', mergedVisitResponse) },
    ...ofVisit,
  },
  'POST /ops/sandbox/visits/{name}/move': {
    operationId: 'moveVisit',
    summary: 'Move the encounter to another patient',
    description: 'With its recordings. The next call moves it back.',
    command: operatorCall('POST', `${VISIT}/move`),
    responses: { 200: ok('The visit as it is now.', visitResponse) },
    ...ofVisit,
  },
  'POST /ops/sandbox/visits/{name}/late-recording': {
    operationId: 'addLateRecording',
    summary: 'Add a late recording to the encounter',
    description: 'It gets a note of its own.',
    command: operatorCall('POST', `${VISIT}/late-recording`),
    responses: { 200: ok('The visit as it is now.', visitResponse) },
    ...ofVisit,
  },
  'GET /ops/sandbox/visits/{name}/chart': {
    operationId: 'showChart',
    summary: 'The chart of a visit',
    description:
      'A FHIR Bundle of the Encounter, the resources about it, and the persons that they refer to. A view of patient data: it is in the audit trail.',
    command: operatorCall('GET', `${VISIT}/chart`),
    responses: { 200: ok('A collection.', chartResponse) },
    ...ofVisit,
  },
  'POST /ops/sandbox/reset': {
    operationId: 'resetSandbox',
    summary: 'Restore the first charts',
    description: 'The engine’s runs of the sandbox are deleted, too. A drill under way ends.',
    command: operatorCall('POST', '/ops/sandbox/reset'),
    responses: { 200: ok('The new state.', resetResponse) },
    failures: ['noOperator', 'noSandbox', 'databaseDown'],
  },
  'GET /ops/sandbox/drills': {
    operationId: 'listDrills',
    summary: 'List the drills',
    description: 'With their faults, what to watch, and the expected result.',
    command: operatorCall('GET', '/ops/sandbox/drills'),
    responses: { 200: ok('All drills, and the one that is under way.', drillListResponse) },
    failures: ['noOperator', 'noSandbox'],
  },
  'POST /ops/sandbox/drills/{name}': {
    operationId: 'startDrill',
    summary: 'Start a drill',
    description: 'Sets the faults, starts another visit of its scenario and finishes it. One drill at a time.',
    command: operatorCall('POST', '/ops/sandbox/drills/ehr-down'),
    requestParams: { path: drillPath },
    responses: { 202: ok('The drill has started.', drillResponse) },
    failures: ['noOperator', 'noDrill', 'drillBusy', 'databaseDown'],
  },
  'DELETE /ops/sandbox/drill': {
    operationId: 'endDrill',
    summary: 'End the drill',
    description: 'Removes the faults; does nothing if no drill is under way.',
    command: operatorCall('DELETE', '/ops/sandbox/drill'),
    responses: { 204: { description: 'None is under way.' } },
    failures: ['noOperator', 'noSandbox', 'databaseDown'],
  },
};

export function sandboxPaths(serverUrl: string): ZodOpenApiPathsObject {
  return makePaths(endpoints, serverUrl);
}
