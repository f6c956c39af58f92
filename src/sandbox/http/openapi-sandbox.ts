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
      'Where no sandbox runs, this and all that is below it is 409.',
      `curl ${serverUrl}/ops/sandbox ${OPERATOR}`,
    ),
    responses: { 200: ok('All visits.', sandboxResponse), ...failures(everywhere) },
  };
}

function comeAgain(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'playStory',
    summary: 'Let a patient come again with the same complaint',
    description: withCommand(
      'The new visit goes on until it is finished.',
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
      summary: 'The encounter is over: who wants to know is told',
      description: 'Answers once the events are sent. What is finished is told again.',
    }),
    ...act('cancel', {
      operationId: 'cancelVisit',
      summary: 'The encounter never was',
      description: 'What was drafted of it and nobody signed is taken back.',
    }),
    ...act('merge', {
      operationId: 'mergeVisit',
      summary: 'The patient turns out to be another one',
      description: 'Their chart and their encounters are the survivor’s from now on.',
      schema: mergedVisitResponse,
    }),
    ...act('late-recording', {
      operationId: 'addLateRecording',
      summary: 'One more recording of the encounter comes in, after all others',
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
    summary: 'What stands in the chart of a visit',
    description: withCommand(
      'A FHIR Bundle of the Encounter, what is about it, and whom that names. A view of patient data: it stands in the audit trail.',
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
    summary: 'All charts as on the first day',
    description: withCommand(
      'The engine forgets its runs of the sandbox, too. A drill that is under way ends.',
      `curl -X POST ${serverUrl}/ops/sandbox/reset ${OPERATOR}`,
    ),
    responses: { 200: ok('What there is now.', resetResponse), ...failures({ ...everywhere, 503: 'databaseDown' }) },
  };
}

function listDrills(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'listDrills',
    summary: 'Which bad days can be rehearsed',
    description: withCommand(
      'With what goes wrong, what to look for, and what is promised.',
      `curl ${serverUrl}/ops/sandbox/drills ${OPERATOR}`,
    ),
    responses: { 200: ok('All drills, and the one that is under way.', drillListResponse), ...failures(everywhere) },
  };
}

function startDrill(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'startDrill',
    summary: 'Rehearse a bad day',
    description: withCommand(
      'Things go wrong from now on; the patient of its story comes again, and that visit is finished. One drill at a time.',
      `curl -X POST ${serverUrl}/ops/sandbox/drills/ehr-down ${OPERATOR}`,
    ),
    requestParams: { path: drillPath },
    responses: {
      202: ok('It has begun.', drillResponse),
      ...failures({ 401: 'noOperator', 404: 'noDrill', 409: 'drillBusy', 503: 'databaseDown' }),
    },
  };
}

function endDrill(serverUrl: string): ZodOpenApiOperationObject {
  return {
    ...administration,
    operationId: 'endDrill',
    summary: 'All is well again',
    description: withCommand(
      'Ends the drill that is under way; nothing happens where none is.',
      `curl -X DELETE ${serverUrl}/ops/sandbox/drill ${OPERATOR}`,
    ),
    responses: { 204: { description: 'None is under way.' }, ...failures({ ...everywhere, 503: 'databaseDown' }) },
  };
}
