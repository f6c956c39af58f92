// What the sandbox's EHR says of itself. All of it is true.
import type { CapabilityStatement } from '@medplum/fhirtypes';
import { RESOURCE_TYPES, searchParametersOf } from './resource-types.ts';

const INTERACTIONS = ['read', 'vread', 'history-instance', 'create', 'update', 'delete', 'search-type'] as const;

export function capabilityStatement({
  software,
  date,
  baseUrl,
}: {
  readonly software: { readonly name: string; readonly version: string };
  readonly date: string;
  readonly baseUrl: string;
}): CapabilityStatement {
  return {
    resourceType: 'CapabilityStatement',
    status: 'active',
    date,
    kind: 'instance',
    software,
    implementation: { description: 'A made-up hospital, for trying things out', url: baseUrl },
    fhirVersion: '4.0.1',
    format: ['json', 'application/fhir+json'],
    rest: [
      {
        mode: 'server',
        interaction: [{ code: 'transaction' }, { code: 'batch' }],
        resource: Object.keys(RESOURCE_TYPES).map((type) => ({
          type: type as NonNullable<NonNullable<CapabilityStatement['rest']>[number]['resource']>[number]['type'],
          interaction: INTERACTIONS.map((code) => ({ code })),
          versioning: 'versioned',
          readHistory: true,
          updateCreate: false,
          conditionalCreate: true,
          conditionalRead: 'not-supported',
          conditionalUpdate: true,
          conditionalDelete: 'single',
          searchParam: Object.entries(searchParametersOf(type)).map(([name, { kind }]) => ({ name, type: kind })),
        })),
      },
    ],
  };
}
