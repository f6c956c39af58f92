// OpenAPI endpoints of people: the caller's own account, people and their roles, sessions and tokens.
import {
  endedSessionsResponse,
  meResponse,
  purposeBody,
  purposeResponse,
  sessionListResponse,
  sessionPath,
} from '../../../wire/me.ts';
import {
  madePersonResponse,
  newPersonBody,
  peopleQuery,
  peopleResponse,
  personChangeBody,
  personLinkResponse,
  personPath,
  personResponse,
  personRolesResponse,
  roleListResponse,
  rolesBody,
} from '../../../wire/people.ts';
import { madeTokenResponse, newTokenBody, tokenListResponse, tokenPath } from '../../../wire/tokens.ts';
import { type Endpoints, operatorCall } from './openapi-endpoints.ts';
import { body, ok } from './openapi-parts.ts';

const PERSON = '7c1e0b5a9d3f2468';
const SAM = { name: 'Sam Example', roles: [{ role: 'operator', site: 'mercy' }] };
const REVIEWER = {
  name: 'Dr. Example',
  roles: [{ role: 'reviewer', site: 'mercy', practitioner: 'Practitioner/7' }],
};
const REPORT = { label: 'nightly report', roles: [{ role: 'viewer', site: '*' }], expiresAt: '2027-01-31' };

const ofOne = { requestParams: { path: personPath } } as const;

const own: Endpoints = {
  'GET /ops/me': {
    operationId: 'showMe',
    summary: 'Show who calls: the name, the roles, the purpose and the session',
    description: 'For each caller with a role.',
    command: operatorCall('GET', '/ops/me'),
    responses: { 200: ok('The caller.', meResponse) },
    failures: ['noOperator', 'notAdmitted', 'databaseDown'],
  },
  'PUT /ops/me/purpose': {
    operationId: 'setPurpose',
    summary: 'Say why patient data is read',
    description: 'Remembered for this session, and recorded with each read.',
    command: operatorCall('PUT', '/ops/me/purpose', { purpose: 'TREAT' }),
    requestBody: body(purposeBody, { treatment: { purpose: 'TREAT' } }),
    responses: { 200: ok('The purpose from now on.', purposeResponse) },
    failures: ['badRunOrder', 'noOperator', 'notAdmitted', 'noOwnSession', 'databaseDown'],
  },
  'DELETE /ops/me/session': {
    operationId: 'signOut',
    summary: 'End this session',
    description: 'Takes effect with the next request.',
    command: operatorCall('DELETE', '/ops/me/session'),
    responses: { 204: { description: 'The session has ended.' } },
    failures: ['noOperator', 'notAdmitted', 'noOwnSession', 'databaseDown'],
  },
  'GET /ops/me/sessions': {
    operationId: 'listOwnSessions',
    summary: 'List the sessions of the caller',
    description: 'Newest first. A key or token has none.',
    command: operatorCall('GET', '/ops/me/sessions'),
    responses: { 200: ok('The open sessions.', sessionListResponse) },
    failures: ['noOperator', 'notAdmitted', 'databaseDown'],
  },
  'DELETE /ops/me/sessions': {
    operationId: 'signOutEverywhere',
    summary: 'End all sessions of the caller, this one too',
    description: 'Takes effect with the next request of each.',
    command: operatorCall('DELETE', '/ops/me/sessions'),
    responses: { 200: ok('The sessions that were open.', endedSessionsResponse) },
    failures: ['noOperator', 'notAdmitted', 'noOwnSession', 'databaseDown'],
  },
};

const people: Endpoints = {
  'POST /ops/people': {
    operationId: 'createPerson',
    summary: 'Make an account for a person, with roles and a one-time link',
    description:
      'Only this answer contains the link, by which the person signs in the first time; it is good for 72 hours. An admin of some sites gives roles at these sites only. A Practitioner that does not exist in the EHR is refused with 400.',
    command: operatorCall('POST', '/ops/people', SAM),
    requestBody: body(newPersonBody, { 'an operator': SAM, 'a reviewer': REVIEWER }),
    responses: { 201: ok('The account and its link.', madePersonResponse) },
    failures: ['badRunOrder', 'noOperator', 'notAdmitted', 'noSite', 'takenPractitioner', 'databaseDown'],
  },
  'GET /ops/people': {
    operationId: 'listPeople',
    summary: 'List people with their roles',
    description: 'Newest first: people with a role at your sites, and of these only the roles there.',
    command: operatorCall('GET', '/ops/people'),
    requestParams: { query: peopleQuery },
    responses: { 200: ok('A page of people.', peopleResponse) },
    failures: ['badRunOrder', 'noOperator', 'notAdmitted', 'databaseDown'],
  },
  'GET /ops/people/{id}': {
    operationId: 'showPerson',
    summary: 'Show a person',
    description: 'Only with roles at your sites.',
    command: operatorCall('GET', `/ops/people/${PERSON}`),
    ...ofOne,
    responses: { 200: ok('The person.', personResponse) },
    failures: ['noOperator', 'notAdmitted', 'noPerson', 'databaseDown'],
  },
  'PUT /ops/people/{id}': {
    operationId: 'changePerson',
    summary: 'Change the name or the e-mail address of a person',
    description: 'What is absent stays.',
    command: operatorCall('PUT', `/ops/people/${PERSON}`, { name: 'Sam Sample' }),
    ...ofOne,
    requestBody: body(personChangeBody, { 'another name': { name: 'Sam Sample' } }),
    responses: { 200: ok('The person.', personResponse) },
    failures: ['badRunOrder', 'noOperator', 'notAdmitted', 'noPerson', 'databaseDown'],
  },
  'PUT /ops/people/{id}/roles': {
    operationId: 'setRoles',
    summary: 'Replace the roles of a person at your sites',
    description:
      'Roles at other sites stay, and so do those from the identity provider or from an EHR. The last admin of every site keeps the role (409).',
    command: operatorCall('PUT', `/ops/people/${PERSON}/roles`, { roles: SAM.roles }),
    ...ofOne,
    requestBody: body(rolesBody, { 'one role': { roles: SAM.roles }, none: { roles: [] } }),
    responses: { 200: ok('The person.', personRolesResponse) },
    failures: ['badRunOrder', 'noOperator', 'notAdmitted', 'noPerson', 'takenPractitioner', 'databaseDown'],
  },
  'POST /ops/people/{id}/link': {
    operationId: 'makeLink',
    summary: 'Make a new one-time link for a person',
    description: 'Only this answer contains it; it is good for 72 hours. It ends the earlier ones.',
    command: operatorCall('POST', `/ops/people/${PERSON}/link`),
    ...ofOne,
    responses: { 201: ok('The link.', personLinkResponse) },
    failures: ['noOperator', 'notAdmitted', 'noPerson', 'disabledPerson', 'databaseDown'],
  },
  'POST /ops/people/{id}/disable': {
    operationId: 'disablePerson',
    summary: 'Disable a person',
    description:
      'All sessions of the person end. Tokens that the person made stay: DELETE /ops/tokens/{id} revokes one.',
    command: operatorCall('POST', `/ops/people/${PERSON}/disable`),
    ...ofOne,
    responses: { 200: ok('The person.', personResponse) },
    failures: ['noOperator', 'notAdmitted', 'noPerson', 'lastAdmin', 'databaseDown'],
  },
  'POST /ops/people/{id}/enable': {
    operationId: 'enablePerson',
    summary: 'Enable a person who was disabled',
    description: 'The person signs in anew.',
    command: operatorCall('POST', `/ops/people/${PERSON}/enable`),
    ...ofOne,
    responses: { 200: ok('The person.', personResponse) },
    failures: ['noOperator', 'notAdmitted', 'noPerson', 'databaseDown'],
  },
  'GET /ops/people/{id}/sessions': {
    operationId: 'listSessionsOfPerson',
    summary: 'List the sessions of a person',
    description: 'Newest first.',
    command: operatorCall('GET', `/ops/people/${PERSON}/sessions`),
    ...ofOne,
    responses: { 200: ok('The open sessions.', sessionListResponse) },
    failures: ['noOperator', 'notAdmitted', 'noPerson', 'databaseDown'],
  },
  'DELETE /ops/people/{id}/sessions': {
    operationId: 'endSessionsOfPerson',
    summary: 'End all sessions of a person',
    description: 'Takes effect with the next request of each.',
    command: operatorCall('DELETE', `/ops/people/${PERSON}/sessions`),
    ...ofOne,
    responses: { 200: ok('The sessions that were open.', endedSessionsResponse) },
    failures: ['noOperator', 'notAdmitted', 'noPerson', 'databaseDown'],
  },
  'GET /ops/roles': {
    operationId: 'listRoles',
    summary: 'List the roles and what each may do',
    description: 'The table by which requests are admitted.',
    command: operatorCall('GET', '/ops/roles'),
    responses: { 200: ok('The roles.', roleListResponse) },
    failures: ['noOperator', 'notAdmitted'],
  },
};

const sessionsAndTokens: Endpoints = {
  'GET /ops/sessions': {
    operationId: 'listSessions',
    summary: 'List the sessions of the people of your sites',
    description: 'The newest 1,000.',
    command: operatorCall('GET', '/ops/sessions'),
    responses: { 200: ok('The open sessions.', sessionListResponse) },
    failures: ['noOperator', 'notAdmitted', 'databaseDown'],
  },
  'DELETE /ops/sessions/{id}': {
    operationId: 'endSession',
    summary: 'End a session',
    description: 'Takes effect with its next request.',
    command: operatorCall('DELETE', '/ops/sessions/2b9d4f6081a3c5e7'),
    requestParams: { path: sessionPath },
    responses: { 204: { description: 'The session has ended.' } },
    failures: ['noOperator', 'notAdmitted', 'noSuchSession', 'databaseDown'],
  },
  'POST /ops/tokens': {
    operationId: 'createToken',
    summary: 'Make a token for a script',
    description:
      'Only this answer contains its text. It has roles that you could give, but is never a reviewer, and ends within a year.',
    command: operatorCall('POST', '/ops/tokens', REPORT),
    requestBody: body(newTokenBody, {
      'a report': REPORT,
      'with patient data': {
        label: 'transfer',
        roles: [{ role: 'operator', site: 'mercy' }],
        purpose: 'HOPERAT',
      },
    }),
    responses: { 201: ok('The token.', madeTokenResponse) },
    failures: ['badRunOrder', 'noOperator', 'notAdmitted', 'noSite', 'databaseDown'],
  },
  'GET /ops/tokens': {
    operationId: 'listTokens',
    summary: 'List tokens, without their text',
    description: 'Newest first: those with a role at your sites.',
    command: operatorCall('GET', '/ops/tokens'),
    responses: { 200: ok('The tokens.', tokenListResponse) },
    failures: ['noOperator', 'notAdmitted', 'databaseDown'],
  },
  'DELETE /ops/tokens/{id}': {
    operationId: 'revokeToken',
    summary: 'Revoke a token',
    description: 'Takes effect with the next request.',
    command: operatorCall('DELETE', '/ops/tokens/94a6c8e0b2d4f613'),
    requestParams: { path: tokenPath },
    responses: { 204: { description: 'The token is revoked.' } },
    failures: ['noOperator', 'notAdmitted', 'noSuchToken', 'databaseDown'],
  },
};

export const peopleEndpoints: Endpoints = { ...own, ...people, ...sessionsAndTokens };
