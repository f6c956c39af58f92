// The made-up hospital: its charts and the actions on its visits.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Encounter } from '@medplum/fhirtypes';
import { openSandboxEhr, type SandboxEhr } from '../../../src/sandbox/fhir/sandbox-ehr.ts';
import { type Hospital, makeHospital } from '../../../src/sandbox/hospital/open-hospital.ts';
import { readScenarios } from '../../../src/sandbox/scenarios.ts';
import { checkWithAll } from '../../support/fhir-checkers.ts';

const NOW = new Date('2026-12-01T10:00:00.000Z');
const known = readScenarios();

describe('the hospital', () => {
  let ehr: SandboxEhr;
  let hospital: Hospital;
  let told: Encounter[];

  beforeEach(async () => {
    ehr = await openSandboxEhr({ clients: [], isOpen: true, now: () => NOW });
    told = [];
    const publish = async (encounter: Encounter) => void told.push(encounter);
    hospital = makeHospital({ ehr, ...known, publish, now: () => NOW });
    hospital.open();
  });
  afterEach(() => ehr.close());

  const encounterOf = (name: string) => ehr.store.get(`Encounter/${name}`) as Encounter;

  it('has one visit in progress of each scenario, with one recording, and has sent no events', () => {
    const visits = hospital.visits();
    expect(visits.map(({ name }) => name)).toEqual(known.scenarios.map(({ id }) => id));
    expect(new Set(visits.map(({ status }) => status))).toEqual(new Set(['in-progress']));
    expect(new Set(visits.map(({ recordings }) => recordings))).toEqual(new Set([1]));
    expect(told).toEqual([]);
  });

  it('opens an app in the chart of a visit, as the practitioner who saw the patient or as another one', () => {
    expect(hospital.practitionerAt('en-chest-pressure')).toBe('Practitioner/sbx-p-01');
    const nurse = 'Practitioner/sandbox-nurse';
    expect(hospital.practitionerAt('en-chest-pressure', nurse)).toBe(nurse);
    expect(() => hospital.practitionerAt('en-chest-pressure', 'Patient/sbx-01')).toThrow(nurse);
    const launches = [1, 2].map(() => hospital.launch('en-chest-pressure', { practitioner: nurse }));
    expect(new Set(launches).size).toBe(2);
  });

  it('stores its charts once', () => {
    const before = ehr.store.counts();
    hospital.open();
    expect(ehr.store.counts()).toEqual(before);
  });

  it('adds a new patient at the next start and changes no other', async () => {
    await hospital.finish('en-common-cold');
    ehr.store.remove('Encounter/es-cystitis');
    const before = encounterOf('en-common-cold').meta?.versionId;
    hospital.open();
    expect(hospital.find('es-cystitis')).toMatchObject({ status: 'in-progress', recordings: 1 });
    expect(encounterOf('en-common-cold').meta?.versionId).toBe(before);
  });

  it.each(known.scenarios.map(({ id }) => id))('the chart of %s is valid FHIR and has no other patient', (name) => {
    const { entry = [] } = hospital.chart(name);
    const resources = entry.flatMap(({ resource }) => resource ?? []);
    const references = resources.map(({ resourceType, id }) => `${resourceType}/${id}`);
    expect(references).toHaveLength(new Set(references).size);
    expect(references.filter((one) => one.startsWith('Patient/'))).toHaveLength(1);
    expect(references.filter((one) => one.startsWith('Encounter/'))).toEqual([`Encounter/${name}`]);
    // One validator treats a boolean element as an element without a value.
    const complaints = resources
      .flatMap((resource) => checkWithAll(resource))
      .filter((one) => !one.includes(': ele-1: '));
    expect(complaints).toEqual([]);
  });

  it('a finished visit has its end and is announced, and again if it is finished again', async () => {
    expect(await hospital.finish('en-common-cold')).toMatchObject({ status: 'finished' });
    expect(encounterOf('en-common-cold').period?.end).toBe('2026-11-03T10:15:00-06:00');
    const first = encounterOf('en-common-cold').meta?.versionId;
    await hospital.finish('Encounter/en-common-cold');
    expect(encounterOf('en-common-cold').meta?.versionId).not.toBe(first);
    expect(told.map(({ id, status }) => [id, status])).toEqual([
      ['en-common-cold', 'finished'],
      ['en-common-cold', 'finished'],
    ]);
    expect(encounterOf('en-common-cold').statusHistory).toEqual([
      { status: 'in-progress', period: { start: '2026-11-03T10:00:00-06:00', end: NOW.toISOString() } },
      { status: 'finished', period: { start: NOW.toISOString(), end: NOW.toISOString() } },
    ]);
  });

  it('another visit has its own name, and the scenario means the newest visit', async () => {
    const second = await hospital.comeAgain('es-cystitis');
    const third = await hospital.comeAgain('es-cystitis');
    expect([second.name, third.name]).toEqual(['es-cystitis-2', 'es-cystitis-3']);
    expect(second).toMatchObject({
      patient: hospital.find('es-cystitis').patient,
      recordings: 1,
      status: 'in-progress',
    });
    await hospital.finish('es-cystitis');
    expect(
      hospital
        .visits()
        .filter(({ status }) => status === 'finished')
        .map(({ name }) => name),
    ).toEqual(['es-cystitis-3']);
    expect(encounterOf('es-cystitis-3').period?.end).toBe(NOW.toISOString());
    expect(hospital.find('es-cystitis-2').name).toBe('es-cystitis-2');
  });

  it('a late recording is added once, and only if the scenario has one', async () => {
    expect(await hospital.addRecording('pt-shoulder')).toMatchObject({ recordings: 2 });
    expect(told.map(({ id }) => id)).toEqual(['pt-shoulder']);
    await expect(hospital.addRecording('pt-shoulder')).rejects.toMatchObject({ code: 'conflict' });
    await expect(hospital.addRecording('en-low-mood')).rejects.toThrow(/en-common-cold, es-cystitis, pt-shoulder/);
  });

  it('a cancelled visit cannot be finished', async () => {
    expect(await hospital.cancel('en-low-mood')).toMatchObject({ status: 'cancelled' });
    await expect(hospital.finish('en-low-mood')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('a move gives the encounter and its recordings to another patient, and the next one gives them back', async () => {
    const name = 'en-chest-pressure';
    const { patient, recordings } = hospital.find(name);
    const ofPatient = (subject: string) =>
      ehr.store
        .all('DocumentReference')
        .filter((one) => JSON.stringify(one).includes(`"subject":{"reference":"${subject}"`));
    expect(ofPatient(patient)).toHaveLength(recordings);
    const moved = await hospital.move(name);
    expect(moved.patient).not.toBe(patient);
    expect(ehr.store.get(moved.patient)).toBeDefined();
    expect([ofPatient(patient).length, ofPatient(moved.patient).length]).toEqual([0, recordings]);
    expect(await hospital.move(name)).toMatchObject({ patient });
    expect(ofPatient(patient)).toHaveLength(recordings);
  });

  it('a merge moves all references to the surviving record', async () => {
    const before = hospital.find('en-chest-pressure').patient;
    const { survivor } = await hospital.merge('en-chest-pressure');
    expect(encounterOf('en-chest-pressure').subject?.reference).toBe(survivor);
    expect(ehr.store.get(before)).toMatchObject({ active: false, link: [{ type: 'replaced-by' }] });
    expect(ehr.store.get(survivor)).toMatchObject({ link: [{ other: { reference: before }, type: 'replaces' }] });
    const left = ['Condition', 'MedicationStatement', 'DocumentReference'] as const;
    for (const type of left) expect(JSON.stringify(ehr.store.all(type))).not.toContain(`"${before}"`);
  });

  it('has its first charts after a reset and keeps its subscribers', async () => {
    ehr.store.put({
      resourceType: 'Subscription',
      id: 'listening',
      status: 'active',
      reason: 'to hear',
      criteria: 'Encounter?status=cancelled',
      channel: { type: 'rest-hook', endpoint: 'http://127.0.0.1:9/' },
    });
    const before = ehr.store.counts();
    await hospital.finish('pt-silence');
    await hospital.comeAgain('pt-silence');
    await hospital.reset();
    expect(ehr.store.counts()).toEqual(before);
    expect(hospital.find('pt-silence').status).toBe('in-progress');
    expect(ehr.store.get('Subscription/listening')).toMatchObject({ status: 'active' });
  });

  it('reports an unknown visit', async () => {
    await expect(hospital.finish('nobody')).rejects.toMatchObject({ code: 'notFound' });
    await expect(hospital.comeAgain('nobody')).rejects.toThrow(/en-chest-pressure/);
    expect(() => hospital.find('en-common-cold-x')).toThrow(/no such encounter/);
  });
});
