// The course of a run on a hospital in memory, as an operator sees it, with failures at each step.
import { describe, expect, it } from '@jest/globals';
import type { Patient, Resource } from '@medplum/fhirtypes';
import { testEncounter } from '../../src/domain/chart/test-visit.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { Queue } from '../../src/ports/queue.ts';
import { someCapabilities } from '../fakes/ehr-capabilities.ts';
import { aRecording, aRunTestbed, RECORDING, WHOLE_CHART } from '../support/run-testbed.ts';

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
    const testbed = aRunTestbed();
    await testbed.accept();
    await testbed.work();
    const run = await testbed.onlyRun();
    expect(run).toMatchObject({ status: 'written', encounter: 'Encounter/e-1', patient: 'Patient/p-1' });
    expect(testbed.chart()).toEqual(WHOLE_CHART);
    expect(testbed.kinds()).toEqual(['documented']);
    expect(testbed.outbox[0]?.event).toMatchObject({ runId: run.id, status: 'written', encounter: 'Encounter/e-1' });
  });

  it('a run does each of the nine steps once', async () => {
    const testbed = aRunTestbed();
    await testbed.accept();
    await testbed.work();
    const steps = await testbed.runs.steps((await testbed.onlyRun()).id);
    expect(steps.map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 'done'));
    expect(steps.map(({ attempts }) => attempts)).toEqual(Array.from({ length: 9 }, () => 1));
  });

  it('a run stores the versions that made it', async () => {
    const testbed = aRunTestbed();
    await testbed.accept();
    await testbed.work();
    expect((await testbed.onlyRun()).versions).toMatchObject({
      engine: 'chartwright 0.1.0',
      model: 'fake:reasoner',
      speech: 'fake:speech',
      mapping: '1',
    });
  });

  it('a run stores which model answered beside the one that was asked for, and its documents name it', async () => {
    const testbed = aRunTestbed();
    testbed.reasoner.script.answeredBy = { model: 'reasoner-2026-03', fingerprint: 'fp_1' };
    await testbed.accept();
    await testbed.work();
    const run = await testbed.onlyRun();
    expect(run.versions).toMatchObject({ model: 'fake:reasoner', answeredBy: 'reasoner-2026-03 fp_1' });
    const results = await testbed.runs.results(run.id);
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
    const testbed = aRunTestbed({ chart: [RECORDING, allergy], capabilities: OFFERS_ALL });
    await testbed.accept();
    await testbed.work();
    expect(JSON.stringify(testbed.reasoner.noteRequests)).not.toContain('Penicillin');
    expect(testbed.reasoner.diagnosisRequests[0]?.clinicalHistory).toContain('Penicillin');
    expect(testbed.reasoner.diagnosisRequests[0]?.clinicalHistory).toContain('My knee has hurt');
  });

  it('what the note alone says is not read for the diagnosis, and cannot become an alarm', async () => {
    const testbed = aRunTestbed({ settings: { mode: 'live' } });
    const invention = 'Crushing chest pain';
    testbed.reasoner.script.note = ({ template }) => ({
      isMedical: true,
      note: {
        title: invention,
        sections: template.sections.map(({ key, title }) => ({ key, title, text: `${invention} since noon.` })),
      },
      dynamicFields: { complaint: invention },
    });
    // The reasoner calls an emergency whatever it reads of.
    testbed.reasoner.script.diagnosis = ({ clinicalHistory = '' }) =>
      red(clinicalHistory.includes(invention) ? 'RED' : 'WHITE')();
    await testbed.accept();
    await testbed.work();
    const run = await testbed.onlyRun();
    expect(JSON.stringify((await testbed.runs.results(run.id))['write-note'])).toContain(invention);
    expect(testbed.reasoner.diagnosisRequests.map(({ clinicalHistory }) => clinicalHistory)).toEqual([
      expect.not.stringContaining(invention),
    ]);
    expect(testbed.kinds()).toEqual(['documented']);
  });

  it('the reasoner gets the date of the visit, age and sex by the chart, and the edition of the codes as fields', async () => {
    const patient = { resourceType: 'Patient', id: 'p-1', gender: 'female', birthDate: '1960-01-02' } as const;
    const testbed = aRunTestbed({ chart: [RECORDING], settings: { codes: { diagnosis: 'icd-10-es' } } });
    testbed.ehr.put(patient);
    await testbed.accept();
    await testbed.work();
    const [note] = testbed.reasoner.noteRequests;
    const [diagnosis] = testbed.reasoner.diagnosisRequests;
    expect(note?.visit).toEqual({
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      age: '66 years old',
      sex: 'female',
    });
    expect(diagnosis).toMatchObject({ codes: 'icd-10-es', visit: note?.visit });
  });

  it('audio seconds and model time count for the organization of the site', async () => {
    const testbed = aRunTestbed();
    await testbed.accept();
    await testbed.work();
    expect(testbed.usage.records).toMatchObject([
      { operation: 'run', organization: 'mercy-general', keyId: 'site/mercy', audioSeconds: 8 },
    ]);
  });

  it('the audit entry of a write comes before the write', async () => {
    const testbed = aRunTestbed();
    await testbed.accept();
    await testbed.work();
    expect(testbed.audit.entries.map(({ action }) => action)).toEqual(['run.write']);
  });

  it('a RED triage sends an alarm before anything is written', async () => {
    const testbed = aRunTestbed({ settings: { mode: 'live' } });
    testbed.diagnoses(red('RED'));
    await testbed.accept();
    await testbed.work();
    expect(testbed.kinds()).toEqual(['attention', 'documented']);
  });

  it('a WHITE triage sends no alarm', async () => {
    const testbed = aRunTestbed();
    testbed.diagnoses(red('WHITE'));
    await testbed.accept();
    await testbed.work();
    expect(testbed.kinds()).toEqual(['documented']);
  });
});

describe('one run per session', () => {
  it('a repeated event and later updates of the encounter create no second run', async () => {
    const testbed = aRunTestbed();
    await testbed.accept({ key: 'same' });
    await testbed.accept({ key: 'same' });
    await testbed.accept();
    await testbed.work();
    for (let update = 0; update < 3; update += 1) {
      await testbed.accept({ source: 'subscription' });
      await testbed.work();
    }
    expect(await testbed.statuses()).toEqual(['written']);
    expect(testbed.chart()).toEqual(WHOLE_CHART);
    const events = await testbed.runs.events((await testbed.onlyRun()).id);
    expect(events).toHaveLength(5);
    expect(events[0]).toMatchObject({ repeats: 1 });
  });

  it('a late recording gets its own run and its own documents', async () => {
    const testbed = aRunTestbed();
    await testbed.accept();
    await testbed.work();
    testbed.ehr.put(aRecording('rec-2'));
    await testbed.accept();
    await testbed.work();
    expect(await testbed.statuses()).toEqual(['written', 'written']);
    const [first, second] = await testbed.allRuns();
    expect(first?.recordings).toEqual(['DocumentReference/rec-1']);
    expect(second?.recordings).toEqual(['DocumentReference/rec-2']);
    expect(testbed.chart().filter((type) => type === 'Composition')).toHaveLength(2);
  });

  it('a site can ignore late recordings', async () => {
    const testbed = aRunTestbed();
    testbed.change({ recording: { ...testbed.site.settings.recording, late: 'ignore' } });
    await testbed.accept();
    await testbed.work();
    testbed.ehr.put(aRecording('rec-2'));
    await testbed.accept();
    await testbed.work();
    expect(await testbed.statuses()).toEqual(['written']);
  });

  it('several recordings are one session or one each, as the site says', async () => {
    const together = aRunTestbed({ chart: [RECORDING, aRecording('rec-2')] });
    await together.accept();
    await together.drain();
    expect(await together.statuses()).toEqual(['written']);
    expect(together.speech.requests).toHaveLength(2);

    const apart = aRunTestbed({ chart: [RECORDING, aRecording('rec-2')] });
    apart.change({ recording: { ...apart.site.settings.recording, group: 'recording' } });
    await apart.accept();
    await apart.drain();
    expect(await apart.statuses()).toEqual(['written', 'written']);
  });
});

describe('an encounter that must not be documented', () => {
  it('an encounter in progress is skipped, and documented after it has finished', async () => {
    const testbed = aRunTestbed();
    testbed.putEncounter({ status: 'in-progress' });
    await testbed.accept();
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'skipped', reason: 'trigger' });
    testbed.putEncounter({ status: 'finished' });
    await testbed.accept();
    await testbed.work();
    expect(await testbed.statuses()).toEqual(['written']);
  });

  it('an encounter outside of the pilot is skipped', async () => {
    const testbed = aRunTestbed({
      settings: { pilot: { practitioners: ['Practitioner/9'], locations: [], services: [] } },
    });
    await testbed.accept();
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'skipped', reason: 'not-in-pilot' });
    expect(testbed.speech.requests).toEqual([]);
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
    const testbed = aRunTestbed({ chart: [RECORDING, consent], capabilities: OFFERS_ALL });
    await testbed.accept();
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'skipped', reason: 'consent' });
    expect(testbed.speech.requests).toEqual([]);
  });

  it('a run waits for a missing recording, and is skipped with the reason when the time is over', async () => {
    const testbed = aRunTestbed({ chart: [] });
    await testbed.accept();
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({
      status: 'waiting',
      reason: 'recording',
      message: expect.stringMatching(/The run waits until \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/),
    });
    await testbed.drain(undefined, 3 * 3_600_000);
    expect(await testbed.onlyRun()).toMatchObject({
      status: 'skipped',
      reason: 'no-recording',
      advice: expect.stringContaining('npm run cli -- runs start mercy Encounter/e-1.'),
    });
    expect(testbed.kinds()).toEqual(['skipped']);
  });

  it('a run that waits because the recording of its encounter belongs to another patient says so', async () => {
    const testbed = aRunTestbed({ chart: [aRecording('rec-1', 'e-1', 'p-2')] });
    await testbed.accept();
    await testbed.work();
    const words = 'Recordings left out because they belong to another patient: 1.';
    expect(await testbed.onlyRun()).toMatchObject({
      status: 'waiting',
      reason: 'recording',
      message: expect.stringMatching(
        new RegExp(`^The chart has no recording of this encounter that can be used\\. .*${words}`),
      ),
      advice: expect.stringContaining(words),
    });
  });

  it('a recording that arrives during the wait is documented', async () => {
    const testbed = aRunTestbed({ chart: [] });
    await testbed.accept();
    await testbed.work();
    testbed.ehr.put(RECORDING);
    await testbed.accept();
    await testbed.work();
    expect(await testbed.statuses()).toEqual(['written']);
  });

  it('a run waits for an encounter that the EHR does not have yet, and is skipped when the time is over', async () => {
    const testbed = aRunTestbed();
    await testbed.accept({ encounters: [{ encounter: 'Encounter/nowhere', isUrgent: false }] });
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'waiting', reason: 'encounter' });
    await testbed.drain();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'skipped', reason: 'no-encounter' });
  });

  it('an encounter without a Patient is parked', async () => {
    const testbed = aRunTestbed();
    testbed.ehr.edit('Encounter/e-1', (encounter) => {
      const { subject: _, ...rest } = encounter as { readonly subject?: unknown };
      return rest as typeof encounter;
    });
    await testbed.accept();
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'parked', reason: 'identity' });
  });

  it('a silent recording is skipped', async () => {
    const testbed = aRunTestbed();
    testbed.speech.hear([], 30);
    await testbed.accept();
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'skipped', reason: 'no-speech' });
  });

  it('a recording without medical content is skipped', async () => {
    const testbed = aRunTestbed();
    testbed.reasoner.script.note = () => ({ isMedical: false });
    await testbed.accept();
    await testbed.work();
    const run = await testbed.onlyRun();
    expect(run).toMatchObject({ status: 'skipped', reason: 'not-medical' });
    expect(testbed.chart()).toEqual([]);
    // To find that out is no failure.
    expect((await testbed.runs.steps(run.id)).map(({ status }) => status)).not.toContain('failed');
  });
});

describe('an event about the Encounter of a write test', () => {
  const identity = { system: 'urn:chartwright:mercy', value: 'probe/1/encounter' };
  const { identifier, meta } = testEncounter(identity, 'Patient/p-1');

  it.each(['planned', 'finished', 'entered-in-error'] as const)('leaves no run behind: %s', async (status) => {
    const testbed = aRunTestbed();
    testbed.putEncounter({ status, ...(identifier && { identifier }), ...(meta && { meta }) });
    await testbed.accept();
    await testbed.work();
    expect([await testbed.allRuns(), testbed.kinds(), testbed.chart()]).toEqual([[], [], []]);
  });

  it('leaves a run if it only has the label of test data, or only an identifier of the engine', async () => {
    for (const part of [{ ...(identifier && { identifier }) }, { ...(meta && { meta }) }]) {
      const testbed = aRunTestbed();
      testbed.putEncounter(part);
      await testbed.accept();
      await testbed.work();
      expect(await testbed.statuses()).toEqual(['written']);
    }
  });
});

describe('an event with a visit number', () => {
  const VISIT = 'urn:oid:1.2.4';
  const visits = { settings: { identifiers: { visit: VISIT } } };
  const byVisit = { encounters: [{ encounter: 'visit:V-77', isUrgent: false }] };

  it('a visit number resolves to its encounter', async () => {
    const testbed = aRunTestbed(visits);
    testbed.putEncounter({ identifier: [{ system: VISIT, value: 'V-77' }] });
    await testbed.accept(byVisit);
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'written', encounter: 'Encounter/e-1' });
  });

  it('a visit number with a comma is searched for unchanged', async () => {
    const testbed = aRunTestbed(visits);
    testbed.putEncounter({ identifier: [{ system: VISIT, value: 'V,77|8' }] });
    await testbed.accept({ encounters: [{ encounter: 'visit:V,77|8', isUrgent: false }] });
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'written', encounter: 'Encounter/e-1' });
  });

  it('a visit number and a reference to the same encounter share one run', async () => {
    const testbed = aRunTestbed(visits);
    testbed.putEncounter({ identifier: [{ system: VISIT, value: 'V-77' }] });
    await testbed.accept(byVisit);
    await testbed.accept();
    await testbed.drain();
    expect(await testbed.statuses()).toEqual(['written']);
    expect(testbed.chart()).toEqual(WHOLE_CHART);
  });

  it('a visit number of two encounters parks the run', async () => {
    const testbed = aRunTestbed(visits);
    testbed.putEncounter({ identifier: [{ system: VISIT, value: 'V-77' }] });
    const other = { ...testbed.ehr.store.get('Encounter/e-1')?.resource, id: 'e-2' };
    testbed.ehr.put(other as Parameters<typeof testbed.ehr.put>[0]);
    await testbed.accept(byVisit);
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'parked', reason: 'identity' });
  });

  it('a visit number without a configured identifier parks the run', async () => {
    const testbed = aRunTestbed();
    await testbed.accept(byVisit);
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'parked', reason: 'mapping' });
  });
});

describe('failures during a run', () => {
  it('an invalid answer of the model is tried five times, and then the run is parked with advice', async () => {
    const testbed = aRunTestbed();
    testbed.failReasoner(new AppError('vendorAnswer', 'The reasoner answered with something else.'));
    await testbed.accept();
    await testbed.drain();
    const run = await testbed.onlyRun();
    expect(run).toMatchObject({ status: 'parked', reason: 'tries' });
    expect(run.advice).toMatch(/replay/i);
    expect(testbed.reasoner.noteRequests).toHaveLength(5);
    expect(testbed.kinds()).toEqual(['parked']);
    const steps = await testbed.runs.steps(run.id);
    expect(steps.find(({ name }) => name === 'write-note')).toMatchObject({ status: 'failed', attempts: 5 });
    // What was heard is not heard again.
    expect(testbed.speech.requests).toHaveLength(1);
  });

  it('a reasoner that is down costs no attempt, and the run is written when it is back', async () => {
    const testbed = aRunTestbed();
    testbed.failReasoner(new AppError('vendorUnavailable', 'The reasoner cannot be reached.'));
    await testbed.accept();
    await testbed.drain();
    expect(await testbed.onlyRun()).toMatchObject({
      status: 'waiting',
      reason: 'reasoner',
      tries: 0,
      waitsFor: 'reasoner',
    });
    testbed.failReasoner(undefined);
    await testbed.drain();
    expect(await testbed.statuses()).toEqual(['written']);
    expect(testbed.speech.requests).toHaveLength(1);
  });

  it('an EHR that is down costs no attempt', async () => {
    const testbed = aRunTestbed();
    testbed.ehr.misbehave({ on: 'read', does: 'throw-unavailable' });
    await testbed.accept();
    await testbed.drain();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'waiting', reason: 'ehr', tries: 0 });
    testbed.ehr.behave();
    await testbed.drain();
    expect(await testbed.statuses()).toEqual(['written']);
  });

  it('a site that does not allow the built-in rules waits for a model', async () => {
    const testbed = aRunTestbed({ settings: { engines: { allow: ['builtin'] } } });
    await testbed.accept();
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'waiting', reason: 'engines', tries: 0 });
    expect(testbed.reasoner.noteRequests).toEqual([]);
  });

  it('a site that requires another model waits for it', async () => {
    const testbed = aRunTestbed({ settings: { engines: { allow: ['vendor'], reasoner: 'other@1' } } });
    await testbed.accept();
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'waiting', reason: 'engines' });
    testbed.change({ engines: { allow: ['vendor'], reasoner: 'reasoner' } });
    await testbed.drain();
    expect(await testbed.statuses()).toEqual(['written']);
  });

  it('a site that requires a version of the model waits for it, and asks only now and then', async () => {
    const engines = { allow: ['vendor'], reasoner: 'fake:reasoner@2026-03' } as const;
    const testbed = aRunTestbed({ settings: { engines } });
    testbed.reasoner.script.answeredBy = { model: 'reasoner-2026-05' };
    await testbed.accept();
    await testbed.work();
    const run = await testbed.onlyRun();
    expect(run).toMatchObject({ status: 'waiting', reason: 'engines', tries: 0 });
    expect(run.message).toBe(
      'The site requires fake:reasoner@2026-03 (engines.reasoner in site.yaml), but reasoner-2026-05 answered.',
    );
    expect((run.waitsUntil?.getTime() ?? 0) - run.changedAt.getTime()).toBe(900_000);
    expect(await testbed.runs.results(run.id)).not.toHaveProperty('write-note');
    testbed.reasoner.script.answeredBy = { model: 'reasoner-2026-03' };
    await testbed.drain();
    expect(await testbed.statuses()).toEqual(['written']);
  });

  it('if the reasoner is down for too long, the transcript becomes the note, if the site allows it', async () => {
    const testbed = aRunTestbed({ settings: { engines: { allow: ['vendor'], transcriptOnlyAfterMs: 600_000 } } });
    testbed.failReasoner(new AppError('vendorUnavailable', 'The reasoner cannot be reached.'));
    await testbed.accept();
    await testbed.drain();
    expect(await testbed.statuses()).toEqual(['written']);
    expect(testbed.chart()).not.toContain('Condition');
    const results = await testbed.runs.results((await testbed.onlyRun()).id);
    expect(results['write-note']?.note.note.sections[0]?.text).toContain('My knee has hurt');
  });

  it('a mapping that fails parks the run with the place of the problem', async () => {
    const testbed = aRunTestbed();
    const broken = new Map(testbed.site.mappings);
    broken.set('composition', {
      file: 'mappings/mercy/composition.yaml',
      reads: new Set(),
      apply: () => ({ value: 'no resource', unmapped: [] }),
    });
    Object.assign(testbed.site, { mappings: broken });
    await testbed.accept();
    await testbed.work();
    const run = await testbed.onlyRun();
    expect(run).toMatchObject({ status: 'parked', reason: 'mapping' });
    const steps = await testbed.runs.steps(run.id);
    expect(steps.find(({ name }) => name === 'map')).toMatchObject({ status: 'failed' });
    expect(run.message).toContain('mappings/mercy/composition.yaml');
  });
});

describe('the settings of a site', () => {
  it('shadow mode does everything except the write, and stores the documents', async () => {
    const testbed = aRunTestbed({ settings: { mode: 'shadow' } });
    await testbed.accept();
    await testbed.work();
    const run = await testbed.onlyRun();
    expect(run).toMatchObject({ status: 'skipped', reason: 'shadow' });
    expect(testbed.chart()).toEqual([]);
    const { map } = await testbed.runs.results(run.id);
    expect(map?.documents.map(({ document }) => document)).toContain('composition');
  });

  it('a replay writes the documents of shadow mode once the site is live', async () => {
    const testbed = aRunTestbed({ settings: { mode: 'shadow' } });
    await testbed.accept();
    await testbed.work();
    testbed.change({ mode: 'live' });
    await testbed.runs.replay({ id: (await testbed.onlyRun()).id, from: 'map', isDry: false });
    await testbed.work();
    expect(await testbed.statuses()).toEqual(['skipped', 'written']);
    expect(testbed.chart()).toEqual(WHOLE_CHART);
    expect(testbed.speech.requests).toHaveLength(1);
  });

  it('a draft is held for review, and written as final after the approval of a clinician', async () => {
    const testbed = aRunTestbed();
    testbed.change({ write: { ...testbed.site.settings.write, review: 'hold' } });
    await testbed.accept();
    await testbed.work();
    const held = await testbed.onlyRun();
    expect(held).toMatchObject({ status: 'held', reason: 'review' });
    expect(testbed.chart()).toEqual([]);
    const review = {
      decision: 'approve',
      time: '2026-03-02T11:00:00Z',
      reviewer: 'Practitioner/7',
      revision: held.revision,
    } as const;
    await testbed.runs.review({ id: held.id, review });
    await testbed.work();
    expect(await testbed.statuses()).toEqual(['written']);
    const [composition] = testbed.hospital.written('Composition');
    expect(composition).toMatchObject({ status: 'final' });
  });

  it('unsupported statements are marked, and too many of them hold the note', async () => {
    const testbed = aRunTestbed();
    testbed.reasoner.script.note = () => ({
      isMedical: true,
      note: { title: 'Knee', sections: [{ key: 'PLAN', title: 'Plan', text: 'Start warfarin 5 mg daily.' }] },
    });
    testbed.change({ check: { maxUnsupported: { drug: 0 } } });
    await testbed.accept();
    await testbed.work();
    const run = await testbed.onlyRun();
    expect(run).toMatchObject({ status: 'held', reason: 'unsupported' });
    const { check } = await testbed.runs.results(run.id);
    expect(check?.note.note.sections[0]?.text).toContain('[not found in the recording]');
    const dry = await testbed.runs.replay({ id: run.id, from: 'write-note', isDry: true });
    await testbed.work();
    expect(await testbed.runs.find(dry.id, 'all')).toMatchObject({ status: 'skipped', reason: 'dry-run' });
    const shown = await testbed.runs.results(dry.id);
    expect(shown.check?.report.exceeded).toEqual(['drug', 'dose']);
    expect(shown.map?.differences?.map(({ change }) => change)).toEqual(shown.map?.differences?.map(() => 'new'));
    expect(shown.map?.differences).not.toEqual([]);
  });

  it('a run that was cancelled before it would be held is cancelled, and asks for no review', async () => {
    const testbed = aRunTestbed();
    testbed.change({ write: { ...testbed.site.settings.write, review: 'hold' } });
    await testbed.accept();
    const { id } = await testbed.onlyRun();
    const { leave } = testbed.queue;
    const queue: Pick<Queue, 'leave'> = {
      leave: async (...order) => {
        await testbed.runs.cancel(id);
        return leave(...order);
      },
    };
    Object.assign(testbed.queue, queue);
    await testbed.work();
    expect(await testbed.statuses()).toEqual(['cancelled']);
    expect(testbed.kinds()).toEqual([]);
  });

  it('after a merge during the run the run belongs to the surviving patient', async () => {
    const testbed = aRunTestbed();
    await testbed.pauses.pause('mercy', 'write', 'EHR upgrade');
    await testbed.accept();
    await testbed.work();
    testbed.ehr.edit('Patient/p-1', (resource) => ({
      ...(resource as Patient),
      link: [{ type: 'replaced-by', other: { reference: 'Patient/p-2' } }],
    }));
    testbed.putEncounter({ subject: { reference: 'Patient/p-2' } });
    await testbed.pauses.resume('mercy', 'write');
    await testbed.queue.wake({ site: 'mercy' });
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'written', patient: 'Patient/p-2' });
    expect(testbed.outbox.map(({ event }) => event)).toMatchObject([{ status: 'written', patient: 'Patient/p-2' }]);
  });

  it('a paused run waits, and goes on after the pause', async () => {
    const testbed = aRunTestbed();
    await testbed.pauses.pause('mercy', 'write', 'EHR upgrade');
    await testbed.accept();
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'waiting', reason: 'paused', step: 'write-chart' });
    expect(testbed.chart()).toEqual([]);
    await testbed.pauses.resume('mercy', 'write');
    await testbed.queue.wake({ site: 'mercy' });
    await testbed.work();
    expect(await testbed.statuses()).toEqual(['written']);
  });
});

describe('after the write', () => {
  it('a cancelled encounter retracts the documents of the engine', async () => {
    const testbed = aRunTestbed();
    await testbed.accept();
    await testbed.work();
    testbed.putEncounter({ status: 'cancelled' });
    await testbed.accept();
    await testbed.drain();
    expect(await testbed.statuses()).toEqual(['retracted']);
    for (const type of ['Composition', 'DocumentReference', 'Condition']) {
      for (const resource of testbed.hospital.written(type)) {
        expect(JSON.stringify(resource)).toContain('entered-in-error');
      }
    }
    expect(testbed.kinds()).toEqual(['documented', 'retracted']);
  });

  it('an encounter that is cancelled before its documentation leaves no documents', async () => {
    const testbed = aRunTestbed();
    testbed.putEncounter({ status: 'entered-in-error' });
    await testbed.accept();
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'skipped', reason: 'cancelled-encounter' });
    expect(testbed.chart()).toEqual([]);
  });

  it('a replay with the same result writes nothing', async () => {
    const testbed = aRunTestbed();
    await testbed.accept();
    await testbed.work();
    const before = testbed.ehr.sent.length;
    await testbed.runs.replay({ id: (await testbed.onlyRun()).id, from: 'map', isDry: false });
    await testbed.work();
    expect(await testbed.statuses()).toEqual(['written', 'written']);
    expect(testbed.ehr.sent.length).toBe(before);
  });

  it('a replay with another note writes a new version, not a second note', async () => {
    const testbed = aRunTestbed();
    await testbed.accept();
    await testbed.work();
    const { note } = testbed.reasoner.script;
    testbed.reasoner.script.note = (request) => {
      const answer = note(request);
      return answer.isMedical ? { ...answer, note: { ...answer.note, title: 'Another title' } } : answer;
    };
    await testbed.runs.replay({ id: (await testbed.onlyRun()).id, from: 'write-note', isDry: false });
    await testbed.work();
    expect(await testbed.statuses()).toEqual(['written', 'written']);
    expect(testbed.hospital.written('Composition')).toHaveLength(1);
    expect(testbed.hospital.written('DocumentReference')).toHaveLength(1);
  });

  it('a dry replay shows the differences and writes nothing', async () => {
    const testbed = aRunTestbed();
    await testbed.accept();
    await testbed.work();
    const before = testbed.ehr.sent.length;
    const { note } = testbed.reasoner.script;
    testbed.reasoner.script.note = (request) => {
      const answer = note(request);
      const sections = [{ key: 'PLAN', title: 'Plan', text: 'Come back in a week.' }];
      return answer.isMedical ? { ...answer, note: { ...answer.note, sections } } : answer;
    };
    await testbed.runs.replay({ id: (await testbed.onlyRun()).id, from: 'write-note', isDry: true });
    await testbed.work();
    const [, dry] = await testbed.allRuns();
    expect(dry).toMatchObject({ status: 'skipped', reason: 'dry-run' });
    expect(testbed.ehr.sent.length).toBe(before);
    const { map } = await testbed.runs.results(dry?.id ?? '');
    expect(map?.differences).toContainEqual(
      expect.objectContaining({ document: 'document-reference', change: 'changed', elements: ['description'] }),
    );
    expect(JSON.stringify(map?.differences)).not.toContain('Come back');
  });

  it('a run that is cancelled in process ends after the current step', async () => {
    const testbed = aRunTestbed();
    await testbed.accept();
    testbed.reasoner.script.wait = async () => {
      await testbed.runs.cancel((await testbed.onlyRun()).id);
    };
    await testbed.work();
    expect(await testbed.statuses()).toEqual(['cancelled']);
    expect(testbed.chart()).toEqual([]);
    expect(testbed.kinds()).toEqual([]);
  });

  it('a run that is recalled in process is not written and says why; a replay makes a new draft', async () => {
    const testbed = aRunTestbed();
    await testbed.accept();
    const words = { message: 'It is recalled.', advice: 'Replay it from write-note.' };
    testbed.reasoner.script.wait = async () => {
      await testbed.runs.withdraw((await testbed.onlyRun()).id, words);
    };
    await testbed.work();
    const run = await testbed.onlyRun();
    expect(run).toMatchObject({ status: 'cancelled', reason: 'recalled', ...words });
    expect([testbed.chart(), testbed.kinds()]).toEqual([[], []]);
    testbed.reasoner.script.wait = async () => undefined;
    await testbed.runs.replay({ id: run.id, from: 'write-note', isDry: false });
    await testbed.work();
    expect(await testbed.statuses()).toEqual(['cancelled', 'written']);
    expect(testbed.chart()).not.toEqual([]);
  });
});
