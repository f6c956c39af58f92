// The capabilities of a made-up EHR.
import type { EhrCapabilities, TypeCapabilities } from '../../src/domain/chart/ehr-capabilities.ts';

type CapabilityChanges = Partial<Omit<EhrCapabilities, 'types'>> & {
  /** The differences by type; `undefined`: the EHR does not offer the type. */
  readonly types?: Readonly<Record<string, Partial<TypeCapabilities> | undefined>>;
};

const WRITTEN_TYPES = [
  'Encounter',
  'Patient',
  'Device',
  'Composition',
  'DocumentReference',
  'Condition',
  'RiskAssessment',
  'Flag',
  'Task',
  'Provenance',
  'Binary',
] as const;

/** Accepts every type, offers transactions, and searches by identifier. */
export function someCapabilities({ types = {}, ...rest }: CapabilityChanges = {}): EhrCapabilities {
  const known = new Map<string, TypeCapabilities>(WRITTEN_TYPES.map((type) => [type, someTypeCapabilities()]));
  for (const [type, changes] of Object.entries(types)) {
    if (changes === undefined) known.delete(type);
    else known.set(type, { ...someTypeCapabilities(), ...changes });
  }
  return {
    software: 'Fake EHR 1.0',
    fhirVersion: '4.0.1',
    isKnown: true,
    hasTransaction: true,
    hasBatch: true,
    types: known,
    ...rest,
  };
}

function someTypeCapabilities(): TypeCapabilities {
  return {
    canRead: true,
    canSearch: true,
    canCreate: true,
    canUpdate: true,
    hasConditionalCreate: true,
    hasVersions: true,
    searchParameters: new Set(['_id', '_tag', '_lastUpdated', 'identifier', 'patient', 'subject', 'encounter']),
  };
}
