// The CapabilityStatement of the sandbox's EHR. Tests check each of its claims.
import type { CapabilityStatement } from '@medplum/fhirtypes';
import { securityOf } from './oauth-clients.ts';
import { RESOURCE_TYPES, searchParametersOf } from './resource-types.ts';

const INTERACTIONS = ['read', 'vread', 'history-instance', 'create', 'update', 'delete', 'search-type'] as const;

export function capabilityStatement({
  software,
  date,
  baseUrl,
  hasTokens,
  operations,
}: {
  readonly software: { readonly name: string; readonly version: string };
  readonly date: string;
  readonly baseUrl: string;
  readonly hasTokens: boolean;
  /** The operations of Subscriptions. */
  readonly operations: readonly ('$status' | '$events')[];
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
        ...(hasTokens && { security: securityOf(baseUrl) }),
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
          searchInclude: parametersOf(type).flatMap(([name, { kind }]) =>
            kind === 'reference' ? [`${type}:${name}`] : [],
          ),
          searchParam: parametersOf(type).map(([name, { kind }]) => ({ name, type: kind })),
          ...(type === 'Subscription' && operations.length > 0 && { operation: operations.map(operationOf) }),
        })),
      },
    ],
  };
}

function parametersOf(type: string) {
  return Object.entries(searchParametersOf(type));
}

function operationOf(operation: '$status' | '$events') {
  const name = operation.slice(1);
  const definition = `http://hl7.org/fhir/uv/subscriptions-backport/OperationDefinition/backport-subscription-${name}`;
  return { name, definition };
}
