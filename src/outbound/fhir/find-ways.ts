// The ways there are to look for what the engine wrote: by what it is named by; else through all there is of the encounter or the
// patient, which only finds what always says to whom it belongs.
import type { EhrCapabilities } from '../../domain/chart/ehr-capabilities.ts';
import type { FindOrder } from '../../ports/ehr.ts';
import { identityParameter } from './fhir-client.ts';
import type { SearchFacts } from './search-facts.ts';

export type IdentityWay = { readonly parameter: 'identifier' | '_tag' };
export type ContextWay = {
  readonly parameter: string;
  readonly value: string;
  /** What is not among its answers is not there. */
  readonly isExhaustive: boolean;
};
export type FindWays = {
  readonly byIdentity: IdentityWay | undefined;
  readonly byContext: readonly ContextWay[];
};

/** The engine never writes one of these without its patient. Others (a Device, a Task) may have none. */
const ALWAYS_OF_A_PATIENT: ReadonlySet<string> = new Set(
  [
    'Composition DocumentReference Condition RiskAssessment Flag ClinicalImpression',
    'ServiceRequest CarePlan MedicationRequest Procedure Observation DiagnosticReport',
  ].flatMap((line) => line.split(' ')),
);

type SearchKnowledge = { readonly capabilities: EhrCapabilities; readonly facts: SearchFacts };

export function waysToFind(
  { type, patient, encounter, target }: FindOrder,
  { capabilities, facts }: SearchKnowledge,
): FindWays {
  const offered = capabilities.types.get(type);
  const saysNothing = !capabilities.isKnown || capabilities.types.size === 0;
  if (!saysNothing && offered?.canSearch !== true) return { byIdentity: undefined, byContext: [] };
  const listed = offered?.searchParameters;
  const canUse = (parameter: string) => {
    const learned = facts.of(`${type}:${parameter}`);
    if (learned !== undefined) return learned === 'works';
    // `_tag` belongs to every resource, and not all servers list what goes without saying.
    return parameter === '_tag' || listed === undefined || listed.size === 0 || listed.has(parameter);
  };
  const way = (parameter: string, value: string | undefined, isExhaustive: boolean): readonly ContextWay[] =>
    value !== undefined && canUse(parameter) ? [{ parameter, value, isExhaustive }] : [];
  const own = identityParameter(type);
  return {
    byIdentity: canUse(own) ? { parameter: own } : undefined,
    byContext: contextWays(),
  };

  function contextWays(): readonly ContextWay[] {
    // It is about other documents, and found by any one of them.
    if (type === 'Provenance') return way('target', target, true);
    if (!ALWAYS_OF_A_PATIENT.has(type)) return [];
    const [byPatient] = [...way('patient', patient, true), ...way('subject', patient, true)];
    // A mapping may leave the encounter out; so it has the last word only where the patient cannot be asked for.
    return [...way('encounter', encounter, byPatient === undefined), ...(byPatient ? [byPatient] : [])];
  }
}
