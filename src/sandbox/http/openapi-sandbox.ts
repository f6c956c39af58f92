// The paths of the sandbox in the OpenAPI document.
import type { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { failures } from '../../inbound/http/docs/openapi-failures.ts';
import { administration, body, JSON_TYPE, OPERATOR, ok } from '../../inbound/http/docs/openapi-ops-parts.ts';
import { withCommand } from '../../inbound/http/docs/openapi-parts.ts';
import {
  chartResponse,
  comeAgainBody,
  drillListResponse,
  drillPath,
  drillResponse,
  mergedVisitResponse,
  resetResponse,
  sandboxResponse,
  visitPath,
  visitResponse,
} from '../../wire/sandbox.ts';

const VISIT = '/ops/sandbox/visits/en-chest-pressure';

export function sandboxPaths(serverUrl: string): ZodOpenApiPathsObject {
  return {
    '/ops/sandbox': { get: showSandbox(serverUrl) },
    '/ops/sandbox/visits': { post: comeAgain(serverUrl) },
    '/ops/sandbox/visits/{name}': { get: showVisit(serverUrl) },
    ...actPaths(serverUrl),
    '/ops/sandbox/visits/{name}/chart': { get: showChart(serverUrl) },
    '/ops/sandbox/reset': { post: reset(serverUrl) },
    '/ops/sandbox/drills': { get: listDrills(serverUrl) },
    '/ops/sandbox/drills/{name}': { post: startDrill(serverUrl) },
    '/ops/sandbox/drill': { delete: endDrill(serverUrl) },
  };
}

const everywhere = { 401: 'noOperator', 409: 'noSandbox' } as const;
const ofVisit = { 401: 'noOperator', 404: 'noVisit', 409: 'noSandbox', 503: 'databaseDown' } as const;

function showSandbox(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'showSandbox',
    summary: 'The visits of the made-up hospital',
    description: withCommand(
      'If no sandbox runs, this path and all paths below it answer 409.',
      `curl ${serverUrl}/ops/sandbox ${OPERATOR}`,
    ),
    responses: { 200: ok('All visits.', sandboxResponse), ...failures(everywhere) },
  };
}

function comeAgain(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'playStory',
    summary: 'Start another visit of a scenario',
    description: withCommand(
      'The new visit is in progress until it is finished.',
      `curl ${serverUrl}/ops/sandbox/visits ${OPERATOR} ${JSON_TYPE} \\\n  -d '{"story":"en-chest-pressure"}'`,
    ),
    requestBody: body(comeAgainBody, { 'a story': { story: 'en-chest-pressure' } }),
    responses: {
      201: ok('The visit.', visitResponse),
      ...failures({ 400: 'badVisitOrder', ...ofVisit }),
    },
  };
}

function showVisit(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'showVisit',
    summary: 'One visit',
    description: withCommand('Without anything of its chart.', `curl ${serverUrl}${VISIT} ${OPERATOR}`),
    requestParams: { path: visitPath },
    responses: { 200: ok('The visit.', visitResponse), ...failures({ ...everywhere, 404: 'noVisit' }) },
  };
}

function actPaths(serverUrl: string): ZodOpenApiPathsObject {
  const act = (verb: string, operation: Act) => ({
    [`/ops/sandbox/visits/{name}/${verb}`]: { post: actOnVisit(`${serverUrl}${VISIT}/${verb}`, operation) },
  });
  return {
    ...act('finish', {
      operationId: 'finishVisit',
      summary: 'Finish the encounter and notify all subscribers',
      description: 'Answers once the events are sent. A finished encounter is announced again.',
    }),
    ...act('cancel', {
      operationId: 'cancelVisit',
      summary: 'Cancel the encounter',
      description: 'Unsigned drafts of it are retracted.',
    }),
    ...act('merge', {
      operationId: 'mergeVisit',
      summary: 'Merge the patient into another record',
      description: 'The other record takes over the chart and the encounters.',
      schema: mergedVisitResponse,
    }),
    ...act('late-recording', {
      operationId: 'addLateRecording',
      summary: 'Add a late recording to the encounter',
      description: 'It gets a note of its own.',
    }),
  };
}

type Act = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly schema?: z.ZodType;
};

function actOnVisit(address: string, { operationId, summary, description, schema }: Act): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId,
    summary,
    description: withCommand(description, `curl -X POST ${address} ${OPERATOR}`),
    requestParams: { path: visitPath },
    responses: { 200: ok('The visit as it is now.', schema ?? visitResponse), ...failures(ofVisit) },
  };
}

function showChart(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'showChart',
    summary: 'The chart of a visit',
    description: withCommand(
      'A FHIR Bundle of the Encounter, the resources about it, and the persons that they refer to. A view of patient data: it is in the audit trail.',
      `curl ${serverUrl}${VISIT}/chart ${OPERATOR}`,
    ),
    requestParams: { path: visitPath },
    responses: { 200: ok('A collection.', chartResponse), ...failures(ofVisit) },
  };
}

function reset(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'resetSandbox',
    summary: 'Restore the first charts',
    description: withCommand(
      'The engine’s runs of the sandbox are deleted, too. A drill under way ends.',
      `curl -X POST ${serverUrl}/ops/sandbox/reset ${OPERATOR}`,
    ),
    responses: { 200: ok('The new state.', resetResponse), ...failures({ ...everywhere, 503: 'databaseDown' }) },
  };
}

function listDrills(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'listDrills',
    summary: 'List the drills',
    description: withCommand(
      'With their faults, what to watch, and the expected result.',
      `curl ${serverUrl}/ops/sandbox/drills ${OPERATOR}`,
    ),
    responses: { 200: ok('All drills, and the one that is under way.', drillListResponse), ...failures(everywhere) },
  };
}

function startDrill(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'startDrill',
    summary: 'Start a drill',
    description: withCommand(
      'Sets the faults, starts another visit of its scenario and finishes it. One drill at a time.',
      `curl -X POST ${serverUrl}/ops/sandbox/drills/ehr-down ${OPERATOR}`,
    ),
    requestParams: { path: drillPath },
    responses: {
      202: ok('The drill has started.', drillResponse),
      ...failures({ 401: 'noOperator', 404: 'noDrill', 409: 'drillBusy', 503: 'databaseDown' }),
    },
  };
}

function endDrill(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'endDrill',
    summary: 'End the drill',
    description: withCommand(
      'Removes the faults; does nothing if no drill is under way.',
      `curl -X DELETE ${serverUrl}/ops/sandbox/drill ${OPERATOR}`,
    ),
    responses: { 204: { description: 'None is under way.' }, ...failures({ ...everywhere, 503: 'databaseDown' }) },
  };
}
