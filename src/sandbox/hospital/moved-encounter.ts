// Moves an encounter with its recordings to another patient, as after a registration under the wrong one. What others wrote about the
// encounter stays with the patient of before.
import type { Encounter, Patient, Resource } from '@medplum/fhirtypes';

const OTHER = '-other';

/** The other patient, the recordings, and the encounter as the last one. A second move leads back. */
export function movedToOther(
  encounter: Encounter,
  patient: Patient,
  resources: readonly Resource[],
): readonly [...Resource[], Encounter] {
  const { id = '' } = patient;
  const isBack = id.endsWith(OTHER);
  const subject = { reference: `Patient/${isBack ? id.slice(0, -OTHER.length) : `${id}${OTHER}`}` };
  const recordings = resources.filter((resource) => isRecordingOf(resource, encounter));
  return [
    ...(isBack ? [] : [anotherPerson(patient)]),
    ...recordings.map((recording) => ({ ...recording, subject }) as Resource),
    { ...encounter, subject },
  ];
}

function anotherPerson({ link: _, identifier = [], ...person }: Patient): Patient {
  return {
    ...person,
    id: `${person.id}${OTHER}`,
    name: [{ family: 'Other', given: ['Sample'] }],
    identifier: identifier.map((one) => ({ ...one, value: `${one.value}-X` })),
  };
}

function isRecordingOf(resource: Resource, { id }: Encounter): boolean {
  if (resource.resourceType !== 'DocumentReference' && resource.resourceType !== 'Media') return false;
  const isOfEngine = (resource.identifier ?? []).some(({ system }) => system?.startsWith('urn:chartwright:'));
  return !isOfEngine && JSON.stringify(resource).includes(`"Encounter/${id}"`);
}
