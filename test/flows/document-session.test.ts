// The story of a run on a hospital in memory: what an operator would see of it, whatever happens on the way.
import { describe, expect, it } from '@jest/globals';
import type { Patient, Resource } from '@medplum/fhirtypes';
import { AppError } from '../../src/domain/errors.ts';
import type { Queue } from '../../src/ports/queue.ts';
import { someCapabilities } from '../fakes/ehr-capabilities.ts';
import { aRecording, aRunHouse, RECORDING, WHOLE_CHART } from '../support/run-house.ts';

const OFFERS_ALL = someCapabilities({ types: { AllergyIntolerance: {}, Consent: {} } });

const red = (level: 'RED' | 'WHITE') => () => ({
  diagnosis: {
    diseases: [
      {
        name: 'Acute myocardial infarction',
        icd10_code: 'I21.9',
        probability: 0.7,
        why: 'Chest pain.',
        diagnostic_tests: ['ECG'],
        standard_care: [],
        category: 'cant-miss' as const,
      },
    ],
  },
  triage: { triage_level: level, triage_justification: 'Because.', triage_recommendation: 'Go.' },
});

describe('a run from an event to the chart', () => {
  it('a finished encounter is documented and sends its outcome event', async () => {
    const house = aRunHouse();
    await house.accept();
    await house.work();
    const run = await house.onlyRun();
    expect(run).toMatchObject({ status: 'written', encounter: 'Encounter/e-1', patient: 'Patient/p-1' });
    expect(house.chart()).toEqual(WHOLE_CHART);
    expect(house.kinds()).toEqual(['documented']);
    expect(house.outbox[0]?.event).toMatchObject({ runId: run.id, status: 'written', encounter: 'Encounter/e-1' });
  });

  it('a run does each of the nine steps once', async () => {
    const house = aRunHouse();
    await house.accept();
    await house.work();
    const steps = await house.runs.steps((await house.onlyRun()).id);
    expect(steps.map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 'done'));
    expect(steps.map(({ attempts }) => attempts)).toEqual(Array.from({ length: 9 }, () => 1));
  });

  it('a run stores the versions that made it', async () => {
    const house = aRunHouse();
    await house.accept();
    await house.work();
    expect((await house.onlyRun()).versions).toMatchObject({
      engine: 'chartwright 0.1.0',
      model: 'fake:reasoner',
      speech: 'fake:speech',
      mapping: '1',
    });
  });

  it('a run stores which model answered beside the one that was asked for, and its documents name it', async () => {
    const house = aRunHouse();
    house.reasoner.script.answeredBy = { model: 'reasoner-2026-03', fingerprint: 'fp_1' };
    await house.accept();
    await house.work();
    const run = await house.onlyRun();
    expect(run.versions).toMatchObject({ model: 'fake:reasoner', answeredBy: 'reasoner-2026-03 fp_1' });
    const results = await house.runs.results(run.id);
    const answeredBy = { model: 'reasoner-2026-03', fingerprint: 'fp_1' };
    expect([results['write-note'], results.diagnose]).toMatchObject([{ answeredBy }, { answeredBy }]);
    expect(results['write-note']?.note).not.toHaveProperty('answeredBy');
    expect(results.diagnose?.diagnosis).not.toHaveProperty('answeredBy');
    expect(results.map?.shown?.run.answeredBy).toEqual([answeredBy]);
  });

  it('the note uses only the transcript; the diagnosis uses the chart as well', async () => {
    const allergy: Resource = {
      resourceType: 'AllergyIntolerance',
      id: 'a-1',
      patient: { reference: 'Patient/p-1' },
      clinicalStatus: {
        coding: [{ system: 'http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical', code: 'active' }],
      },
      code: { text: 'Penicillin' },
    };
    const house = aRunHouse({ chart: [RECORDING, allergy], capabilities: OFFERS_ALL });
    await house.accept();
    await house.work();
    expect(JSON.stringify(house.reasoner.noteRequests)).not.toContain('Penicillin');
    expect(house.reasoner.diagnosisRequests[0]?.clinicalHistory).toContain('Penicillin');
    expect(house.reasoner.diagnosisRequests[0]?.clinicalHistory).toContain('My knee has hurt');
  });

  it('what the note alone says is not read for the diagnosis, and cannot become an alarm', async () => {
    const house = aRunHouse({ settings: { mode: 'live' } });
    const invention = 'Crushing chest pain';
    house.reasoner.script.note = ({ template }) => ({
      isMedical: true,
      note: {
        title: invention,
        sections: template.sections.map(({ key, title }) => ({ key, title, text: `${invention} since noon.` })),
      },
      dynamicFields: { complaint: invention },
    });
    // The reasoner calls an emergency whatever it reads of.
    house.reasoner.script.diagnosis = ({ clinicalHistory = '' }) =>
      red(clinicalHistory.includes(invention) ? 'RED' : 'WHITE')();
    await house.accept();
    await house.work();
    const run = await house.onlyRun();
    expect(JSON.stringify((await house.runs.results(run.id))['write-note'])).toContain(invention);
    expect(house.reasoner.diagnosisRequests.map(({ clinicalHistory }) => clinicalHistory)).toEqual([
      expect.not.stringContaining(invention),
    ]);
    expect(house.kinds()).toEqual(['documented']);
  });

  it('the reasoner gets the date of the visit, age and sex by the chart, and the edition of the codes as fields', async () => {
    const patient = { resourceType: 'Patient', id: 'p-1', gender: 'female', birthDate: '1960-01-02' } as const;
    const house = aRunHouse({ chart: [RECORDING], settings: { codes: { diagnosis: 'icd-10-es' } } });
    house.ehr.put(patient);
    await house.accept();
    await house.work();
    const [note] = house.reasoner.noteRequests;
    const [diagnosis] = house.reasoner.diagnosisRequests;
    expect(note?.visit).toEqual({
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      age: '66 years old',
      sex: 'female',
    });
    expect(diagnosis).toMatchObject({ codes: 'icd-10-es', visit: note?.visit });
  });

  it('audio seconds and model time count for the organization of the site', async () => {
    const house = aRunHouse();
    await house.accept();
    await house.work();
    expect(house.usage.records).toMatchObject([
      { operation: 'run', organization: 'mercy-general', keyId: 'site/mercy', audioSeconds: 8 },
    ]);
  });

  it('the audit entry of a write comes before the write', async () => {
    const house = aRunHouse();
    await house.accept();
    await house.work();
    expect(house.audit.entries.map(({ action }) => action)).toEqual(['run.write']);
  });

  it('a RED triage sends an alarm before anything is written', async () => {
    const house = aRunHouse({ settings: { mode: 'live' } });
    house.diagnoses(red('RED'));
    await house.accept();
    await house.work();
    expect(house.kinds()).toEqual(['attention', 'documented']);
  });

  it('a WHITE triage sends no alarm', async () => {
    const house = aRunHouse();
    house.diagnoses(red('WHITE'));
    await house.accept();
    await house.work();
    expect(house.kinds()).toEqual(['documented']);
  });
});

describe('one run per session', () => {
  it('a repeated event and later updates of the encounter create no second run', async () => {
    const house = aRunHouse();
    await house.accept({ key: 'same' });
    await house.accept({ key: 'same' });
    await house.accept();
    await house.work();
    for (let update = 0; update < 3; update += 1) {
      await house.accept({ source: 'subscription' });
      await house.work();
    }
    expect(await house.statuses()).toEqual(['written']);
    expect(house.chart()).toEqual(WHOLE_CHART);
    const events = await house.runs.events((await house.onlyRun()).id);
    expect(events).toHaveLength(5);
    expect(events[0]).toMatchObject({ repeats: 1 });
  });

  it('a late recording gets its own run and its own documents', async () => {
    const house = aRunHouse();
    await house.accept();
    await house.work();
    house.ehr.put(aRecording('rec-2'));
    await house.accept();
    await house.work();
    expect(await house.statuses()).toEqual(['written', 'written']);
    const [first, second] = await house.allRuns();
    expect(first?.recordings).toEqual(['DocumentReference/rec-1']);
    expect(second?.recordings).toEqual(['DocumentReference/rec-2']);
    expect(house.chart().filter((type) => type === 'Composition')).toHaveLength(2);
  });

  it('a site can ignore late recordings', async () => {
    const house = aRunHouse();
    house.change({ recording: { ...house.site.settings.recording, late: 'ignore' } });
    await house.accept();
    await house.work();
    house.ehr.put(aRecording('rec-2'));
    await house.accept();
    await house.work();
    expect(await house.statuses()).toEqual(['written']);
  });

  it('several recordings are one session or one each, as the site says', async () => {
    const together = aRunHouse({ chart: [RECORDING, aRecording('rec-2')] });
    await together.accept();
    await together.drain();
    expect(await together.statuses()).toEqual(['written']);
    expect(together.speech.requests).toHaveLength(2);

    const apart = aRunHouse({ chart: [RECORDING, aRecording('rec-2')] });
    apart.change({ recording: { ...apart.site.settings.recording, group: 'recording' } });
    await apart.accept();
    await apart.drain();
    expect(await apart.statuses()).toEqual(['written', 'written']);
  });
});

describe('an encounter that must not be documented', () => {
  it('an encounter in progress is skipped, and documented after it has finished', async () => {
    const house = aRunHouse();
    house.putEncounter({ status: 'in-progress' });
    await house.accept();
    await house.work();
    expect(await house.onlyRun()).toMatchObject({ status: 'skipped', reason: 'trigger' });
    house.putEncounter({ status: 'finished' });
    await house.accept();
    await house.work();
    expect(await house.statuses()).toEqual(['written']);
  });

  it('an encounter outside of the pilot is skipped', async () => {
    const house = aRunHouse({
      settings: { pilot: { practitioners: ['Practitioner/9'], locations: [], services: [] } },
    });
    await house.accept();
    await house.work();
    expect(await house.onlyRun()).toMatchObject({ status: 'skipped', reason: 'not-in-pilot' });
    expect(house.speech.requests).toEqual([]);
  });

  it('an encounter without consent is skipped before its recording is transcribed', async () => {
    const consent: Resource = {
      resourceType: 'Consent',
      id: 'c-1',
      status: 'active',
      scope: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/consentscope', code: 'patient-privacy' }] },
      category: [{ coding: [{ system: 'http://loinc.org', code: '59284-0' }] }],
      patient: { reference: 'Patient/p-1' },
      provision: { type: 'deny' },
    };
    const house = aRunHouse({ chart: [RECORDING, consent], capabilities: OFFERS_ALL });
    await house.accept();
    await house.work();
    expect(await house.onlyRun()).toMatchObject({ status: 'skipped', reason: 'consent' });
    expect(house.speech.requests).toEqual([]);
  });

  it('a run waits for a missing recording, and is skipped with the reason when the time is over', async () => {
    const house = aRunHouse({ chart: [] });
    await house.accept();
    await house.work();
    expect(await house.onlyRun()).toMatchObject({
      status: 'waiting',
      reason: 'recording',
      message: expect.stringMatching(/The run waits until \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/),
    });
    await house.drain(undefined, 3 * 3_600_000);
    expect(await house.onlyRun()).toMatchObject({
      status: 'skipped',
      reason: 'no-recording',
      advice: expect.stringContaining('npm run cli -- runs start mercy Encounter/e-1.'),
    });
    expect(house.kinds()).toEqual(['skipped']);
  });

  it('a recording that arrives during the wait is documented', async () => {
    const house = aRunHouse({ chart: [] });
    await house.accept();
    await house.work();
    house.ehr.put(RECORDING);
    await house.accept();
    await house.work();
    expect(await house.statuses()).toEqual(['written']);
  });

  it('a run waits for an encounter that the EHR does not have yet, and is skipped when the time is over', async () => {
    const house = aRunHouse();
    await house.accept({ encounters: [{ encounter: 'Encounter/nowhere', isUrgent: false }] });
    await house.work();
    expect(await house.onlyRun()).toMatchObject({ status: 'waiting', reason: 'encounter' });
    await house.drain();
    expect(await house.onlyRun()).toMatchObject({ status: 'skipped', reason: 'no-encounter' });
  });

  it('an encounter without a Patient is parked', async () => {
    const house = aRunHouse();
    house.ehr.edit('Encounter/e-1', (encounter) => {
      const { subject: _, ...rest } = encounter as { readonly subject?: unknown };
      return rest as typeof encounter;
    });
    await house.accept();
    await house.work();
    expect(await house.onlyRun()).toMatchObject({ status: 'parked', reason: 'identity' });
  });

  it('a silent recording is skipped', async () => {
    const house = aRunHouse();
    house.speech.hear([], 30);
    await house.accept();
    await house.work();
    expect(await house.onlyRun()).toMatchObject({ status: 'skipped', reason: 'no-speech' });
  });

  it('a recording without medical content is skipped', async () => {
    const house = aRunHouse();
    house.reasoner.script.note = () => ({ isMedical: false });
    await house.accept();
    await house.work();
    const run = await house.onlyRun();
    expect(run).toMatchObject({ status: 'skipped', reason: 'not-medical' });
    expect(house.chart()).toEqual([]);
    // To find that out is no failure.
    expect((await house.runs.steps(run.id)).map(({ status }) => status)).not.toContain('failed');
  });
});

describe('an event with a visit number', () => {
  const VISIT = 'urn:oid:1.2.4';
  const visits = { settings: { identifiers: { visit: VISIT } } };
  const byVisit = { encounters: [{ encounter: 'visit:V-77', isUrgent: false }] };

  it('a visit number resolves to its encounter', async () => {
    const house = aRunHouse(visits);
    house.putEncounter({ identifier: [{ system: VISIT, value: 'V-77' }] });
    await house.accept(byVisit);
    await house.work();
    expect(await house.onlyRun()).toMatchObject({ status: 'written', encounter: 'Encounter/e-1' });
  });

  it('a visit number with a comma is searched for unchanged', async () => {
    const house = aRunHouse(visits);
    house.putEncounter({ identifier: [{ system: VISIT, value: 'V,77|8' }] });
    await house.accept({ encounters: [{ encounter: 'visit:V,77|8', isUrgent: false }] });
    await house.work();
    expect(await house.onlyRun()).toMatchObject({ status: 'written', encounter: 'Encounter/e-1' });
  });

  it('a visit number and a reference to the same encounter share one run', async () => {
    const house = aRunHouse(visits);
    house.putEncounter({ identifier: [{ system: VISIT, value: 'V-77' }] });
    await house.accept(byVisit);
    await house.accept();
    await house.drain();
    expect(await house.statuses()).toEqual(['written']);
    expect(house.chart()).toEqual(WHOLE_CHART);
  });

  it('a visit number of two encounters parks the run', async () => {
    const house = aRunHouse(visits);
    house.putEncounter({ identifier: [{ system: VISIT, value: 'V-77' }] });
    const other = { ...house.ehr.store.get('Encounter/e-1')?.resource, id: 'e-2' };
    house.ehr.put(other as Parameters<typeof house.ehr.put>[0]);
    await house.accept(byVisit);
    await house.work();
    expect(await house.onlyRun()).toMatchObject({ status: 'parked', reason: 'identity' });
  });

  it('a visit number without a configured identifier parks the run', async () => {
    const house = aRunHouse();
    await house.accept(byVisit);
    await house.work();
    expect(await house.onlyRun()).toMatchObject({ status: 'parked', reason: 'mapping' });
  });
});

describe('failures during a run', () => {
  it('an invalid answer of the model is tried five times, and then the run is parked with advice', async () => {
    const house = aRunHouse();
    house.failReasoner(new AppError('vendorAnswer', 'The reasoner answered with something else.'));
    await house.accept();
    await house.drain();
    const run = await house.onlyRun();
    expect(run).toMatchObject({ status: 'parked', reason: 'tries' });
    expect(run.advice).toMatch(/replay/i);
    expect(house.reasoner.noteRequests).toHaveLength(5);
    expect(house.kinds()).toEqual(['parked']);
    const steps = await house.runs.steps(run.id);
    expect(steps.find(({ name }) => name === 'write-note')).toMatchObject({ status: 'failed', attempts: 5 });
    // What was heard is not heard again.
    expect(house.speech.requests).toHaveLength(1);
  });

  it('a reasoner that is down costs no attempt, and the run is written when it is back', async () => {
    const house = aRunHouse();
    house.failReasoner(new AppError('vendorUnavailable', 'The reasoner cannot be reached.'));
    await house.accept();
    await house.drain();
    expect(await house.onlyRun()).toMatchObject({
      status: 'waiting',
      reason: 'reasoner',
      tries: 0,
      waitsFor: 'reasoner',
    });
    house.failReasoner(undefined);
    await house.drain();
    expect(await house.statuses()).toEqual(['written']);
    expect(house.speech.requests).toHaveLength(1);
  });

  it('an EHR that is down costs no attempt', async () => {
    const house = aRunHouse();
    house.ehr.misbehave({ on: 'read', does: 'throw-unavailable' });
    await house.accept();
    await house.drain();
    expect(await house.onlyRun()).toMatchObject({ status: 'waiting', reason: 'ehr', tries: 0 });
    house.ehr.behave();
    await house.drain();
    expect(await house.statuses()).toEqual(['written']);
  });

  it('a site that does not allow the built-in rules waits for a model', async () => {
    const house = aRunHouse({ settings: { engines: { allow: ['builtin'] } } });
    await house.accept();
    await house.work();
    expect(await house.onlyRun()).toMatchObject({ status: 'waiting', reason: 'engines', tries: 0 });
    expect(house.reasoner.noteRequests).toEqual([]);
  });

  it('a site that requires another model waits for it', async () => {
    const house = aRunHouse({ settings: { engines: { allow: ['vendor'], reasoner: 'other@1' } } });
    await house.accept();
    await house.work();
    expect(await house.onlyRun()).toMatchObject({ status: 'waiting', reason: 'engines' });
    house.change({ engines: { allow: ['vendor'], reasoner: 'reasoner' } });
    await house.drain();
    expect(await house.statuses()).toEqual(['written']);
  });

  it('a site that requires a version of the model waits for it, and asks only now and then', async () => {
    const engines = { allow: ['vendor'], reasoner: 'fake:reasoner@2026-03' } as const;
    const house = aRunHouse({ settings: { engines } });
    house.reasoner.script.answeredBy = { model: 'reasoner-2026-05' };
    await house.accept();
    await house.work();
    const run = await house.onlyRun();
    expect(run).toMatchObject({ status: 'waiting', reason: 'engines', tries: 0 });
    expect(run.message).toBe(
      'The site requires fake:reasoner@2026-03 (engines.reasoner in site.yaml), but reasoner-2026-05 answered.',
    );
    expect((run.waitsUntil?.getTime() ?? 0) - run.changedAt.getTime()).toBe(900_000);
    expect(await house.runs.results(run.id)).not.toHaveProperty('write-note');
    house.reasoner.script.answeredBy = { model: 'reasoner-2026-03' };
    await house.drain();
    expect(await house.statuses()).toEqual(['written']);
  });

  it('if the reasoner is down for too long, the transcript becomes the note, if the site allows it', async () => {
    const house = aRunHouse({ settings: { engines: { allow: ['vendor'], transcriptOnlyAfterMs: 600_000 } } });
    house.failReasoner(new AppError('vendorUnavailable', 'The reasoner cannot be reached.'));
    await house.accept();
    await house.drain();
    expect(await house.statuses()).toEqual(['written']);
    expect(house.chart()).not.toContain('Condition');
    const results = await house.runs.results((await house.onlyRun()).id);
    expect(results['write-note']?.note.note.sections[0]?.text).toContain('My knee has hurt');
  });

  it('a mapping that fails parks the run with the place of the problem', async () => {
    const house = aRunHouse();
    const broken = new Map(house.site.mappings);
    broken.set('composition', {
      file: 'mappings/mercy/composition.yaml',
      reads: new Set(),
      apply: () => ({ value: 'no resource', unmapped: [] }),
    });
    Object.assign(house.site, { mappings: broken });
    await house.accept();
    await house.work();
    const run = await house.onlyRun();
    expect(run).toMatchObject({ status: 'parked', reason: 'mapping' });
    const steps = await house.runs.steps(run.id);
    expect(steps.find(({ name }) => name === 'map')).toMatchObject({ status: 'failed' });
    expect(run.message).toContain('mappings/mercy/composition.yaml');
  });
});

describe('the settings of a site', () => {
  it('shadow mode does everything except the write, and stores the documents', async () => {
    const house = aRunHouse({ settings: { mode: 'shadow' } });
    await house.accept();
    await house.work();
    const run = await house.onlyRun();
    expect(run).toMatchObject({ status: 'skipped', reason: 'shadow' });
    expect(house.chart()).toEqual([]);
    const { map } = await house.runs.results(run.id);
    expect(map?.documents.map(({ document }) => document)).toContain('composition');
  });

  it('a replay writes the documents of shadow mode once the site is live', async () => {
    const house = aRunHouse({ settings: { mode: 'shadow' } });
    await house.accept();
    await house.work();
    house.change({ mode: 'live' });
    await house.runs.replay({ id: (await house.onlyRun()).id, from: 'map', isDry: false });
    await house.work();
    expect(await house.statuses()).toEqual(['skipped', 'written']);
    expect(house.chart()).toEqual(WHOLE_CHART);
    expect(house.speech.requests).toHaveLength(1);
  });

  it('a draft is held for review, and written as final after the approval of a clinician', async () => {
    const house = aRunHouse();
    house.change({ write: { ...house.site.settings.write, review: 'hold' } });
    await house.accept();
    await house.work();
    const held = await house.onlyRun();
    expect(held).toMatchObject({ status: 'held', reason: 'review' });
    expect(house.chart()).toEqual([]);
    const review = {
      decision: 'approve',
      time: '2026-03-02T11:00:00Z',
      reviewer: 'Practitioner/7',
      revision: held.revision,
    } as const;
    await house.runs.review({ id: held.id, review });
    await house.work();
    expect(await house.statuses()).toEqual(['written']);
    const [composition] = house.hospital.written('Composition');
    expect(composition).toMatchObject({ status: 'final' });
  });

  it('unsupported statements are marked, and too many of them hold the note', async () => {
    const house = aRunHouse();
    house.reasoner.script.note = () => ({
      isMedical: true,
      note: { title: 'Knee', sections: [{ key: 'PLAN', title: 'Plan', text: 'Start warfarin 5 mg daily.' }] },
    });
    house.change({ check: { maxUnsupported: { drug: 0 } } });
    await house.accept();
    await house.work();
    const run = await house.onlyRun();
    expect(run).toMatchObject({ status: 'held', reason: 'unsupported' });
    const { check } = await house.runs.results(run.id);
    expect(check?.note.note.sections[0]?.text).toContain('[not found in the recording]');
    const dry = await house.runs.replay({ id: run.id, from: 'write-note', isDry: true });
    await house.work();
    expect(await house.runs.find(dry.id)).toMatchObject({ status: 'skipped', reason: 'dry-run' });
    const shown = await house.runs.results(dry.id);
    expect(shown.check?.report.exceeded).toEqual(['drug']);
    expect(shown.map?.differences?.map(({ change }) => change)).toEqual(shown.map?.differences?.map(() => 'new'));
    expect(shown.map?.differences).not.toEqual([]);
  });

  it('a run that was cancelled before it would be held is cancelled, and asks for no review', async () => {
    const house = aRunHouse();
    house.change({ write: { ...house.site.settings.write, review: 'hold' } });
    await house.accept();
    const { id } = await house.onlyRun();
    const { leave } = house.queue;
    const queue: Pick<Queue, 'leave'> = {
      leave: async (...order) => {
        await house.runs.cancel(id);
        return leave(...order);
      },
    };
    Object.assign(house.queue, queue);
    await house.work();
    expect(await house.statuses()).toEqual(['cancelled']);
    expect(house.kinds()).toEqual([]);
  });

  it('after a merge during the run the run belongs to the surviving patient', async () => {
    const house = aRunHouse();
    await house.pauses.pause('mercy', 'write', 'EHR upgrade');
    await house.accept();
    await house.work();
    house.ehr.edit('Patient/p-1', (resource) => ({
      ...(resource as Patient),
      link: [{ type: 'replaced-by', other: { reference: 'Patient/p-2' } }],
    }));
    house.putEncounter({ subject: { reference: 'Patient/p-2' } });
    await house.pauses.resume('mercy', 'write');
    await house.queue.wake({ site: 'mercy' });
    await house.work();
    expect(await house.onlyRun()).toMatchObject({ status: 'written', patient: 'Patient/p-2' });
    expect(house.outbox.map(({ event }) => event)).toMatchObject([{ status: 'written', patient: 'Patient/p-2' }]);
  });

  it('a paused run waits, and goes on after the pause', async () => {
    const house = aRunHouse();
    await house.pauses.pause('mercy', 'write', 'EHR upgrade');
    await house.accept();
    await house.work();
    expect(await house.onlyRun()).toMatchObject({ status: 'waiting', reason: 'paused', step: 'write-chart' });
    expect(house.chart()).toEqual([]);
    await house.pauses.resume('mercy', 'write');
    await house.queue.wake({ site: 'mercy' });
    await house.work();
    expect(await house.statuses()).toEqual(['written']);
  });
});

describe('after the write', () => {
  it('a cancelled encounter retracts the documents of the engine', async () => {
    const house = aRunHouse();
    await house.accept();
    await house.work();
    house.putEncounter({ status: 'cancelled' });
    await house.accept();
    await house.drain();
    expect(await house.statuses()).toEqual(['retracted']);
    for (const type of ['Composition', 'DocumentReference', 'Condition']) {
      for (const resource of house.hospital.written(type)) {
        expect(JSON.stringify(resource)).toContain('entered-in-error');
      }
    }
    expect(house.kinds()).toEqual(['documented', 'retracted']);
  });

  it('an encounter that is cancelled before its documentation leaves no documents', async () => {
    const house = aRunHouse();
    house.putEncounter({ status: 'entered-in-error' });
    await house.accept();
    await house.work();
    expect(await house.onlyRun()).toMatchObject({ status: 'skipped', reason: 'cancelled-encounter' });
    expect(house.chart()).toEqual([]);
  });

  it('a replay with the same result writes nothing', async () => {
    const house = aRunHouse();
    await house.accept();
    await house.work();
    const before = house.ehr.sent.length;
    await house.runs.replay({ id: (await house.onlyRun()).id, from: 'map', isDry: false });
    await house.work();
    expect(await house.statuses()).toEqual(['written', 'written']);
    expect(house.ehr.sent.length).toBe(before);
  });

  it('a replay with another note writes a new version, not a second note', async () => {
    const house = aRunHouse();
    await house.accept();
    await house.work();
    const { note } = house.reasoner.script;
    house.reasoner.script.note = (request) => {
      const answer = note(request);
      return answer.isMedical ? { ...answer, note: { ...answer.note, title: 'Another title' } } : answer;
    };
    await house.runs.replay({ id: (await house.onlyRun()).id, from: 'write-note', isDry: false });
    await house.work();
    expect(await house.statuses()).toEqual(['written', 'written']);
    expect(house.hospital.written('Composition')).toHaveLength(1);
    expect(house.hospital.written('DocumentReference')).toHaveLength(1);
  });

  it('a dry replay shows the differences and writes nothing', async () => {
    const house = aRunHouse();
    await house.accept();
    await house.work();
    const before = house.ehr.sent.length;
    const { note } = house.reasoner.script;
    house.reasoner.script.note = (request) => {
      const answer = note(request);
      const sections = [{ key: 'PLAN', title: 'Plan', text: 'Come back in a week.' }];
      return answer.isMedical ? { ...answer, note: { ...answer.note, sections } } : answer;
    };
    await house.runs.replay({ id: (await house.onlyRun()).id, from: 'write-note', isDry: true });
    await house.work();
    const [, dry] = await house.allRuns();
    expect(dry).toMatchObject({ status: 'skipped', reason: 'dry-run' });
    expect(house.ehr.sent.length).toBe(before);
    const { map } = await house.runs.results(dry?.id ?? '');
    expect(map?.differences).toContainEqual(
      expect.objectContaining({ document: 'document-reference', change: 'changed', elements: ['description'] }),
    );
    expect(JSON.stringify(map?.differences)).not.toContain('Come back');
  });

  it('a run that is cancelled in process ends after the current step', async () => {
    const house = aRunHouse();
    await house.accept();
    house.reasoner.script.wait = async () => {
      await house.runs.cancel((await house.onlyRun()).id);
    };
    await house.work();
    expect(await house.statuses()).toEqual(['cancelled']);
    expect(house.chart()).toEqual([]);
    expect(house.kinds()).toEqual([]);
  });

  it('a run that is recalled in process is not written and says why; a replay makes a new draft', async () => {
    const house = aRunHouse();
    await house.accept();
    const words = { message: 'It is recalled.', advice: 'Replay it from write-note.' };
    house.reasoner.script.wait = async () => {
      await house.runs.withdraw((await house.onlyRun()).id, words);
    };
    await house.work();
    const run = await house.onlyRun();
    expect(run).toMatchObject({ status: 'cancelled', reason: 'recalled', ...words });
    expect([house.chart(), house.kinds()]).toEqual([[], []]);
    house.reasoner.script.wait = async () => undefined;
    await house.runs.replay({ id: run.id, from: 'write-note', isDry: false });
    await house.work();
    expect(await house.statuses()).toEqual(['cancelled', 'written']);
    expect(house.chart()).not.toEqual([]);
  });
});
