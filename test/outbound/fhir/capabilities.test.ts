import { afterEach, describe, expect, it } from '@jest/globals';
import { readCapabilityStatement } from '../../../src/outbound/fhir/capabilities.ts';
import { type ScriptedAnswer, type ScriptedEhr, startScriptedEhr } from './scripted-ehr.ts';

const never = new AbortController().signal;
const STATEMENT = {
  resourceType: 'CapabilityStatement',
  software: { name: 'Medplum', version: '5.0.2' },
  fhirVersion: '4.0.1',
  rest: [
    { mode: 'client', interaction: [{ code: 'batch' }] },
    {
      mode: 'server',
      interaction: [{ code: 'transaction' }],
      resource: [
        {
          type: 'Condition',
          interaction: [{ code: 'read' }, { code: 'search-type' }, { code: 'create' }],
          conditionalCreate: true,
          versioning: 'no-version',
          searchParam: [{ name: 'identifier' }, { name: 'patient' }],
        },
        { type: 'Patient', interaction: [{ code: 'read' }, { code: 'update' }] },
      ],
    },
  ],
};

describe('A CapabilityStatement', () => {
  it('is read by type', () => {
    expect(readCapabilityStatement(STATEMENT)).toEqual({
      software: 'Medplum 5.0.2',
      fhirVersion: '4.0.1',
      isKnown: true,
      hasTransaction: true,
      hasBatch: false,
      types: new Map([
        [
          'Condition',
          {
            canRead: true,
            canSearch: true,
            canCreate: true,
            canUpdate: false,
            hasConditionalCreate: true,
            hasVersions: false,
            searchParameters: new Set(['identifier', 'patient']),
          },
        ],
        [
          'Patient',
          {
            canRead: true,
            canSearch: false,
            canCreate: false,
            canUpdate: true,
            hasConditionalCreate: false,
            hasVersions: true,
            searchParameters: new Set(),
          },
        ],
      ]),
    });
  });

  it.each<unknown>([undefined, [], {}, [{ mode: 'server' }], [{ mode: 'server', resource: { type: 'Patient' } }]])(
    'does not say that a type is missing if it lists no types (%#)',
    (rest) => {
      expect(readCapabilityStatement({ resourceType: 'CapabilityStatement', rest })).toMatchObject({ isKnown: false });
    },
  );

  it('may list types in several parts', () => {
    const rest = ['Patient', 'Consent'].map((type) => ({ mode: 'server', resource: [{ type }] }));
    const { types } = readCapabilityStatement({ resourceType: 'CapabilityStatement', rest });
    expect([...types.keys()]).toEqual(['Patient', 'Consent']);
  });

  it.each([
    [{ software: { name: 'HAPI' } }, 'HAPI'],
    [{ software: { version: '7' } }, '7'],
    [{ software: 'HAPI', publisher: 'Mercy' }, 'Mercy'],
    [{ software: { name: 'A\u0000\n\u202eB' } }, 'A B'],
    [{ software: { name: 'x'.repeat(500) } }, 'x'.repeat(100)],
    [{}, 'unknown'],
  ])('gives the name of the software, or of its publisher (%#)', (parts, software) => {
    expect(readCapabilityStatement({ resourceType: 'CapabilityStatement', ...parts }).software).toBe(software);
  });

  it.each([
    undefined,
    {},
    { resourceType: 'OperationOutcome' },
    { resourceType: 'CapabilityStatement' },
    { resourceType: 'CapabilityStatement', rest: 'all' },
    { resourceType: 'CapabilityStatement', rest: [null, 7] },
  ])('without rest says nothing about the EHR (%#)', (statement) => {
    expect(readCapabilityStatement(statement)).toMatchObject({ isKnown: false, hasTransaction: false });
  });

  it('is read without its invalid parts, and only up to a limit', () => {
    const resource = [null, 'x', { type: 7 }, { type: 'Flag', interaction: 'all', searchParam: [{ name: 7 }, null] }];
    const many = Array.from({ length: 5000 }, (_, index) => ({ type: `Type${index}` }));
    const { types } = readCapabilityStatement({
      resourceType: 'CapabilityStatement',
      rest: [{ resource: [...resource, ...many] }],
    });
    expect(types.get('Flag')).toMatchObject({ canRead: false, searchParameters: new Set() });
    expect(types.size).toBeLessThanOrEqual(500);
  });
});

describe('The capabilities of an EHR', () => {
  let server: ScriptedEhr | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });
  const serverOf = async (...answers: ScriptedAnswer[]) => {
    let turn = 0;
    server = await startScriptedEhr(() => answers[Math.min(turn++, answers.length - 1)] ?? 'reset');
    return server;
  };

  it('are requested once in ten minutes', async () => {
    const ehr = await serverOf({ status: 200, body: STATEMENT });
    for (const advanceMs of [0, 300_000, 299_000]) {
      ehr.runtime.advance(advanceMs);
      expect(await ehr.ehr.capabilities(never)).toMatchObject({ software: 'Medplum 5.0.2' });
    }
    expect(ehr.requests).toMatchObject([{ method: 'GET', url: 'metadata' }]);
    ehr.runtime.advance(2_000);
    await ehr.ehr.capabilities(never);
    expect(ehr.requests).toHaveLength(2);
  });

  it.each<ScriptedAnswer>([
    { status: 404 },
    { status: 403 },
    { status: 200, body: '<html>', headers: { 'content-type': 'text/html' } },
    { status: 200, body: '{' },
  ])('are requested again after a minute if they cannot be read (%#)', async (answer) => {
    const ehr = await serverOf(answer, { status: 200, body: STATEMENT });
    for (const _ of [1, 2]) expect(await ehr.ehr.capabilities(never)).toMatchObject({ isKnown: false });
    ehr.runtime.advance(60_000);
    expect(await ehr.ehr.capabilities(never)).toMatchObject({ isKnown: true });
    expect(ehr.requests).toHaveLength(2);
  });

  it('are an error while the EHR cannot be reached, and the next call asks again', async () => {
    const ehr = await serverOf('reset', 'reset', 'reset', 'reset', { status: 200, body: STATEMENT });
    await expect(ehr.ehr.capabilities(never)).rejects.toMatchObject({ code: 'ehrUnavailable' });
    expect(await ehr.ehr.capabilities(never)).toMatchObject({ isKnown: true });
  });
});
