// Whether the chart behind a run is restricted: labelled R or V, or of a VIP. What a person released although the site holds it as sensitive is
// known to the store of releases.
import { asConfidentiality, higherOf, highestConfidentiality, isRestricted } from '../chart/confidentiality.ts';
import { listOf, memberOf } from '../raw-members.ts';
import type { Run } from './run.ts';
import type { StepResults } from './step-results.ts';

/** True also for a run that is held, or was skipped, as sensitive or for its labels. */
export function isRestrictedRun({ reason }: Pick<Run, 'reason'>, results: Partial<StepResults>): boolean {
  return reason === 'sensitive' || reason === 'label' || isLabelled(results) || isOfVip(results['read-chart']);
}

function isLabelled({ 'read-chart': read, 'fetch-recording': fetched }: Partial<StepResults>): boolean {
  const ofChart = higherOf(
    highestConfidentiality([read?.encounter, read?.patient]),
    asConfidentiality(read?.confidentiality),
  );
  return isRestricted(higherOf(ofChart, asConfidentiality(fetched?.confidentiality)));
}

const PATIENT_IMPORTANCE = 'http://hl7.org/fhir/StructureDefinition/patient-importance';

function isOfVip(read: StepResults['read-chart'] | undefined): boolean {
  const courtesies = listOf(read?.encounter.hospitalization, 'specialCourtesy');
  const importance = listOf(read?.patient, 'extension').filter((one) => memberOf(one, 'url') === PATIENT_IMPORTANCE);
  const concepts = [...courtesies, ...importance.map((one) => memberOf(one, 'valueCodeableConcept'))];
  return concepts.flatMap((concept) => listOf(concept, 'coding')).some((coding) => memberOf(coding, 'code') === 'VIP');
}
