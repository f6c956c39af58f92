// A recording that is handed over for an encounter: what is kept, what is refused, and that nothing of what is refused is left.
import { describe, expect, it } from '@jest/globals';
import type { Encounter, Patient } from '@medplum/fhirtypes';
import { AppError } from '../../../src/domain/errors.ts';
import { sessionOfUpload, type UploadDetails } from '../../../src/domain/event/upload.ts';
import type { Recording } from '../../../src/domain/recording/recording.ts';
import type { SiteSettings } from '../../../src/domain/site/site.ts';
import { makeTakeUpload, type UploadedForm } from '../../../src/flows/intake/take-upload.ts';
import type { Inbox } from '../../../src/ports/inbox.ts';
import type { Recordings } from '../../../src/ports/recordings.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { makeFakeEhr } from '../../fakes/ehr.ts';
import { makeFakeRecordings } from '../../fakes/recordings.ts';
import { makeFakeRuns } from '../../fakes/runs.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';
import { aSite } from '../../support/chart-facts.ts';

const BASE_URL = 'https://ehr.example.org/fhir/R4';
const MRN = { system: 'urn:oid:1.2.3', value: '4711' };
const NOBODY = new AbortController().signal;
const MINE: UploadDetails = { patient: { kind: 'reference', reference: 'Patient/p-1' } };

function anEncounter(changes: Partial<Encounter> = {}): Encounter {
  return {
    resourceType: 'Encounter',
    id: 'e-1',
    status: 'finished',
    class: { code: 'AMB' },
    subject: { reference: 'Patient/p-1' },
    ...changes,
  };
}

function aPatient(id: string, identifier: Patient['identifier'] = []): Patient {
  return { resourceType: 'Patient', id, identifier };
}

function siteWith(changes: Partial<SiteSettings> = {}): LoadedSite {
  const site = aSite();
  const ehr = { baseUrl: BASE_URL, auth: { type: 'none' }, maxConcurrentWrites: 2, headers: {} } as const;
  return { ...site, settings: { ...site.settings, ehr, ...changes } };
}

type TestbedOptions = {
  readonly encounter?: Encounter;
  readonly patient?: Patient;
  readonly inbox?: Partial<Inbox>;
  readonly recordings?: (real: Recordings) => Partial<Recordings>;
};

/** All fakes together; `stored` counts what is kept of recordings at this moment. */
function aTestbed({
  encounter = anEncounter(),
  patient = aPatient('p-1'),
  inbox = {},
  recordings = () => ({}),
}: TestbedOptions = {}) {
  const runtime = makeFakeRuntime();
  const ehr = makeFakeEhr({ runtime, resources: [encounter, patient, aPatient('p-2', [MRN])] });
  const { inbox: fakeInbox, runs } = makeFakeRuns({ now: runtime.now });
  const real = makeFakeRecordings();
  const ids = new Set<string>();
  const counting: Recordings = {
    ...real,
    store: async (recording, bytes) => {
      const answer = await real.store(recording, bytes);
      ids.add(recording.id);
      return answer;
    },
    remove: async (id) => {
      await real.remove(id);
      ids.delete(id);
    },
  };
  const woken: string[] = [];
  const take = makeTakeUpload({
    recordings: { ...counting, ...recordings(counting) },
    inbox: { ...fakeInbox, ...inbox },
    ehrs: ehr.ehrs,
    runtime,
    onAccepted: () => woken.push('woken'),
  });
  return {
    ehr,
    runs,
    real,
    woken,
    stored: () => [...ids],
    take: (form: UploadedForm, site = siteWith(), signal = NOBODY) =>
      take({ site, organization: 'mercy-general', encounter: 'Encounter/e-1', form }, signal),
  };
}

function aRecording(text = 'sound', { isReopenable = false } = {}): Recording & { readonly opened: () => number } {
  let opened = 0;
  return {
    type: 'audio/wav',
    sizeBytes: undefined,
    isReopenable,
    opened: () => opened,
    open: async function* () {
      opened += 1;
      yield Buffer.from(text);
    },
  };
}

/** All fields come before the recording, except those in `later`. */
function aForm(known: UploadDetails = MINE, later = known, recording: Recording = aRecording()): UploadedForm {
  return { recording, known, whole: async () => later };
}

describe('a recording that is uploaded for an encounter', () => {
  it('it is stored with its details and creates a run', async () => {
    const testbed = aTestbed();
    const said: UploadDetails = {
      ...MINE,
      noteType: 'ED_NOTE',
      template: 'SOAP',
      language: 'detect',
      session: 'visit-1',
      recordedAt: '2026-03-02T09:30:00Z',
      practitioner: 'Practitioner/7',
    };
    const { runId } = await testbed.take(aForm(said));
    const [id = ''] = testbed.stored();
    expect(await testbed.runs.find(runId, 'all')).toMatchObject({
      site: 'mercy',
      organization: 'mercy-general',
      encounter: 'Encounter/e-1',
      session: 'visit-1',
      recordings: [`upload:${id}`],
      isUrgent: false,
      trigger: { source: 'upload' },
    });
    expect(await testbed.real.find(id)).toEqual({
      id,
      site: 'mercy',
      encounter: 'Encounter/e-1',
      type: 'audio/wav',
      patient: 'Patient/p-1',
      recordedAt: '2026-03-02T09:30:00Z',
      language: 'detect',
      noteType: 'ED_NOTE',
      template: 'SOAP',
      practitioner: 'Practitioner/7',
    });
    expect(testbed.woken).toHaveLength(1);
  });

  it('its run is urgent if the encounter is an emergency', async () => {
    const testbed = aTestbed({ encounter: anEncounter({ class: { code: 'EMER' } }) });
    const { runId } = await testbed.take(aForm());
    expect(await testbed.runs.find(runId, 'all')).toMatchObject({ isUrgent: true });
  });

  it('without a session it is identified by its bytes, so the same upload gives the same run and is stored once', async () => {
    const testbed = aTestbed();
    const first = await testbed.take(aForm());
    const again = await testbed.take(aForm());
    expect(again).toEqual(first);
    expect(testbed.stored()).toHaveLength(1);
    const sha256 = await sha256Of('sound');
    expect(await testbed.runs.find(first.runId, 'all')).toMatchObject({
      session: sessionOfUpload(sha256),
      recordings: [`upload:${testbed.stored()[0]}`],
    });
    expect(testbed.woken).toHaveLength(1);
  });

  it('other bytes create another run', async () => {
    const testbed = aTestbed();
    const first = await testbed.take(aForm());
    const other = await testbed.take(aForm(MINE, MINE, aRecording('other sound')));
    expect(other.runId).not.toBe(first.runId);
    expect(testbed.stored()).toHaveLength(2);
  });

  it('it is refused if its session has another recording, which stays', async () => {
    const testbed = aTestbed();
    const said = { ...MINE, session: 'visit-1' };
    await testbed.take(aForm(said));
    const before = testbed.stored();
    await expect(testbed.take(aForm(said, said, aRecording('other sound')))).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(testbed.stored()).toEqual(before);
  });

  it('fields after the recording are stored with it', async () => {
    const testbed = aTestbed();
    const { runId } = await testbed.take(aForm(MINE, { ...MINE, session: 'visit-2', language: 'pt' }));
    const [id = '', ...others] = testbed.stored();
    expect(others).toEqual([]);
    expect(await testbed.runs.find(runId, 'all')).toMatchObject({ session: 'visit-2', recordings: [`upload:${id}`] });
    expect(await testbed.real.find(id)).toMatchObject({ language: 'pt' });
    expect(await textOf(testbed.real, id)).toBe('sound');
  });
});

describe('the patient of an upload', () => {
  it.each<[string, UploadDetails['patient']]>([
    ['by reference', { kind: 'reference', reference: 'Patient/p-1' }],
    ['by a record number', { kind: 'number', ...MRN }],
  ])('the patient is confirmed as the patient of the encounter: %s', async (_title, patient) => {
    const testbed = aTestbed({ patient: aPatient('p-1', [MRN]) });
    await expect(testbed.take(aForm({ ...(patient && { patient }) }))).resolves.toHaveProperty('runId');
  });

  it.each<[string, UploadDetails['patient']]>([
    ['another one', { kind: 'reference', reference: 'Patient/p-2' }],
    ['one who does not exist', { kind: 'reference', reference: 'Patient/nobody' }],
    ['the record number of another one', { kind: 'number', ...MRN }],
    ['the same number of another system', { kind: 'number', system: 'urn:oid:9.9', value: '4712' }],
  ])('a patient who is %s is refused before a byte of the recording is read', async (_title, patient) => {
    const testbed = aTestbed({ patient: aPatient('p-1', [{ ...MRN, value: '4712' }]) });
    const recording = aRecording();
    const form = aForm({ ...(patient && { patient }) }, {}, recording);
    await expect(testbed.take(form)).rejects.toMatchObject({
      code: 'invalidRequest',
      message: 'patient is not the patient of this encounter: nothing was stored',
    });
    expect([recording.opened(), testbed.stored()]).toEqual([0, []]);
  });

  it('a record number that is marked as old does not identify the patient', async () => {
    const testbed = aTestbed({ patient: aPatient('p-1', [{ ...MRN, use: 'old' }]) });
    const form = aForm({ patient: { kind: 'number', ...MRN } });
    await expect(testbed.take(form)).rejects.toMatchObject({ code: 'invalidRequest' });
  });

  it.each([
    ['has no patient', {}],
    ['has a group as its subject', { subject: { reference: 'Group/p-1' } }],
    ['is of a patient of another server', { subject: { reference: 'https://elsewhere.example.org/fhir/Patient/p-1' } }],
  ])('no patient matches an encounter that %s', async (_title, changes) => {
    const { subject: _, ...rest } = anEncounter();
    const testbed = aTestbed({ encounter: { ...rest, ...changes } as Encounter });
    await expect(testbed.take(aForm())).rejects.toMatchObject({ code: 'invalidRequest' });
    expect(testbed.stored()).toEqual([]);
  });

  it('a wrong patient in a field after the recording leaves nothing stored', async () => {
    const testbed = aTestbed();
    const wrong: UploadDetails = { patient: { kind: 'reference', reference: 'Patient/p-2' } };
    await expect(testbed.take(aForm({}, wrong))).rejects.toMatchObject({ code: 'invalidRequest' });
    expect(testbed.stored()).toEqual([]);
    expect(await testbed.runs.list({ scope: 'all', limit: 10 })).toEqual({ runs: [] });
  });

  it('the patient must be named', async () => {
    const testbed = aTestbed();
    await expect(testbed.take(aForm({}))).rejects.toMatchObject({
      code: 'invalidRequest',
      message: 'patient is required: an id, or a record number as system|value',
    });
    expect([testbed.stored(), testbed.ehr.calls]).toEqual([[], []]);
  });

  it('the patient is not checked if the site has turned the check off', async () => {
    const testbed = aTestbed();
    await expect(testbed.take(aForm({}), siteWith({ upload: { identityCheck: 'off' } }))).resolves.toHaveProperty(
      'runId',
    );
    expect(testbed.ehr.calls).toEqual([]);
  });

  it('the patient is checked once if all fields come first', async () => {
    const testbed = aTestbed();
    await testbed.take(aForm());
    expect(testbed.ehr.calls.map(({ about }) => about)).toEqual(['Encounter/e-1']);
  });
});

describe('nothing of a refused upload stays stored', () => {
  it('an upload for an unknown encounter', async () => {
    const testbed = aTestbed({ encounter: anEncounter({ id: 'e-2' }) });
    await expect(testbed.take(aForm())).rejects.toMatchObject({ code: 'notFound' });
    expect(testbed.stored()).toEqual([]);
  });

  it.each([
    ['before', MINE],
    ['behind', {}],
  ])('while the EHR is down, with the patient %s the recording', async (_title, known) => {
    const testbed = aTestbed();
    testbed.ehr.misbehave({ on: 'read', does: 'throw-unavailable' });
    await expect(testbed.take(aForm(known, MINE))).rejects.toMatchObject({ code: 'ehrUnavailable' });
    expect(testbed.stored()).toEqual([]);
  });

  it('an upload whose form breaks off after the recording', async () => {
    const testbed = aTestbed();
    const form = { ...aForm(), whole: () => Promise.reject(new AppError('cancelled', 'The client is gone')) };
    await expect(testbed.take(form)).rejects.toMatchObject({ code: 'cancelled' });
    expect(testbed.stored()).toEqual([]);
  });

  it('an upload whose bytes break off', async () => {
    const testbed = aTestbed();
    const recording: Recording = {
      ...aRecording(),
      open: async function* () {
        yield Buffer.from('so');
        throw new AppError('payloadTooLarge', 'The audio file is larger than 100 MB');
      },
    };
    await expect(testbed.take(aForm(MINE, MINE, recording))).rejects.toMatchObject({ code: 'payloadTooLarge' });
    expect(testbed.stored()).toEqual([]);
  });

  it('an upload that could not be stored again with its later fields', async () => {
    let stores = 0;
    const testbed = aTestbed({
      recordings: (real) => ({
        store: async (recording, bytes) => {
          stores += 1;
          if (stores === 2) throw new AppError('overloaded', 'The database cannot be reached');
          return real.store(recording, bytes);
        },
      }),
    });
    await expect(testbed.take(aForm(MINE, { ...MINE, language: 'es' }))).rejects.toMatchObject({ code: 'overloaded' });
    expect([stores, testbed.stored()]).toEqual([2, []]);
  });

  it('an upload that cannot be removed at once still reports why it was refused', async () => {
    const testbed = aTestbed({
      recordings: () => ({
        remove: () => Promise.reject(new AppError('overloaded', 'The database cannot be reached')),
      }),
    });
    const wrong: UploadDetails = { patient: { kind: 'reference', reference: 'Patient/p-2' } };
    await expect(testbed.take(aForm({}, wrong))).rejects.toMatchObject({ code: 'invalidRequest' });
  });
});

describe('an upload whose run may or may not have been committed', () => {
  it('the recording stays stored, so that a retry finds or creates the one run', async () => {
    const refusals = [new AppError('overloaded', 'The database cannot be reached')];
    const { inbox } = makeFakeRuns();
    const testbed = aTestbed({
      inbox: {
        // It was committed, and the answer was lost.
        acceptUpload: async (order) => {
          const accepted = await inbox.acceptUpload(order);
          const refusal = refusals.shift();
          if (refusal) throw refusal;
          return accepted;
        },
      },
    });
    await expect(testbed.take(aForm())).rejects.toMatchObject({ code: 'overloaded' });
    const kept = testbed.stored();
    expect(kept).toHaveLength(1);
    await expect(testbed.take(aForm())).resolves.toHaveProperty('runId');
    expect(testbed.stored()).toEqual(kept);
  });
});

describe('the confirmation of an upload', () => {
  it('an upload is confirmed only after the recording and its run are stored', async () => {
    const steps: string[] = [];
    const storing = Promise.withResolvers<void>();
    const testbed = aTestbed({
      recordings: (real) => ({
        store: async (recording, bytes) => {
          const answer = await real.store(recording, bytes);
          await storing.promise;
          steps.push('stored');
          return answer;
        },
      }),
    });
    const taken = testbed.take(aForm()).then(() => steps.push('taken'));
    await new Promise((resolve) => setImmediate(resolve));
    expect([steps, (await testbed.runs.list({ scope: 'all', limit: 10 })).runs]).toEqual([[], []]);
    storing.resolve();
    await taken;
    expect(steps).toEqual(['stored', 'taken']);
  });
});

async function sha256Of(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(text))).toString('hex');
}

async function textOf(recordings: Recordings, id: string): Promise<string> {
  const { open } = await recordings.open(id);
  return Buffer.concat(await Array.fromAsync(open())).toString();
}
