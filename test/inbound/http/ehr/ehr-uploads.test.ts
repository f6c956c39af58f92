// Uploads of recordings for an encounter and the state of their runs, over HTTP with the real flows on fakes.
import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '../../../../src/domain/errors.ts';
import type { RunEnd } from '../../../../src/domain/run/run-end.ts';
import { makeTakeUpload } from '../../../../src/flows/intake/take-upload.ts';
import { makeShowRun } from '../../../../src/flows/operations/show-run.ts';
import type { FinishedStep } from '../../../../src/ports/queue.ts';
import type { Recordings } from '../../../../src/ports/recordings.ts';
import { exampleDiagnosis } from '../../../../src/wire/diagnosis.ts';
import { makeFakeAudit } from '../../../fakes/audit.ts';
import { makeFakeEhr } from '../../../fakes/ehr.ts';
import { makeFakeRecordings } from '../../../fakes/recordings.ts';
import { makeFakeRuns } from '../../../fakes/runs.ts';
import { makeFakeRuntime } from '../../../fakes/runtime.ts';
import { makeAudio } from '../../../support/audio-samples.ts';
import { RawClient } from '../../../support/raw-http.ts';
import { until } from '../../../support/until.ts';
import { BOUNDARY, FORM_TYPE, field, file, formBytes, openPart, type PartBytes } from '../body/form-bytes.ts';
import { type EhrDoor, type EhrDoorOptions, openEhrDoor, siteNamed } from './ehr-door.ts';

const PATH = '/ehr/mercy/encounters/e-1/recording';
const PATIENT = field('patient', 'Patient/p-1');
const WAV = makeAudio('wav', 20_000);
const RECORDING = file('file', 'visit.wav', WAV);
const MEBIBYTE = 1_048_576;
const NO_SITE = { statusCode: 404, message: 'There is no such site', error: 'Not Found' };

const SITES = [
  siteNamed('mercy', { organization: 'mercy-general' }),
  siteNamed('shadowed', { organization: 'mercy-general', mode: 'shadow' }),
  siteNamed('switched-off', { organization: 'mercy-general', mode: 'off' }),
  siteNamed('trusting', { organization: 'mercy-general', upload: { identityCheck: 'off' } }),
  siteNamed('keeping', {
    organization: 'mercy-general',
    write: { ...siteNamed('x').settings.write, differential: 'engine' },
  }),
  siteNamed('other', { organization: 'other-clinic' }),
  siteNamed('unowned'),
];

let testbed: Awaited<ReturnType<typeof openTestbed>>;

async function openTestbed(options: EhrDoorOptions & { readonly recordings?: Partial<Recordings> } = {}) {
  const runtime = makeFakeRuntime();
  const ehr = makeFakeEhr({
    runtime,
    resources: [
      {
        resourceType: 'Encounter',
        id: 'e-1',
        status: 'finished',
        class: { code: 'AMB' },
        subject: { reference: 'Patient/p-1' },
      },
      { resourceType: 'Patient', id: 'p-1', identifier: [{ system: 'urn:oid:1.2.3', value: '4711' }] },
    ],
  });
  const { inbox, queue, runs } = makeFakeRuns({ now: runtime.now });
  const real = makeFakeRecordings();
  const kept = new Set<string>();
  const recordings: Recordings = {
    ...real,
    store: async (recording, bytes) => {
      const answer = await real.store(recording, bytes);
      kept.add(recording.id);
      return answer;
    },
    remove: async (id) => {
      await real.remove(id);
      kept.delete(id);
    },
    ...options.recordings,
  };
  const audit = makeFakeAudit({ now: runtime.now });
  const takeUpload = makeTakeUpload({ recordings, inbox, ehrs: ehr.ehrs, runtime, onAccepted: () => undefined });
  const door: EhrDoor = await openEhrDoor({
    sites: SITES,
    runtime,
    takeUpload,
    showRun: makeShowRun({ runs, audit }),
    ...options,
  });
  return { door, ehr, runs, queue, audit, runtime, recordings: real, kept: () => [...kept] };
}

afterEach(async () => {
  await until(() => testbed.door.uploadsInFlight() === 0 && testbed.door.filesLeft() === 0);
  await testbed.door.close();
});

type Order = { readonly key?: string; readonly path?: string; readonly parts?: readonly PartBytes[] };

async function upload({ key, path = PATH, parts = [PATIENT, RECORDING] }: Order = {}) {
  const given = key ?? (await testbed.door.makeKey('mercy-general'));
  const headers = { 'content-type': FORM_TYPE, ...(given !== '' && { 'x-api-key': given }) };
  return testbed.door.ask(path, { method: 'POST', headers, body: new Uint8Array(formBytes(parts)) });
}

describe('a recording for an encounter', () => {
  it('is accepted and stored, and gets a run', async () => {
    testbed = await openTestbed();
    const answer = await upload();
    expect(answer.status).toBe(202);
    const run = await testbed.runs.find(answer.body.runId, 'all');
    const [id = ''] = testbed.kept();
    expect(run).toMatchObject({
      site: 'mercy',
      organization: 'mercy-general',
      encounter: 'Encounter/e-1',
      recordings: [`upload:${id}`],
      trigger: { source: 'upload' },
    });
    const { open } = await testbed.recordings.open(id);
    expect(Buffer.concat(await Array.fromAsync(open()))).toEqual(Buffer.from(WAV));
    expect(testbed.door.usage.records).toMatchObject([
      { operation: 'upload-recording', organization: 'mercy-general', status: 202, outcome: 'success' },
    ]);
  });

  const all = [
    PATIENT,
    field('note_type', 'ED_NOTE'),
    field('template', 'CHEDDAR'),
    field('language', 'detect'),
    field('session', 'visit-1'),
    field('recordedAt', '2026-03-02T09:30:00-06:00'),
    field('practitioner', '7'),
  ];
  it.each<[string, readonly PartBytes[]]>([
    ['before it', [...all, RECORDING]],
    ['after it', [RECORDING, ...all]],
    ['on both sides of it', [...all.slice(0, 3), RECORDING, ...all.slice(3)]],
  ])('is stored with all its fields, given %s', async (_title, parts) => {
    testbed = await openTestbed();
    const { body } = await upload({ parts });
    const [id = '', ...others] = testbed.kept();
    expect(others).toEqual([]);
    expect(await testbed.recordings.find(id)).toMatchObject({
      encounter: 'Encounter/e-1',
      type: 'audio/wav',
      noteType: 'ED_NOTE',
      template: 'CHEDDAR',
      language: 'detect',
      recordedAt: '2026-03-02T09:30:00-06:00',
      practitioner: 'Practitioner/7',
    });
    expect(await testbed.runs.find(body.runId, 'all')).toMatchObject({
      session: 'visit-1',
      recordings: [`upload:${id}`],
    });
    expect(testbed.door.usage.records).toMatchObject([{ language: 'detect', template: 'ED_NOTE' }]);
  });

  it.each([
    ['an id', 'p-1'],
    ['a reference', 'Patient/p-1'],
    ['a record number', 'urn:oid:1.2.3|4711'],
  ])('names its patient by %s', async (_title, patient) => {
    testbed = await openTestbed();
    expect((await upload({ parts: [field('patient', patient), RECORDING] })).status).toBe(202);
  });

  it('has the same run if it is sent again, and is stored once', async () => {
    testbed = await openTestbed();
    const first = await upload();
    const again = await upload({ parts: [RECORDING, PATIENT] });
    expect([again.status, again.body]).toEqual([202, first.body]);
    expect(testbed.kept()).toHaveLength(1);
  });

  it('is 409 if its session already has another recording', async () => {
    testbed = await openTestbed();
    const session = field('session', 'visit-1');
    await upload({ parts: [PATIENT, session, RECORDING] });
    const other = file('file', 'visit.wav', makeAudio('wav', 30_000));
    const answer = await upload({ parts: [PATIENT, session, other] });
    expect([answer.status, answer.body.error, testbed.kept().length]).toEqual([409, 'Conflict', 1]);
  });

  it('is accepted at a path with Encounter/, for a site in shadow mode, and without a patient if the site has identityCheck: off', async () => {
    testbed = await openTestbed();
    expect((await upload({ path: '/ehr/mercy/encounters/Encounter/e-1/recording' })).status).toBe(202);
    expect((await upload({ path: '/ehr/shadowed/encounters/e-1/recording' })).status).toBe(202);
    expect((await upload({ path: '/ehr/trusting/encounters/e-9/recording', parts: [RECORDING] })).status).toBe(202);
  });

  it('is answered only after it is stored', async () => {
    const storing = Promise.withResolvers<void>();
    const real = makeFakeRecordings();
    testbed = await openTestbed({
      recordings: {
        store: async (recording, bytes) => {
          const answer = await real.store(recording, bytes);
          await storing.promise;
          return answer;
        },
      },
    });
    const key = await testbed.door.makeKey('mercy-general');
    let isAnswered = false;
    const answering = upload({ key }).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await until(() => testbed.ehr.calls.length > 0);
    expect([isAnswered, (await testbed.runs.list({ scope: 'all', limit: 10 })).runs]).toEqual([false, []]);
    storing.resolve();
    expect((await answering).status).toBe(202);
  });
});

describe('a recording that is refused', () => {
  afterEach(async () => {
    expect(testbed.kept()).toEqual([]);
    expect((await testbed.runs.list({ scope: 'all', limit: 10 })).runs).toEqual([]);
  });

  it.each<[string, string, readonly PartBytes[]]>([
    [
      'another patient',
      'patient is not the patient of this encounter: nothing was stored',
      [field('patient', 'p-2'), RECORDING],
    ],
    [
      'another patient after it',
      'patient is not the patient of this encounter: nothing was stored',
      [field('language', 'en'), RECORDING, field('patient', 'p-2')],
    ],
    ['no patient', 'patient is required: an id, or a record number as system|value', [RECORDING]],
    [
      'no patient, and other fields before it',
      'patient is required: an id, or a record number as system|value',
      [field('language', 'en'), RECORDING],
    ],
    ['no file', 'A file in the form field "file" is required', [PATIENT]],
    ['an empty file', 'visit.wav: the file is empty', [PATIENT, file('file', 'visit.wav', '')]],
    ['a second file', 'One file is allowed', [PATIENT, RECORDING, RECORDING]],
    ['a field given twice', 'A text field of the form is given twice', [PATIENT, RECORDING, PATIENT]],
  ])('is 400 with %s', async (_title, message, parts) => {
    testbed = await openTestbed();
    const answer = await upload({ parts });
    expect(answer.body).toEqual({ statusCode: 400, message, error: 'Bad Request' });
  });

  it.each([
    ['patient', 'Person/1', 'patient must be an id, Patient/<id>, or a record number as system|value'],
    ['patient', '|4711', 'patient must be an id, Patient/<id>, or a record number as system|value'],
    [
      'patient',
      'https://elsewhere.example.org/Patient/p-1',
      'patient must be an id, Patient/<id>, or a record number as system|value',
    ],
    [
      'note_type',
      'LETTER',
      'note_type must be one of PROGRESS_NOTE, ADMISSION_NOTE, ED_NOTE, DISCHARGE_SUMMARY, CONSULT_NOTE, NURSING_NOTE, BEHAVIORAL_HEALTH_NOTE, DIETITIAN_NOTE',
    ],
    [
      'template',
      '../admin',
      'template must be one of SOAP, APSO, MULTIPLE_SECTIONS, CHEDDAR, DAP, PIE, SBAR, BIRP, DAR, ADIME',
    ],
    ['language', 'de', 'language must be one of en, es, pt, detect'],
    [
      'session',
      'a/b',
      'session must be 1 to 64 of A-Z, a-z, 0-9, ".", "_" and "-", and not the name of a session that the engine makes (s-…)',
    ],
    [
      'session',
      'x'.repeat(65),
      'session must be 1 to 64 of A-Z, a-z, 0-9, ".", "_" and "-", and not the name of a session that the engine makes (s-…)',
    ],
    [
      'session',
      `s-${'0'.repeat(24)}`,
      'session must be 1 to 64 of A-Z, a-z, 0-9, ".", "_" and "-", and not the name of a session that the engine makes (s-…)',
    ],
    ['recordedAt', '2026-02-30', 'recordedAt must be a date or time like 2027-01-31T09:30:00+01:00'],
    ['recordedAt', 'yesterday', 'recordedAt must be a date or time like 2027-01-31T09:30:00+01:00'],
    ['practitioner', 'Patient/7', 'practitioner must be an id or Practitioner/<id>'],
    ['practitioner', '..', 'practitioner must be an id or Practitioner/<id>'],
  ])('is 400 if %s is %s, before or after the file', async (name, value, message) => {
    testbed = await openTestbed();
    const others = name === 'patient' ? [] : [PATIENT];
    for (const parts of [
      [...others, field(name, value), RECORDING],
      [RECORDING, ...others, field(name, value)],
    ]) {
      expect((await upload({ parts })).body).toEqual({ statusCode: 400, message: [message], error: 'Bad Request' });
    }
  });

  it('is 400 for an invalid id of an encounter', async () => {
    testbed = await openTestbed();
    expect((await upload({ path: `/ehr/mercy/encounters/${'x'.repeat(65)}/recording` })).status).toBe(400);
    expect((await upload({ path: '/ehr/mercy/encounters/a_b/recording' })).status).toBe(400);
  });

  it('is 404 if the EHR has no such encounter', async () => {
    testbed = await openTestbed();
    const { body } = await upload({ path: '/ehr/mercy/encounters/e-9/recording' });
    expect(body).toEqual({ statusCode: 404, message: 'The EHR has no such encounter', error: 'Not Found' });
  });

  it.each<[string, readonly PartBytes[]]>([
    ['before it', [PATIENT, RECORDING]],
    ['after it', [field('language', 'en'), RECORDING, PATIENT]],
  ])('is 503 while the EHR cannot be reached, with the patient %s', async (_title, parts) => {
    testbed = await openTestbed();
    testbed.ehr.misbehave({ on: 'read', does: 'throw-unavailable' });
    expect((await upload({ parts })).body).toMatchObject({ statusCode: 503, message: 'the EHR cannot be reached' });
  });

  it('is 503 while it cannot be stored', async () => {
    const store = () => Promise.reject(new AppError('overloaded', 'The database cannot be reached'));
    testbed = await openTestbed({ recordings: { store } });
    expect((await upload()).status).toBe(503);
  });

  it('is 413 with one byte too many, and 415 if it is not a recording', async () => {
    testbed = await openTestbed({ maxRecordingBytes: 20_000 });
    const larger = file('file', 'visit.wav', makeAudio('wav', 20_001));
    expect((await upload({ parts: [PATIENT, larger] })).status).toBe(413);
    expect((await upload({ parts: [larger, PATIENT] })).status).toBe(413);
    const text = file('file', 'visit.wav', 'A letter, and no sound at all.');
    expect((await upload({ parts: [PATIENT, text] })).status).toBe(415);
    const key = await testbed.door.makeKey('mercy-general');
    const headers = { 'x-api-key': key, 'content-type': 'audio/wav' };
    expect((await testbed.door.ask(PATH, { method: 'POST', headers, body: WAV })).status).toBe(415);
  });

  it.each<[string, readonly PartBytes[]]>([
    ['with all fields before it', [PATIENT]],
    ['with some fields before it', [field('language', 'en')]],
    ['with none before it', []],
  ])('is deleted if its sender disconnects in the middle, %s', async (_title, before) => {
    testbed = await openTestbed();
    const key = await testbed.door.makeKey('mercy-general');
    const client = await RawClient.connect(testbed.door.port);
    client.write(
      `POST ${PATH} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nContent-Type: ${FORM_TYPE}\r\nContent-Length: 9000000\r\n\r\n`,
    );
    client.write(Buffer.concat(before.map((part) => openPart(part))));
    client.write(openPart(file('file', 'visit.wav', makeAudio('wav', MEBIBYTE))).subarray(0, -2));
    await until(() => testbed.door.uploadsInFlight() === 1);
    // If the patient is known, the recording is written to its final place only.
    if (before.includes(PATIENT)) {
      await until(() => testbed.ehr.calls.length > 0);
      expect(testbed.door.filesLeft()).toBe(0);
    }
    client.destroy();
    await until(() => testbed.door.usage.records.length === 1);
    expect(testbed.door.usage.records).toMatchObject([{ outcome: 'cancelled' }]);
  });

  it('is 402 if the audio of the month is used up, and 429 if the requests of the minute are', async () => {
    testbed = await openTestbed();
    for (const [plan, status] of [
      ['no-audio', 402],
      ['one-a-minute', 429],
    ] as const) {
      const key = await testbed.door.makeKey('mercy-general', plan);
      // The first request of the minute is refused because of its patient.
      if (status === 429) await upload({ key, parts: [field('patient', 'p-2'), RECORDING] });
      expect((await upload({ key })).status).toBe(status);
    }
  });

  it('is deleted if its form is incomplete', async () => {
    testbed = await openTestbed();
    const key = await testbed.door.makeKey('mercy-general');
    const whole = formBytes([PATIENT, RECORDING]);
    const cut = new Uint8Array(whole.subarray(0, whole.length - BOUNDARY.length - 6));
    const headers = { 'x-api-key': key, 'content-type': FORM_TYPE };
    expect((await testbed.door.ask(PATH, { method: 'POST', headers, body: cut })).status).toBe(400);
  });

  it('is 503 while the engine stops', async () => {
    testbed = await openTestbed({ isStopping: () => true });
    expect((await upload()).headers.get('retry-after')).toBe('5');
  });
});

describe('the key for uploads and for the state of their runs', () => {
  const RUN_ID = '00000001-0000-4000-8000-000000000001';
  const noKey = { statusCode: 401, message: 'The API key is missing or invalid' };

  it.each([
    ['absent', ''],
    ['unknown', 'cw_0000000000000000_EXAMPLE'],
  ])('that is %s is 401, whether the site exists or not', async (_title, key) => {
    testbed = await openTestbed();
    const headers: Record<string, string> = key === '' ? {} : { 'x-api-key': key };
    for (const site of ['mercy', 'nowhere']) {
      const refused = await upload({ key, path: `/ehr/${site}/encounters/e-1/recording` });
      expect([refused.status, refused.body]).toEqual([401, noKey]);
      expect(refused.headers.get('www-authenticate')).toContain('ApiKey');
      expect((await testbed.door.ask(`/ehr/${site}/runs/${RUN_ID}`, { headers })).body).toEqual(noKey);
    }
    expect(testbed.kept()).toEqual([]);
  });

  it('of another organization is 404, as if the site did not exist', async () => {
    testbed = await openTestbed();
    const keys = {
      'mercy-general': await testbed.door.makeKey('mercy-general'),
      'other-clinic': await testbed.door.makeKey('other-clinic'),
    };
    const own = await upload({ key: keys['mercy-general'] });
    expect(own.status).toBe(202);
    const { runId } = own.body;
    const paths = ['mercy', 'other', 'switched-off', 'nowhere', 'unowned', '__proto__'] as const;
    const statuses: Record<string, readonly unknown[]> = {};
    for (const [organization, key] of Object.entries(keys)) {
      for (const site of paths) {
        const sent = await upload({ key, path: `/ehr/${site}/encounters/e-1/recording` });
        const shown = await testbed.door.ask(`/ehr/${site}/runs/${runId}`, { headers: { 'x-api-key': key } });
        statuses[`${organization} at ${site}`] = [sent.status, shown.status];
        if (sent.status === 404) expect([sent.body, shown.body]).toEqual([NO_SITE, NO_SITE]);
      }
    }
    expect(statuses).toEqual({
      'mercy-general at mercy': [202, 200],
      'mercy-general at other': [404, 404],
      'mercy-general at switched-off': [404, 404],
      'mercy-general at nowhere': [404, 404],
      'mercy-general at unowned': [404, 404],
      'mercy-general at __proto__': [404, 404],
      'other-clinic at mercy': [404, 404],
      // The site belongs to the organization; the run is of another site.
      'other-clinic at other': [202, 404],
      'other-clinic at switched-off': [404, 404],
      'other-clinic at nowhere': [404, 404],
      'other-clinic at unowned': [404, 404],
      'other-clinic at __proto__': [404, 404],
    });
  });

  it('of the organization with the name of the site is accepted if the site names no organization', async () => {
    testbed = await openTestbed();
    const key = await testbed.door.makeKey('unowned');
    expect((await upload({ key, path: '/ehr/unowned/encounters/e-1/recording' })).status).toBe(202);
  });

  it('is 401 if the request has two keys', async () => {
    testbed = await openTestbed();
    const key = await testbed.door.makeKey('mercy-general');
    const client = await RawClient.connect(testbed.door.port);
    client.write(`GET /ehr/mercy/runs/${RUN_ID} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nx-api-key: ${key}\r\n\r\n`);
    expect((await client.answer()).status).toBe(401);
    client.destroy();
  });

  it('is throttled after repeated wrong keys', async () => {
    testbed = await openTestbed({ maxWrongKeys: 2 });
    const headers = { 'x-api-key': 'cw_0000000000000000_EXAMPLE' };
    const statuses = [];
    for (let count = 0; count < 3; count += 1) {
      statuses.push((await testbed.door.ask(`/ehr/mercy/runs/${RUN_ID}`, { headers })).status);
    }
    expect(statuses).toEqual([401, 401, 429]);
  });
});

describe('the run of a recording', () => {
  async function shown(site: string, runId: string, before = '') {
    const headers = { 'x-api-key': await testbed.door.makeKey('mercy-general') };
    return testbed.door.ask(`/ehr/${site}/runs/${before}${runId}`, { headers });
  }

  const WRITTEN: RunEnd = {
    status: 'written',
    resources: [{ document: 'document-reference', reference: 'DocumentReference/9', status: 'created' }],
    left: [],
  };

  /** Changes the run as a worker would. */
  async function write(end: RunEnd = WRITTEN): Promise<void> {
    const order = { holder: 'h/1', limit: 1, leaseMs: 60_000, sites: SITES.map(({ name }) => name), intakeSites: [] };
    const [claim] = await testbed.queue.claim(order);
    if (claim === undefined) throw new Error('there is nothing to work on');
    const now = testbed.runtime.now();
    const done: FinishedStep<'diagnose'> = {
      name: 'diagnose',
      startedAt: now,
      finishedAt: now,
      result: { diagnosis: exampleDiagnosis, model: 'm', madeAt: now.toISOString() },
    };
    await testbed.queue.finishStep(claim, done, 'check');
    await testbed.queue.leave(claim, end);
  }

  it('is shown to the uploader by its bare id and as Run/<id>', async () => {
    testbed = await openTestbed();
    const { runId } = (await upload({ parts: [PATIENT, field('session', 'visit-1'), RECORDING] })).body;
    for (const before of ['', 'Run/']) {
      const answer = await shown('mercy', runId, before);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(answer.body).toEqual({ runId, status: 'queued', encounter: 'Encounter/e-1', session: 'visit-1' });
    }
  });

  it('has its references after it is written', async () => {
    testbed = await openTestbed();
    const { runId } = (await upload()).body;
    await write();
    expect((await shown('mercy', runId)).body).toMatchObject({
      runId,
      status: 'written',
      resources: [{ document: 'document-reference', reference: 'DocumentReference/9', status: 'created' }],
    });
    expect(testbed.audit.entries).toEqual([]);
  });

  it('that is parked names the replay that has written its session', async () => {
    testbed = await openTestbed();
    const { runId } = (await upload()).body;
    await write({ status: 'parked', reason: 'mapping', message: 'A file has an error.' });
    expect((await shown('mercy', runId)).body).not.toHaveProperty('replayedBy');
    const again = await testbed.runs.replay({ id: runId, from: 'diagnose', isDry: false });
    await write();
    expect((await shown('mercy', runId)).body).toMatchObject({ status: 'parked', replayedBy: again.id });
  });

  it('has its differential if the site keeps it in the engine, and each view is in the audit trail', async () => {
    testbed = await openTestbed();
    const { runId } = (await upload({ path: '/ehr/keeping/encounters/e-1/recording' })).body;
    expect((await shown('keeping', runId)).body).not.toHaveProperty('diagnosis');
    await write();
    expect((await shown('keeping', runId)).body.diagnosis).toEqual(exampleDiagnosis);
    expect(testbed.audit.entries).toMatchObject([
      { action: 'run.view', actor: expect.stringMatching(/^key\/[0-9a-f]{16}$/), site: 'keeping', run: runId },
    ]);
  });

  it.each(['nobody', '00000009-0000-4000-8000-000000000009', '%27%20or%201=1', 'x'.repeat(200)])(
    'is 404 for an unknown id: %s',
    async (id) => {
      testbed = await openTestbed();
      expect((await shown('mercy', id)).status).toBe(404);
    },
  );

  it('of another site of the same organization is 404', async () => {
    testbed = await openTestbed();
    const { runId } = (await upload()).body;
    expect((await shown('shadowed', runId)).body).toEqual({
      statusCode: 404,
      message: 'There is no such run',
      error: 'Not Found',
    });
  });
});
