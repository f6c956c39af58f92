// What must never happen to a patient's chart, in any order of actions. The hospital is in memory.
import { describe, expect, it } from '@jest/globals';
import type { DocumentReference, Patient, Task } from '@medplum/fhirtypes';
import type { Diagnosis } from '../../src/domain/diagnosis/diagnosis.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { DocumentMapping, MappingInput } from '../../src/domain/mapping/mapping.ts';
import type { Run, StepName } from '../../src/domain/run/run.ts';
import type { WriteSettings } from '../../src/domain/site/site.ts';
import { type Decision, makeReviewRun } from '../../src/flows/reviews/review-run.ts';
import { makeWatchReviews } from '../../src/flows/reviews/watch-reviews.ts';
import type { Reviewer } from '../../src/ports/reviewers.ts';
import { someCapabilities } from '../fakes/ehr-capabilities.ts';
import { makeFakeSpeech } from '../fakes/speech.ts';
import { aReviewersAccess, asIfOpen } from '../support/access.ts';
import { aMapping } from '../support/chart-facts.ts';
import { isRetired } from '../support/chart-invariants.ts';
import { clinicianOf, NO_CLAIMS } from '../support/clinician.ts';
import { aRecording, aRunTestbed, RECORDING, type TestbedParts, WHOLE_CHART } from '../support/run-testbed.ts';

const REVIEWER: Reviewer = {
  id: '0123456789abcdef',
  site: 'mercy',
  practitioner: 'Practitioner/7',
  name: 'Dr. Example',
  createdAt: new Date('2026-03-01T00:00:00Z'),
};
const APPROVE: Decision = { kind: 'approve' };
const REJECT: Decision = { kind: 'reject', reason: 'That was never said.' };
const SIGNED = { acceptedBy: 'Dr. Example', role: 'CMIO', date: '2026-01-01', until: '2026-03-02', reason: 'Trial.' };

/** What a base's task.yaml makes, as small as it can be. */
const TASK: DocumentMapping = aMapping((variables) => {
  const { encounter, patient, review } = variables as Readonly<
    Record<'encounter' | 'patient' | 'review', { id: string }>
  >;
  return {
    resourceType: 'Task',
    status: review === undefined ? 'requested' : 'completed',
    intent: 'order',
    for: { reference: `Patient/${patient.id}` },
    encounter: { reference: `Encounter/${encounter.id}` },
    owner: { reference: 'Practitioner/7' },
  };
});

function aTestbed({ write = {}, ...parts }: TestbedParts & { readonly write?: Partial<WriteSettings> } = {}) {
  const testbed = aRunTestbed(parts);
  testbed.change({ write: { ...testbed.site.settings.write, ...write } }, '1');
  (testbed.site.mappings as Map<string, DocumentMapping>).set('task', TASK);
  const signal = new AbortController().signal;
  const { retractSession } = testbed.startEngine();
  const review = makeReviewRun({
    ...testbed,
    drafts: NO_CLAIMS,
    requireOpenChart: asIfOpen,
    retractSession,
    onDecided: () => undefined,
  });
  const watch = makeWatchReviews({ runs: testbed.runs, ehrs: testbed.hospital.ehr.ehrs, reviewRun: review });
  const find = async (id: string): Promise<Run> => {
    const run = await testbed.runs.find(id, 'all');
    if (run === undefined) throw new Error('the run is gone');
    return run;
  };
  return {
    ...testbed,
    find,
    /** An encounter that ended, and what came of it. */
    document: async (): Promise<Run> => {
      await testbed.accept();
      await testbed.drain();
      const run = (await testbed.allRuns()).at(-1);
      if (run === undefined) throw new Error('there is no run');
      return run;
    },
    replay: async (run: Run, from: StepName, isDry = false): Promise<Run> => {
      const { id } = await testbed.runs.replay({ id: run.id, from, isDry });
      await testbed.drain();
      return find(id);
    },
    decide: async (run: Run, decision: Decision): Promise<Run> => {
      const decider = clinicianOf(REVIEWER);
      await review(
        { access: aReviewersAccess(REVIEWER), id: run.id, decider, decision, revision: run.revision },
        signal,
      );
      await testbed.work();
      return find(run.id);
    },
    watchReviews: () => watch({ site: testbed.site }, signal),
    /** A clinician does so in the EHR. */
    setTask: (changes: Partial<Task>) => {
      const [task] = testbed.hospital.written('Task');
      testbed.ehr.edit(`Task/${task?.id}`, (resource) => ({ ...(resource as Task), ...changes }));
    },
    /** From now on the reasoner writes this. */
    sayOfPlan: (text: string) => {
      testbed.reasoner.script.note = () => ({
        isMedical: true,
        note: { title: 'Knee', sections: [{ key: 'PLAN', title: 'Plan', text }] },
      });
    },
    /** Whether anything of it still counts as meant in the chart. */
    stands: () =>
      testbed.hospital
        .written()
        .filter((one) => !['Device', 'Provenance'].includes(one.resourceType) && !isRetired(one)),
  };
}

const RED = (): Diagnosis => ({
  diagnosis: { diseases: [] },
  triage: { triage_level: 'RED', triage_justification: 'Because.', triage_recommendation: 'Go.' },
});
const UNSAID = 'Start warfarin 5 mg daily.';
const WITH_TASK = { note: ['composition', 'document-reference', 'task'] };

describe('a draft without a decision', () => {
  it('an approval of an earlier draft never replaces a later draft', async () => {
    const testbed = aTestbed();
    const older = await testbed.document();
    testbed.sayOfPlan('Come back in a week.');
    const newer = await testbed.replay(older, 'write-note');
    expect(newer.status).toBe('written');
    await expect(testbed.decide(older, APPROVE)).rejects.toMatchObject({ code: 'conflict' });
    await expect(testbed.decide(older, REJECT)).rejects.toMatchObject({ code: 'conflict' });
    expect(JSON.stringify(testbed.hospital.written('DocumentReference'))).toContain('Come back in a week');
    expect(testbed.hospital.written('Composition')).toMatchObject([{ status: 'preliminary' }]);
  });

  it('a replay by an operator does not write a draft of a site that holds drafts', async () => {
    const testbed = aTestbed({ write: { review: 'hold' } });
    const held = await testbed.document();
    for (const from of ['read-chart', 'map', 'write-chart', 'publish'] as const) {
      expect(await testbed.replay(held, from)).toMatchObject({ status: 'held', reason: 'review' });
    }
    expect(testbed.chart()).toEqual([]);
  });

  it('a dry run writes nothing, whichever step it begins at', async () => {
    const testbed = aTestbed();
    const run = await testbed.document();
    const before = testbed.ehr.sent.length;
    for (const from of ['read-chart', 'write-note', 'check', 'map', 'write-chart', 'publish'] as const) {
      expect(await testbed.replay(run, from, true)).toMatchObject({ status: 'skipped', reason: 'dry-run' });
    }
    expect(testbed.ehr.sent.length).toBe(before);
  });

  it('a replay behind the check does not write a note with too many unsupported statements', async () => {
    const testbed = aTestbed({ settings: { check: { maxUnsupported: { drug: 0 } } } });
    testbed.sayOfPlan(UNSAID);
    const held = await testbed.document();
    expect(held).toMatchObject({ status: 'held', reason: 'unsupported' });
    for (const from of ['map', 'write-chart'] as const) {
      expect(await testbed.replay(held, from)).toMatchObject({ status: 'held', reason: 'unsupported' });
    }
    expect(testbed.chart()).toEqual([]);
  });

  it('an approved note with unsupported statements is written with its marks', async () => {
    const testbed = aTestbed({ settings: { check: { maxUnsupported: { drug: 0 } } } });
    testbed.sayOfPlan(UNSAID);
    const held = await testbed.document();
    expect(await testbed.decide(held, APPROVE)).toMatchObject({ status: 'written' });
    expect(JSON.stringify(testbed.hospital.written('Composition'))).toContain('[not found in the recording]');
  });
});

describe('an edit of a clinician', () => {
  it('an edited note is written and signed, and a replay does not change its text', async () => {
    const testbed = aTestbed();
    const draft = await testbed.document();
    const key = (await testbed.runs.results(draft.id)).check?.note.note.sections[0]?.key ?? '';
    const edited = await testbed.decide(draft, { kind: 'edit', sections: { [key]: 'Rest, says Dr. Example.' } });
    expect(edited).toMatchObject({ status: 'written' });
    const signed = testbed.hospital.written('Composition');
    expect(signed).toMatchObject([{ status: 'final' }]);
    expect(JSON.stringify(signed)).toContain('Rest, says Dr. Example.');
    testbed.sayOfPlan('Come back in a week.');
    await testbed.replay(edited, 'write-note');
    const [first] = testbed.hospital.written('Composition');
    expect(first).toEqual(signed[0]);
  });
});

describe('a rejected draft', () => {
  it('a draft that a Task rejects is retracted later if the EHR is down at that moment', async () => {
    const testbed = aTestbed({ write: WITH_TASK });
    const run = await testbed.document();
    testbed.setTask({ status: 'rejected' });
    testbed.ehr.misbehave({ on: 'capabilities', does: 'throw-unavailable' });
    await expect(testbed.watchReviews()).rejects.toMatchObject({ code: 'ehrUnavailable' });
    expect(await testbed.find(run.id)).toMatchObject({
      status: 'parked',
      message: expect.stringContaining('The draft is still in the chart'),
    });
    testbed.ehr.behave();
    await testbed.watchReviews();
    expect(testbed.hospital.written('Composition').every(isRetired)).toBe(true);
    expect(testbed.hospital.written('Condition').every(isRetired)).toBe(true);
  });

  it('a later event does not write a rejected draft again', async () => {
    const testbed = aTestbed();
    await testbed.decide(await testbed.document(), REJECT);
    expect(testbed.stands()).toEqual([]);
    const before = testbed.ehr.sent.length;
    await testbed.document();
    expect(testbed.ehr.sent.length).toBe(before);
  });
});

describe('a review Task', () => {
  it('a completed Task approves the draft in the name of its owner', async () => {
    const testbed = aTestbed({ write: WITH_TASK });
    const run = await testbed.document();
    testbed.setTask({ status: 'completed' });
    expect(await testbed.watchReviews()).toBe(1);
    await testbed.work();
    expect(await testbed.find(run.id)).toMatchObject({ status: 'written', review: { reviewer: 'Practitioner/7' } });
    expect(testbed.hospital.written('Composition')).toMatchObject([{ status: 'final' }]);
  });

  it.each<[string, Partial<Task>]>([
    ['of another encounter', { encounter: { reference: 'Encounter/e-9' } }],
    ['with another session’s name', { identifier: [{ system: 'urn:chartwright:mercy', value: 'e-9/s-9/task' }] }],
    ['that is nobody’s', { owner: { display: 'Ward 3' } }],
  ])('%s decides nothing, although it has the id of the engine’s Task', async (_, changes) => {
    const testbed = aTestbed({ write: WITH_TASK });
    await testbed.document();
    testbed.setTask({ status: 'completed', ...changes });
    expect(await testbed.watchReviews()).toBe(0);
  });

  it('a Task that cannot be read does not block other decisions', async () => {
    const testbed = aTestbed({
      write: WITH_TASK,
      chart: [RECORDING, aRecording('rec-2')],
    });
    testbed.change({ recording: { ...testbed.site.settings.recording, group: 'recording' } }, '1');
    await testbed.document();
    for (const { id } of testbed.hospital.written('Task')) {
      testbed.ehr.edit(`Task/${id}`, (resource) => ({ ...(resource as Task), status: 'completed' }));
    }
    testbed.ehr.misbehave({ on: 'read', type: 'Task', nth: 1, does: 'throw-unavailable' });
    await expect(testbed.watchReviews()).rejects.toMatchObject({ code: 'ehrUnavailable' });
    expect((await testbed.allRuns()).filter(({ review }) => review !== undefined)).toHaveLength(1);
    testbed.ehr.behave();
    expect(await testbed.watchReviews()).toBe(1);
  });
});

describe('a note that is final without a review', () => {
  const FINAL = { review: 'final', diagnosis: [], signedWithoutReview: SIGNED } as const;

  it('a note is final until the end of the accepted period; later notes are drafts that can be reviewed', async () => {
    const testbed = aTestbed({ write: FINAL });
    await testbed.document();
    expect(testbed.hospital.written('Composition')).toMatchObject([{ status: 'final' }]);
    testbed.runtime.advance(24 * 3_600_000);
    testbed.ehr.put(aRecording('rec-2'));
    const late = await testbed.document();
    const drafts = () =>
      testbed.hospital.written('Composition').filter((one) => 'status' in one && one.status === 'preliminary');
    expect(drafts()).toHaveLength(1);
    expect(await testbed.decide(late, APPROVE)).toMatchObject({ status: 'written' });
    expect(drafts()).toHaveLength(0);
  });

  it('a note that is final without a review has no diagnosis, even if the site has a separate document for it', async () => {
    const testbed = aTestbed({ write: { ...FINAL, differential: 'separate-document' } });
    (testbed.site.mappings as Map<string, DocumentMapping>).set('differential', differentialOf());
    expect(await testbed.document()).toMatchObject({ status: 'written' });
    expect(JSON.stringify(testbed.hospital.written())).not.toContain('Pneumonia');
  });
});

describe('a site that writes no diagnosis', () => {
  it('a diagnosis is not written as text either if the EHR refuses another document', async () => {
    const types = { Composition: { canCreate: false } };
    const testbed = aTestbed({ write: { diagnosis: [] }, capabilities: someCapabilities({ types }) });
    (testbed.site.mappings as Map<string, DocumentMapping>).set('differential', differentialOf());
    expect(await testbed.document()).toMatchObject({ status: 'written' });
    expect(testbed.chart()).not.toContain('Composition');
    expect(JSON.stringify(testbed.hospital.written())).not.toContain('Pneumonia');
  });
});

/** As the base's: nothing without a disease. */
function differentialOf(): DocumentMapping {
  return aMapping((variables) => {
    const { diagnosis, encounter, patient, run } = variables as Readonly<
      Record<string, Readonly<Record<string, unknown>>>
    >;
    const diseases = diagnosis?.['diseases'] as readonly { readonly name: string }[] | undefined;
    if (diseases === undefined || diseases.length === 0) return undefined;
    return {
      resourceType: 'DocumentReference',
      status: 'current',
      docStatus: run?.['status'],
      subject: { reference: `Patient/${patient?.['id']}` },
      description: diseases.map(({ name }) => name).join(', '),
      content: [{ attachment: { contentType: 'application/pdf' } }],
      context: { encounter: [{ reference: `Encounter/${encounter?.['id']}` }] },
    } satisfies Partial<Record<keyof DocumentReference, unknown>>;
  });
}

describe('a RED triage', () => {
  it('a replay after a failed run sends the alarm', async () => {
    const testbed = aTestbed();
    testbed.diagnoses(RED);
    testbed.failReasoner(new AppError('vendorAnswer', 'That was no answer'));
    const failed = await testbed.document();
    expect(failed).toMatchObject({ status: 'parked' });
    testbed.failReasoner(undefined);
    await testbed.replay(failed, 'write-note');
    expect(testbed.kinds().filter((kind) => kind === 'attention')).toHaveLength(1);
  });

  it('a RED triage that only a replay finds sends the alarm', async () => {
    const testbed = aTestbed();
    const run = await testbed.document();
    testbed.diagnoses(RED);
    await testbed.replay(run, 'diagnose');
    expect(testbed.kinds()).toContain('attention');
  });

  it('the alarm is sent once, however often the run is replayed and reviewed', async () => {
    const testbed = aTestbed();
    testbed.diagnoses(RED);
    const run = await testbed.document();
    await testbed.replay(run, 'read-chart', true);
    const again = await testbed.replay(run, 'diagnose');
    await testbed.decide(await testbed.replay(again, 'write-note'), APPROVE);
    expect(testbed.kinds().filter((kind) => kind === 'attention')).toHaveLength(1);
  });

  it('the alarm is sent even if the run is held or must not be written', async () => {
    const testbed = aTestbed({ write: { review: 'hold' } });
    testbed.diagnoses(RED);
    await testbed.pauses.pause('mercy', 'write', 'EHR upgrade');
    await testbed.document();
    expect(testbed.kinds()).toContain('attention');
  });
});

describe('a cancelled encounter', () => {
  it('a cancelled encounter retracts the documents of a replay as well', async () => {
    const testbed = aTestbed({ settings: { mode: 'shadow' } });
    const shadow = await testbed.document();
    testbed.change({ mode: 'live' });
    expect(await testbed.replay(shadow, 'map')).toMatchObject({ status: 'written' });
    testbed.putEncounter({ status: 'cancelled' });
    await testbed.document();
    expect(testbed.stands()).toEqual([]);
  });

  it('a late approval writes nothing to a cancelled encounter', async () => {
    const testbed = aTestbed({ write: { review: 'hold' } });
    const held = await testbed.document();
    testbed.putEncounter({ status: 'entered-in-error' });
    expect(await testbed.decide(held, APPROVE)).toMatchObject({ status: 'retracted' });
    expect(testbed.stands()).toEqual([]);
  });

  it('a cancelled encounter stays unchanged while writing is paused for the site', async () => {
    const testbed = aTestbed();
    await testbed.document();
    const before = testbed.ehr.sent.length;
    await testbed.pauses.pause('mercy', 'write', 'EHR upgrade');
    testbed.putEncounter({ status: 'cancelled' });
    await testbed.accept();
    await testbed.drain(undefined, 60_000);
    expect(testbed.ehr.sent.length).toBe(before);
    await testbed.pauses.resume('mercy', 'write');
    await testbed.drain();
    expect(testbed.stands()).toEqual([]);
  });
});

describe('an encounter that was moved to another patient', () => {
  it.each(['read-chart', 'write-note'] as const)(
    'a replay from %s writes nothing to the other patient',
    async (from) => {
      const testbed = aTestbed({ settings: { mode: 'shadow' } });
      const run = await testbed.document();
      testbed.change({ mode: 'live' });
      testbed.putEncounter({ subject: { reference: 'Patient/p-2' } });
      expect(await testbed.replay(run, from)).toMatchObject({ status: 'parked' });
      expect(testbed.stands()).toEqual([]);
    },
  );

  it('a recording that names only the encounter is not documented for the other patient', async () => {
    const { subject: _, ...nobodys } = RECORDING;
    const testbed = aTestbed({ chart: [nobodys], settings: { mode: 'shadow' } });
    const run = await testbed.document();
    testbed.change({ mode: 'live' });
    testbed.putEncounter({ subject: { reference: 'Patient/p-2' } });
    expect(await testbed.replay(run, 'read-chart')).toMatchObject({ status: 'parked', reason: 'identity' });
    expect(testbed.chart()).toEqual([]);
  });
});

describe('an uploaded recording', () => {
  const handOver = async (testbed: ReturnType<typeof aTestbed>, patient: string) => {
    const upload = { id: '0b0e0000-0000-4000-8000-000000000001', site: 'mercy', encounter: 'Encounter/e-1' };
    const bytes = (async function* () {
      yield new Uint8Array(2_000);
    })();
    await testbed.recordings.store({ ...upload, type: 'audio/mpeg', patient }, bytes);
    await testbed.inbox.acceptUpload({
      site: 'mercy',
      organization: 'mercy-general',
      source: 'upload',
      key: 'upload-1',
      content: 'a hash',
      receivedAt: testbed.runtime.now(),
      encounter: 'Encounter/e-1',
      session: 'u-1',
      recordings: [`upload:${upload.id}`],
      isUrgent: false,
    });
    await testbed.drain();
    return (await testbed.allRuns()).at(-1);
  };

  it('an upload for one patient is never documented for another, even if the encounter was moved', async () => {
    const testbed = aTestbed({ chart: [] });
    testbed.putEncounter({ subject: { reference: 'Patient/p-2' } });
    expect(await handOver(testbed, 'Patient/p-1')).toMatchObject({ status: 'parked', reason: 'identity' });
    expect(testbed.chart()).toEqual([]);
  });

  it('an upload for an encounter that was cancelled meanwhile makes no documents', async () => {
    const testbed = aTestbed({ chart: [] });
    testbed.putEncounter({ status: 'entered-in-error' });
    expect(await handOver(testbed, 'Patient/p-1')).toMatchObject({ status: 'skipped', reason: 'cancelled-encounter' });
    expect(testbed.reasoner.noteRequests).toEqual([]);
  });

  it.each(['Patient/p-1', 'urn:oid:1.2.3|4711'])(
    'an upload for the patient of the encounter is documented: %s',
    async (patient) => {
      const testbed = aTestbed({ chart: [] });
      testbed.ehr.edit('Patient/p-1', (resource) => ({
        ...(resource as Patient),
        identifier: [{ system: 'urn:oid:1.2.3', value: '4711' }],
      }));
      expect(await handOver(testbed, patient)).toMatchObject({ status: 'written', patient: 'Patient/p-1' });
    },
  );
});

describe('mappings of a site with arbitrary content', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const attached = (contentType: string, text: string): DocumentMapping =>
    aMapping((variables) => ({
      ...(SAME.apply({ variables } as MappingInput).value as DocumentReference),
      content: [{ attachment: { contentType, data: base64(text) } }],
    }));
  const mapped = async (name: string, mapping: DocumentMapping) => {
    const testbed = aTestbed();
    (testbed.site.mappings as Map<string, DocumentMapping>).set(name, mapping);
    return { run: await testbed.document(), testbed };
  };

  it.each([
    ['text/html', '<html><head><title>Note</title></head><body><p>Knee pain.</p></body></html>'],
    ['Text/Plain', 'Knee pain.'],
    ['text/markdown', '# Knee pain'],
    ['application/xhtml+xml', '<div>Knee pain.</div>'],
  ])('a text of type %s without the AI notice is not sent', async (contentType, text) => {
    const { run, testbed } = await mapped('document-reference', attached(contentType, text));
    expect(run).toMatchObject({ status: 'parked', reason: 'mapping', message: expect.stringContaining('AI notice') });
    expect(testbed.chart()).toEqual([]);
  });

  it.each([
    ['text/html', '<html><head><title>Note</title></head><body><p>Drafted by AI.</p><p>Knee pain.</p></body></html>'],
    ['text/markdown', 'Drafted by AI.\n# Knee pain'],
  ])('a text of type %s that begins with the AI notice is sent', async (contentType, text) => {
    expect((await mapped('document-reference', attached(contentType, text))).run).toMatchObject({ status: 'written' });
  });

  it.each(['confirmed', 'refuted'])('a diagnosis is not %s before a clinician has confirmed it', async (code) => {
    const condition = aMapping(
      () => ({
        resourceType: 'Condition',
        verificationStatus: { coding: [{ code }] },
        subject: { reference: 'Patient/p-1' },
      }),
      ['disease'],
    );
    const { run, testbed } = await mapped('condition', condition);
    expect(run).toMatchObject({ status: 'parked', reason: 'mapping', message: expect.stringContaining(code) });
    expect(testbed.chart()).toEqual([]);
  });
});

/** A note without words of its own. */
const SAME: DocumentMapping = aMapping((variables) => {
  const { encounter, patient, run } = variables as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  return {
    resourceType: 'DocumentReference',
    status: 'current',
    docStatus: run?.['status'],
    subject: { reference: `Patient/${patient?.['id']}` },
    context: { encounter: [{ reference: `Encounter/${encounter?.['id']}` }] },
  };
});

describe('a transcript instead of a note', () => {
  const ONLY = { engines: { allow: ['vendor'], transcriptOnlyAfterMs: 0 } } as const;
  const away = new AppError('vendorUnavailable', 'The reasoner is away', { retryAfterSeconds: 1 });

  it('a transcript as the note is a draft, and says that no note could be written', async () => {
    const testbed = aTestbed({ settings: ONLY });
    testbed.failReasoner(away);
    expect(await testbed.document()).toMatchObject({ status: 'written' });
    expect(testbed.hospital.written('Composition')).toMatchObject([{ status: 'preliminary' }]);
    expect(testbed.chart()).not.toContain('Condition');
  });

  it('a transcript as the note is a draft even if notes are final without a review', async () => {
    const testbed = aTestbed({
      settings: ONLY,
      write: { review: 'final', diagnosis: [], signedWithoutReview: SIGNED },
    });
    testbed.failReasoner(away);
    await testbed.document();
    expect(testbed.hospital.written('Composition')).toMatchObject([{ status: 'preliminary' }]);
  });

  it('a transcript as the note can be approved and edited', async () => {
    for (const decision of [APPROVE, { kind: 'edit', sections: { TRANSCRIPT: 'Knee pain.' } }] as const) {
      const testbed = aTestbed({ settings: ONLY });
      testbed.failReasoner(away);
      expect(await testbed.decide(await testbed.document(), decision)).toMatchObject({ status: 'written' });
      expect(testbed.hospital.written('Composition')).toMatchObject([{ status: 'final' }]);
    }
  });
});

describe('the spoken language', () => {
  it('a second recording in an unsupported language holds the run if languages are detected', async () => {
    const speech = makeFakeSpeech();
    const transcribe: typeof speech.transcribe = (...order) => {
      speech.speak(speech.requests.length === 0 ? 'en' : 'fr');
      return speech.transcribe(...order);
    };
    const testbed = aTestbed({ chart: [RECORDING, aRecording('rec-2')], speech: { ...speech, transcribe } });
    testbed.change({ language: { ...testbed.site.settings.language, speech: 'detect' } }, '1');
    expect(await testbed.document()).toMatchObject({ status: 'held', reason: 'language' });
    expect(testbed.chart()).toEqual([]);
  });
});

describe('a change of mind during a run', () => {
  it('a site that stops writing during a run gets no documents', async () => {
    const testbed = aTestbed();
    testbed.reasoner.script.wait = async () => testbed.change({ mode: 'shadow' });
    await testbed.document();
    expect(testbed.chart()).toEqual([]);
    expect(await testbed.statuses()).toEqual(['skipped']);
  });

  it('a patient who withdraws consent gets no documents, even after an approval', async () => {
    const testbed = aTestbed({ write: { review: 'hold' }, capabilities: someCapabilities({ types: { Consent: {} } }) });
    const held = await testbed.document();
    testbed.ehr.put({
      resourceType: 'Consent',
      id: 'c-1',
      status: 'active',
      scope: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/consentscope', code: 'patient-privacy' }] },
      category: [{ coding: [{ system: 'http://loinc.org', code: '59284-0' }] }],
      patient: { reference: 'Patient/p-1' },
      provision: { type: 'deny' },
    });
    expect(await testbed.decide(held, APPROVE)).toMatchObject({ status: 'skipped', reason: 'consent' });
    expect(testbed.stands()).toEqual([]);
  });
});

it('the safety rules change nothing in the chart of an ordinary run', async () => {
  const testbed = aTestbed();
  await testbed.document();
  expect(testbed.chart()).toEqual(WHOLE_CHART);
});
