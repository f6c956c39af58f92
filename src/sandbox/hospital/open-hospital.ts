// The made-up hospital: its patients' charts in the sandbox's EHR, and the actions on their visits. Changes are announced by the EHR's
// Subscriptions, and by the broker if there is one.
import { createReadStream } from 'node:fs';
import type { Encounter, Patient, Resource } from '@medplum/fhirtypes';
import { AppError } from '../../domain/errors.ts';
import type { SandboxEhr } from '../fhir/sandbox-ehr.ts';
import type { IndexedRecording } from '../patients/recording-index.ts';
import type { SandboxPatient } from '../patients/sandbox-patient.ts';
import { lateRecordingId } from '../patients/spoken-recordings.ts';
import type { Sandbox, SandboxVisit } from '../sandbox-model.ts';
import { chartOfVisit } from './chart-of-visit.ts';
import { mergedInto } from './merged-patient.ts';
import { movedToOther } from './moved-encounter.ts';
import { chartOf, encounterOf, hospitalResources, recordingDocument, type VisitTimes } from './scenario-resources.ts';
import { newestName, nextName, scenarioOfVisit } from './visit-names.ts';

/** Announces that an encounter has changed. */
export type PublishEncounter = (encounter: Encounter) => Promise<void>;

export type HospitalParts = {
  readonly ehr: Pick<SandboxEhr, 'store' | 'subscriptions' | 'erase' | 'launch' | 'signCall'>;
  readonly scenarios: readonly SandboxPatient[];
  readonly recordings: readonly IndexedRecording[];
  readonly publish: PublishEncounter;
  readonly now: () => Date;
};

export type Hospital = Omit<Sandbox, 'baseUrl' | 'drills'> & {
  /** Adds the missing patients: all of them at the first start, those of a newer engine later. */
  readonly open: () => void;
};

/** A visit lasts a little longer than its recording. */
const VISIT_MS = 15 * 60_000;
const LATE_MS = 60_000;

type Beginning = { readonly title: string; readonly start: string };

export function makeHospital({ ehr, scenarios, recordings, publish, now }: HospitalParts): Hospital {
  const { store, subscriptions } = ehr;

  const scenarioNamed = (name: string): SandboxPatient | undefined => scenarios.find(({ id }) => id === name);
  const encounters = (): readonly Encounter[] =>
    store.all('Encounter').filter(({ id = '' }) => scenarioOfVisit(id, scenarios) !== undefined);

  function encounterNamed(reference: string): Encounter {
    const name = reference.replace(/^Encounter\//, '');
    const names = encounters().map(({ id = '' }) => id);
    const newest = scenarioNamed(name) && newestName(name, names);
    const found = encounters().find(({ id }) => id === (newest ?? name));
    if (found === undefined) {
      throw new AppError('notFound', 'There is no such encounter in the sandbox: npm run cli -- sandbox list');
    }
    return found;
  }

  function toVisit(encounter: Encounter): SandboxVisit {
    const { id: name = '', status } = encounter;
    const scenario = scenarioOfVisit(name, scenarios);
    if (scenario === undefined) throw new AppError('notFound', 'This encounter belongs to no scenario');
    return {
      name,
      story: scenario.id,
      encounter: `Encounter/${name}`,
      patient: encounter.subject?.reference ?? '',
      language: scenario.language,
      care: scenario.care,
      ...(scenario.trap !== undefined && { trap: scenario.trap }),
      reason: scenario.encounter.reason,
      status,
      recordings: recordingsOfVisit(name).length,
    };
  }

  function recordingsOfVisit(name: string) {
    return store
      .all('DocumentReference')
      .filter(
        ({ context, content }) =>
          context?.encounter?.some(({ reference }) => reference === `Encounter/${name}`) &&
          content.some(({ attachment }) => attachment.contentType?.startsWith('audio/')),
      );
  }

  function record(visit: Encounter, recordingId: string, { title, start }: Beginning): boolean {
    const recording = recordings.find(({ id }) => id === recordingId);
    if (recording === undefined) return false;
    const { path, sizeBytes, transcript } = recording;
    const end = new Date(Date.parse(start) + transcript.durationSeconds * 1000).toISOString();
    const suffix = visit.id?.replace(/^.*?(-\d+)?$/, '$1') ?? '';
    const id = `${recordingId}${suffix}-recording`;
    if (store.get(`DocumentReference/${id}`) !== undefined) return false;
    store.putBinary(id, 'audio/ogg', () => createReadStream(path), sizeBytes);
    store.put(recordingDocument({ visit, id, sizeBytes, title, madeAt: { start, end } }));
    return true;
  }

  function admit(scenario: SandboxPatient, name: string, times: VisitTimes): Encounter {
    const visit = encounterOf(scenario, name, times);
    store.put(visit);
    record(visit, scenario.id, { title: 'The whole encounter', start: times.start });
    return visit;
  }

  function open(): void {
    for (const resource of hospitalResources()) putNew(resource);
    for (const scenario of scenarios) {
      if (store.get(`Encounter/${scenario.id}`) !== undefined) continue;
      for (const resource of chartOf(scenario)) putNew(resource);
      const { start, end } = scenario.encounter;
      admit(scenario, scenario.id, { start, end });
    }
  }

  function putNew(resource: Resource): void {
    if (store.get(`${resource.resourceType}/${resource.id}`) === undefined) store.put(resource);
  }

  /** Resolves once all subscribers are notified. */
  async function change(encounter: Encounter): Promise<SandboxVisit> {
    const changed = store.put(encounter);
    await Promise.all([publish(changed), subscriptions.settled()]);
    return toVisit(changed);
  }

  function requireNotOver(encounter: Encounter, what: string): void {
    if (encounter.status !== 'cancelled' && encounter.status !== 'entered-in-error') return;
    throw new AppError('conflict', `This encounter is ${encounter.status}: it cannot be ${what}`);
  }

  return {
    open,
    visits: () => encounters().map(toVisit),
    find: (name) => toVisit(encounterNamed(name)),

    async finish(name) {
      const encounter = encounterNamed(name);
      requireNotOver(encounter, 'finished');
      const at = now().toISOString();
      const scenario = scenarioOfVisit(encounter.id ?? '', scenarios);
      const isFirst = encounter.id === scenario?.id;
      const end = encounter.period?.end ?? (isFirst ? scenario?.encounter.end : undefined) ?? at;
      return change({ ...passedTo('finished', encounter, at), period: { ...encounter.period, end } });
    },

    async cancel(name) {
      const encounter = encounterNamed(name);
      requireNotOver(encounter, 'cancelled');
      return change(passedTo('cancelled', encounter, now().toISOString()));
    },

    async merge(name) {
      const encounter = encounterNamed(name);
      const patient = store.get(encounter.subject?.reference ?? '');
      if (patient?.resourceType !== 'Patient') throw new AppError('conflict', 'This encounter has no patient');
      const { survivor, changed } = mergedInto(patient as Patient, allResources());
      for (const resource of changed) store.put(resource);
      const moved = store.get(`Encounter/${encounter.id}`) as Encounter;
      await Promise.all([publish(moved), subscriptions.settled()]);
      return { ...toVisit(moved), survivor };
    },

    async move(name) {
      const encounter = encounterNamed(name);
      requireNotOver(encounter, 'moved');
      const patient = store.get(encounter.subject?.reference ?? '');
      if (patient?.resourceType !== 'Patient') throw new AppError('conflict', 'This encounter has no patient');
      const changed = movedToOther(encounter, patient as Patient, allResources());
      for (const resource of changed.slice(0, -1)) store.put(resource);
      return change(changed.at(-1) as Encounter);
    },

    async addRecording(name) {
      const encounter = encounterNamed(name);
      requireNotOver(encounter, 'recorded');
      const visit = toVisit(encounter);
      const spoken = scenarios.filter(({ late }) => late !== undefined).map(({ id }) => id);
      if (!spoken.includes(visit.story)) {
        throw new AppError('conflict', `Nothing more was recorded of this one. It was of ${spoken.join(', ')}`);
      }
      const start = new Date(now().getTime() - LATE_MS).toISOString();
      if (!record(encounter, lateRecordingId(visit.story), { title: 'What was said afterwards', start })) {
        const why = `Its second recording is there already. The patient can come again: npm run cli -- sandbox visit ${visit.story}`;
        throw new AppError('conflict', why);
      }
      return change({ ...encounter, length: { value: 1, unit: 'min' } });
    },

    async comeAgain(scenarioName) {
      const scenario = scenarioNamed(scenarioName);
      if (scenario === undefined)
        throw new AppError(
          'notFound',
          `There is no such scenario. There are ${scenarios.map(({ id }) => id).join(', ')}`,
        );
      const names = encounters().map(({ id = '' }) => id);
      const end = now();
      const times = { start: new Date(end.getTime() - VISIT_MS).toISOString(), end: end.toISOString() };
      return toVisit(admit(scenario, nextName(scenario.id, names), times));
    },

    chart: (name) => chartOfVisit(encounterNamed(name), allResources()),

    practitionerAt(name, wanted) {
      const practitioner = wanted ?? encounterNamed(name).participant?.[0]?.individual?.reference ?? '';
      if (store.get(practitioner)?.resourceType === 'Practitioner') return practitioner;
      const known = store.all('Practitioner').map(({ id }) => `Practitioner/${id}`);
      throw new AppError('notFound', `There is no such practitioner in the sandbox. There are ${known.join(', ')}`);
    },

    launch(name, { practitioner, ...order }) {
      const { id: encounter = '', subject } = encounterNamed(name);
      return ehr.launch({ encounter, patient: idOf(subject?.reference), practitioner: idOf(practitioner), ...order });
    },

    signCall: ehr.signCall,

    async reset() {
      // The Subscriptions stay.
      const listening = store.all('Subscription');
      await ehr.erase();
      open();
      for (const subscription of listening) store.put(subscription);
    },
  };

  function allResources(): readonly Resource[] {
    return CHART_TYPES.flatMap((type) => store.all(type) as readonly Resource[]);
  }
}

/** Adds the earlier status to the history with its period, also if the status is the same: a repeated finish is announced again. */
function passedTo(status: Encounter['status'], encounter: Encounter, at: string): Encounter {
  const { status: past, statusHistory = [], period } = encounter;
  const start = statusHistory.at(-1)?.period.end ?? period?.start;
  const passed = { status: past, period: { ...(start !== undefined && { start }), end: at } };
  return { ...encounter, status, statusHistory: [...statusHistory, passed] };
}

function idOf(reference = ''): string {
  return reference.slice(reference.indexOf('/') + 1);
}

const CHART_TYPES = [
  'Organization',
  'Practitioner',
  'Patient',
  'Encounter',
  'AllergyIntolerance',
  'Condition',
  'MedicationStatement',
  'DocumentReference',
  'Composition',
  'RiskAssessment',
  'Flag',
  'Task',
  'Device',
  'Provenance',
] as const;
