// An encounter that is moved to another patient, or whose patient is merged, after its documents were written. The hospital is in memory.
import { describe, expect, it } from '@jest/globals';
import type { Patient, Resource } from '@medplum/fhirtypes';
import type { Run } from '../../src/domain/run/run.ts';
import { makeExplainEncounter } from '../../src/flows/operations/explain-encounter.ts';
import { makeActOnReport } from '../../src/flows/reconciling/act-on-report.ts';
import { makeReconcileSite } from '../../src/flows/reconciling/reconcile-site.ts';
import { makeFakeFeeds } from '../fakes/feeds.ts';
import { OPERATOR } from '../support/access.ts';
import { isRetired } from '../support/chart-invariants.ts';
import { aRecording, aRunTestbed, RECORDING, type TestbedParts } from '../support/run-testbed.ts';

const MINUTE_MS = 60_000;

function aTestbed(parts: TestbedParts = {}) {
  const testbed = aRunTestbed(parts);
  testbed.ehr.put({ resourceType: 'Patient', id: 'p-2' });
  testbed.ehr.put({ resourceType: 'Patient', id: 'p-3' });
  const setSubject = (reference: string, patient: string) =>
    testbed.ehr.edit(reference, (one) => ({ ...one, subject: { reference: `Patient/${patient}` } }) as Resource);
  const run = async (status: Run['status']): Promise<Run> => {
    const found = (await testbed.allRuns()).filter((one) => one.status === status);
    if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} runs are ${status}`);
    return found[0];
  };
  return {
    ...testbed,
    run,
    setSubject,
    /** As an EHR does it: the encounter and its recordings. */
    move: (patient: string, recordings = ['rec-1']) => {
      testbed.putEncounter({ subject: { reference: `Patient/${patient}` } });
      for (const id of recordings) setSubject(`DocumentReference/${id}`, patient);
    },
    document: async () => {
      await testbed.accept();
      await testbed.drain();
    },
    /** What counts as meant in the charts: `Patient/p-1 Composition`. */
    standing: () =>
      testbed.hospital
        .written()
        .filter((one) => !['Device', 'Provenance'].includes(one.resourceType) && !isRetired(one))
        .map((one) => `${(one as { subject?: { reference?: string } }).subject?.reference} ${one.resourceType}`)
        .toSorted(),
    findings: async () =>
      (await testbed.ledger.openFindings('all')).map(({ kind, references }) => ({ kind, references })),
    alarms: () => testbed.outbox.filter(({ event }) => event.because === 'moved').map(({ event }) => event),
    signNote: () => {
      const reference = `DocumentReference/${testbed.hospital.written('DocumentReference')[0]?.id}`;
      testbed.ehr.edit(reference, (one) => ({ ...one, docStatus: 'final' }) as Resource);
      return reference;
    },
  };
}

const NOTE_OF = (patient: string) => [
  `Patient/${patient} Composition`,
  `Patient/${patient} Condition`,
  `Patient/${patient} DocumentReference`,
  `Patient/${patient} RiskAssessment`,
];

describe('an encounter that is moved to another patient after the write', () => {
  it('the event retracts the drafts and writes them for the right patient, in one history of runs', async () => {
    const testbed = aTestbed();
    await testbed.document();
    const before = await testbed.onlyRun();
    testbed.move('p-2');
    await testbed.document();
    expect(testbed.standing()).toEqual(NOTE_OF('p-2'));
    const former = await testbed.run('retracted');
    const again = await testbed.run('written');
    expect(former).toMatchObject({ id: before.id, patient: 'Patient/p-1', movedTo: 'Patient/p-2', movedBy: again.id });
    expect(again).toMatchObject({ patient: 'Patient/p-2', replayOf: before.id, session: before.session });
    expect(again.trigger.source).toBe('amqp');
    expect(await testbed.runs.events(again.id)).toHaveLength(1);
  });

  it('a move is reported once, with both patients and the documents; nothing is left open when it is done', async () => {
    const testbed = aTestbed();
    await testbed.document();
    const { id, resources } = await testbed.onlyRun();
    testbed.move('p-2');
    for (const _ of [1, 2, 3]) await testbed.document();
    const [alarm, ...others] = testbed.alarms();
    expect(others).toEqual([]);
    expect(alarm).toMatchObject({ runId: id, patient: 'Patient/p-1', movedTo: 'Patient/p-2', because: 'moved' });
    expect(resources.map(({ reference }) => reference)).toEqual(
      expect.arrayContaining((alarm?.resources ?? []).map(({ reference }) => reference)),
    );
    expect(alarm?.resources).toHaveLength(4);
    expect(testbed.kinds()).toEqual(['documented', 'attention', 'retracted', 'documented']);
    expect(await testbed.findings()).toEqual([]);
  });

  it('the diagnosis for the right patient is made from the chart of that patient', async () => {
    const testbed = aTestbed();
    testbed.ehr.put({ resourceType: 'Patient', id: 'p-2', gender: 'male', birthDate: '1990-01-02' });
    await testbed.document();
    testbed.move('p-2');
    await testbed.document();
    expect(testbed.reasoner.diagnosisRequests.map(({ visit }) => visit?.sex)).toEqual([undefined, 'male']);
    expect(testbed.reasoner.noteRequests).toHaveLength(2);
  });

  it('a recording that names no patient is documented for the patient of the encounter', async () => {
    const { subject: _, ...nobodys } = RECORDING;
    const testbed = aTestbed({ chart: [nobodys] });
    await testbed.document();
    testbed.move('p-2', []);
    await testbed.document();
    expect(testbed.standing()).toEqual(NOTE_OF('p-2'));
  });

  it('a recording that is moved after its encounter is waited for', async () => {
    const testbed = aTestbed();
    await testbed.document();
    testbed.move('p-2', []);
    await testbed.accept();
    for (const _ of [1, 2, 3]) await testbed.work();
    expect(testbed.standing()).toEqual([]);
    expect(await testbed.run('waiting')).toMatchObject({ patient: 'Patient/p-2', reason: 'recording' });
    testbed.setSubject('DocumentReference/rec-1', 'p-2');
    await testbed.drain();
    expect(testbed.standing()).toEqual(NOTE_OF('p-2'));
  });

  it('a recording that stays with the other patient goes to a person with both references', async () => {
    const testbed = aTestbed();
    await testbed.document();
    testbed.move('p-2', []);
    await testbed.accept();
    await testbed.drain(undefined, 300 * MINUTE_MS);
    expect(testbed.standing()).toEqual([]);
    expect(await testbed.run('parked')).toMatchObject({
      patient: 'Patient/p-2',
      reason: 'identity',
      message: expect.stringContaining(
        'DocumentReference/rec-1 belongs to Patient/p-1 in the chart, and Encounter/e-1 to Patient/p-2',
      ),
    });
  });

  it('a signed document goes to a person with both references, and nothing is written for the other patient meanwhile', async () => {
    const testbed = aTestbed();
    await testbed.document();
    const note = testbed.signNote();
    testbed.move('p-2');
    for (const _ of [1, 2]) await testbed.document();
    expect(testbed.standing()).toEqual(['Patient/p-1 DocumentReference']);
    const { message, advice } = await testbed.run('parked');
    expect(message).toContain('Encounter/e-1 belongs to Patient/p-2 now');
    expect(message).toContain('written to Patient/p-1');
    expect(message).toContain(`Look at ${note}.`);
    expect(advice).toContain('npm run cli -- runs start mercy Encounter/e-1');
    expect(await testbed.findings()).toMatchObject([{ kind: 'moved' }]);
    expect(testbed.alarms()).toHaveLength(1);
    expect(testbed.kinds().filter((kind) => kind === 'parked')).toHaveLength(1);
  });

  it('once a person has retracted the signed document, the next event writes the note for the right patient', async () => {
    const testbed = aTestbed();
    await testbed.document();
    const note = testbed.signNote();
    testbed.move('p-2');
    await testbed.document();
    testbed.ehr.edit(note, (one) => ({ ...one, status: 'entered-in-error' }) as Resource);
    await testbed.document();
    expect(testbed.standing()).toEqual(NOTE_OF('p-2'));
    expect(testbed.hospital.written('DocumentReference').at(-1)).not.toHaveProperty('relatesTo');
    expect(await testbed.findings()).toEqual([]);
    expect((await testbed.statuses()).toSorted()).toEqual(['retracted', 'written']);
  });

  it('documents that the EHR moved along with the encounter are made anew for the right patient', async () => {
    const testbed = aTestbed();
    await testbed.document();
    testbed.move('p-2');
    for (const { resourceType, id } of testbed.hospital.written()) {
      if (!['Device', 'Provenance'].includes(resourceType)) testbed.setSubject(`${resourceType}/${id}`, 'p-2');
    }
    await testbed.document();
    expect(testbed.standing()).toEqual(NOTE_OF('p-2'));
    expect(testbed.hospital.written('Condition').filter(isRetired)).toHaveLength(1);
  });

  it('an encounter that comes back has its documents for the first patient again', async () => {
    const testbed = aTestbed();
    await testbed.document();
    testbed.move('p-2');
    await testbed.document();
    testbed.move('p-1');
    await testbed.document();
    expect(testbed.standing()).toEqual(NOTE_OF('p-1'));
    expect(await testbed.statuses()).toEqual(['retracted', 'retracted', 'written']);
    expect(await testbed.findings()).toEqual([]);
    await testbed.document();
    expect(await testbed.statuses()).toEqual(['retracted', 'retracted', 'written']);
  });

  it('two moves in quick succession end with the documents of the last patient alone', async () => {
    const testbed = aTestbed();
    await testbed.document();
    testbed.move('p-2');
    await testbed.accept();
    await testbed.work();
    testbed.move('p-3');
    await testbed.accept();
    await testbed.drain();
    expect(testbed.standing()).toEqual(NOTE_OF('p-3'));
    expect(await testbed.findings()).toEqual([]);
  });

  it('a signed document that is right again when the encounter comes back stays, with a new draft beside it', async () => {
    const testbed = aTestbed();
    await testbed.document();
    testbed.signNote();
    testbed.move('p-2');
    await testbed.document();
    testbed.move('p-1');
    await testbed.document();
    expect(new Set(testbed.standing())).toEqual(new Set(NOTE_OF('p-1')));
    expect(await testbed.findings()).toEqual([]);
    expect((await testbed.runs.list({ scope: 'all', limit: 10, status: ['parked'] })).runs).toEqual([]);
  });

  it('an encounter that moves while its run is in process is documented for the right patient after the run has parked', async () => {
    const testbed = aTestbed();
    testbed.ehr.misbehave({ on: 'read', type: 'Encounter', nth: 2, before: () => testbed.move('p-2') });
    await testbed.accept();
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'parked', reason: 'identity' });
    await testbed.document();
    expect(testbed.standing()).toEqual(NOTE_OF('p-2'));
    expect(testbed.alarms()).toEqual([]);
  });

  it('an event that comes while the run for the patient before writes is kept until the run has ended', async () => {
    const testbed = aTestbed();
    await testbed.accept();
    const [claim] = await testbed.queue.claim({
      ...{ holder: 'other/1', limit: 1, leaseMs: MINUTE_MS, sites: ['mercy'], intakeSites: ['mercy'] },
    });
    if (claim === undefined) throw new Error('nothing is due');
    const { documentSession } = testbed.startEngine();
    testbed.ehr.misbehave({
      ...{ on: 'transact', nth: 2 },
      before: () => {
        testbed.move('p-2');
        void testbed.accept();
      },
    });
    const writing = documentSession(claim, new AbortController().signal);
    await testbed.work();
    await writing;
    expect(testbed.standing()).toEqual(NOTE_OF('p-1'));
    await testbed.drain();
    expect(testbed.standing()).toEqual(NOTE_OF('p-2'));
  });

  it('a draft that waits for a clinician is withdrawn, and the one for the right patient waits instead', async () => {
    const testbed = aTestbed();
    testbed.change({ write: { ...testbed.site.settings.write, review: 'hold' } }, '1');
    await testbed.document();
    testbed.move('p-2');
    await testbed.document();
    expect(await testbed.run('held')).toMatchObject({ patient: 'Patient/p-2' });
    expect(await testbed.run('retracted')).toMatchObject({ patient: 'Patient/p-1' });
    expect(testbed.alarms()).toEqual([]);
  });

  it('a rejected draft and a retracted one are not written for the other patient', async () => {
    for (const end of ['reject', 'retract'] as const) {
      const testbed = aTestbed();
      await testbed.document();
      const { id, session = '', revision } = await testbed.onlyRun();
      const place = { site: 'mercy', encounter: 'e-1', session };
      const order = { site: testbed.site, place, reason: 'Wrong units.', actor: 'operator' };
      if (end === 'retract') await testbed.takeBack(order, new AbortController().signal);
      else await testbed.runs.reject({ id, revision, message: 'Never said.', advice: 'Reject it again.' });
      testbed.move('p-2');
      await testbed.document();
      expect(testbed.standing()).toEqual([]);
      expect(await testbed.allRuns()).toHaveLength(1);
    }
  });

  it('a pause of the site delays the retraction and not the report', async () => {
    const testbed = aTestbed();
    await testbed.document();
    await testbed.pauses.pause('mercy', 'write', 'EHR upgrade');
    testbed.move('p-2');
    await testbed.accept();
    await testbed.work();
    expect(testbed.alarms()).toHaveLength(1);
    expect(await testbed.findings()).toMatchObject([{ kind: 'moved' }]);
    expect(testbed.standing()).toEqual(NOTE_OF('p-1'));
    await testbed.pauses.resume('mercy', 'write');
    await testbed.drain();
    expect(testbed.standing()).toEqual(NOTE_OF('p-2'));
  });

  it('a second session of the encounter is moved as well, and a new recording is documented beside them', async () => {
    const testbed = aTestbed({ chart: [RECORDING, aRecording('rec-2')] });
    testbed.change({ recording: { ...testbed.site.settings.recording, group: 'recording' } }, '1');
    await testbed.document();
    testbed.ehr.put(aRecording('rec-3'));
    testbed.move('p-2', ['rec-1', 'rec-2', 'rec-3']);
    await testbed.document();
    expect(testbed.standing().filter((one) => one === 'Patient/p-2 Composition')).toHaveLength(3);
    expect(testbed.standing().filter((one) => one.includes('p-1'))).toEqual([]);
    expect(testbed.alarms()).toHaveLength(2);
  });
});

describe('a move without an event', () => {
  const reconcile = async (testbed: ReturnType<typeof aTestbed>) => {
    const { ehr, ledger, runs, inbox, runtime, site } = testbed;
    const signal = new AbortController().signal;
    const ehrs = { of: () => ehr, jwks: async () => undefined };
    const act = makeActOnReport({ runs, inbox, runtime, retractRun: testbed.takeBack, onAccepted: () => undefined });
    runtime.advance(4 * MINUTE_MS);
    await act(site, await makeReconcileSite({ ehrs, ledger, searchLagMs: 90_000 })({ site }, signal), signal);
    await testbed.drain();
  };

  it('is found by the reconciliation, which has the encounter read again', async () => {
    const testbed = aTestbed();
    await testbed.document();
    testbed.move('p-2');
    await reconcile(testbed);
    expect(testbed.standing()).toEqual(NOTE_OF('p-2'));
    expect(testbed.alarms()).toHaveLength(1);
    expect(await testbed.findings()).toEqual([]);
  });

  it('is read again when a person has retracted what was signed, and not before', async () => {
    const testbed = aTestbed();
    await testbed.document();
    const note = testbed.signNote();
    testbed.move('p-2');
    await reconcile(testbed);
    const before = testbed.audit.entries.length;
    await reconcile(testbed);
    expect(testbed.audit.entries).toHaveLength(before);
    expect(await testbed.findings()).toMatchObject([{ kind: 'moved' }]);
    testbed.ehr.edit(note, (one) => ({ ...one, status: 'entered-in-error' }) as Resource);
    await reconcile(testbed);
    expect(testbed.standing()).toEqual(NOTE_OF('p-2'));
    expect(await testbed.findings()).toEqual([]);
  });
});

describe('an uploaded recording whose encounter is moved after the write', () => {
  const upload = { id: '0b0e0000-0000-4000-8000-000000000001', site: 'mercy', encounter: 'Encounter/e-1' };
  const handOver = async (testbed: ReturnType<typeof aTestbed>, patient?: string) => {
    const bytes = (async function* () {
      yield new Uint8Array(2_000);
    })();
    await testbed.recordings.store({ ...upload, type: 'audio/mpeg', ...(patient && { patient }) }, bytes);
    await testbed.inbox.acceptUpload({
      ...{ site: 'mercy', organization: 'mercy-general', source: 'upload', key: 'upload-1', content: 'a hash' },
      ...{ receivedAt: testbed.runtime.now(), encounter: 'Encounter/e-1', session: 'u-1', isUrgent: false },
      recordings: [`upload:${upload.id}`],
    });
    await testbed.drain();
    testbed.move('p-2', []);
    await testbed.document();
  };

  it('it is documented for the patient of now if it names none', async () => {
    const testbed = aTestbed({ chart: [] });
    await handOver(testbed);
    expect(testbed.standing()).toEqual(NOTE_OF('p-2'));
  });

  it('if it names the patient of before, the drafts are retracted and a person decides', async () => {
    const testbed = aTestbed({ chart: [] });
    await handOver(testbed, 'Patient/p-1');
    expect(testbed.standing()).toEqual([]);
    expect(await testbed.run('parked')).toMatchObject({ reason: 'identity', patient: 'Patient/p-2' });
    expect(testbed.alarms()).toHaveLength(1);
  });
});

describe('the explanation of a moved encounter', () => {
  const explained = async (testbed: ReturnType<typeof aTestbed>) => {
    const { runs, pauses, audit, sites, runtime, ehr } = testbed;
    const explain = makeExplainEncounter({
      ...{ runs, pauses, audit, sites, runtime },
      feeds: makeFakeFeeds({ now: runtime.now }),
      ehrs: { of: () => ehr },
      findRecordings: testbed.startEngine().findRecordings,
      askPermission: async () => ({ isGranted: true }),
    });
    return explain({ access: OPERATOR, site: 'mercy', of: 'e-1' }, new AbortController().signal);
  };

  it('says that the documents are in the chart of another patient, and what starts the move', async () => {
    const testbed = aTestbed();
    await testbed.document();
    testbed.move('p-2');
    const { sentence, next } = await explained(testbed);
    expect(sentence).toMatch(
      /^Encounter\/e-1 was documented for Patient\/p-1 at .*, and belongs to Patient\/p-2 now\.$/,
    );
    expect(next).toContain('npm run cli -- runs start mercy Encounter/e-1');
  });

  it('says after the move to whom the encounter belonged before', async () => {
    const testbed = aTestbed();
    await testbed.document();
    const { id } = await testbed.onlyRun();
    testbed.move('p-2');
    await testbed.document();
    const { sentence } = await explained(testbed);
    expect(sentence).toContain('Encounter/e-1 is documented in the chart');
    expect(sentence).toContain(
      `It belonged to Patient/p-1 before, where the documents were retracted: npm run cli -- runs show ${id}.`,
    );
  });

  it('names both patients and what a person signed', async () => {
    const testbed = aTestbed();
    await testbed.document();
    const note = testbed.signNote();
    testbed.move('p-2');
    await testbed.document();
    const { sentence } = await explained(testbed);
    for (const reference of ['Patient/p-1', 'Patient/p-2', note]) expect(sentence).toContain(reference);
  });
});

describe('a patient who is merged after the write', () => {
  const merge = (testbed: ReturnType<typeof aTestbed>) => {
    const link = (other: string, type: 'replaces' | 'replaced-by') => [{ other: { reference: other }, type }];
    testbed.ehr.put({ resourceType: 'Patient', id: 'p-2', link: link('Patient/p-1', 'replaces') } as Patient);
    testbed.ehr.edit(
      'Patient/p-1',
      (one) => ({ ...one, active: false, link: link('Patient/p-2', 'replaced-by') }) as Patient,
    );
  };
  const moveDocuments = (testbed: ReturnType<typeof aTestbed>) => {
    for (const { resourceType, id } of testbed.hospital.written()) {
      if (!['Device', 'Provenance'].includes(resourceType)) testbed.setSubject(`${resourceType}/${id}`, 'p-2');
    }
  };

  it('documents that the EHR has moved are left as they are', async () => {
    const testbed = aTestbed();
    await testbed.document();
    merge(testbed);
    testbed.move('p-2');
    moveDocuments(testbed);
    const before = testbed.ehr.sent.length;
    await testbed.document();
    expect(testbed.ehr.sent).toHaveLength(before);
    expect(await testbed.statuses()).toEqual(['written']);
    expect(testbed.alarms()).toEqual([]);
  });

  it('the EHR has time to move the documents itself', async () => {
    const testbed = aTestbed();
    await testbed.document();
    merge(testbed);
    testbed.move('p-2');
    await testbed.accept();
    await testbed.work();
    expect(await testbed.run('waiting')).toMatchObject({ reason: 'moved' });
    moveDocuments(testbed);
    await testbed.drain();
    expect(await testbed.statuses()).toEqual(['written']);
    expect(testbed.alarms()).toEqual([]);
  });

  it('documents that stay under the replaced record are retracted there and written for the survivor', async () => {
    const testbed = aTestbed();
    await testbed.document();
    merge(testbed);
    testbed.move('p-2');
    await testbed.document();
    expect(testbed.standing()).toEqual(NOTE_OF('p-2'));
    expect(testbed.alarms()).toHaveLength(1);
  });
});
