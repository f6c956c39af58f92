// Confidential words leave an engine only in its answers. Unique words go in at every door, also in requests that fail; then the log, the
// metrics, the errors, the files and the tables are searched for them.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makePdf, makePng } from '../support/file-samples.ts';
import {
  type Canaries,
  dumpTables,
  findCanaries,
  makeCanaries,
  modelErrorWith,
  type Place,
  recordingWith,
  searchFiles,
  speakOf,
} from '../support/journey-canaries.ts';
import { type Answer, type FormPart, getAnswer, postForm, postJson, readAll } from '../support/journey-client.ts';
import {
  type Clinic,
  CONVERSATION_PATH,
  fieldParts,
  LiveForm,
  NOTE_PATH,
  openClinic,
  secretOf,
} from '../support/journey-upload.ts';
import { until } from '../support/until.ts';

/** Labels that an error may have, because the caller needs to know which file was wrong. */
const FILE_LABELS: readonly Place[] = ['attachmentName', 'recordingName'];

/** One engine has the embedded database, whose files are below DATA_DIR. */
const HOUSES = [
  ['a database of its own', { DATABASE_URL: '' }],
  ['a shared database', {}],
] as const;

describe.each(HOUSES)('an engine with %s', (_, env) => {
  const canaries = makeCanaries();
  const answers: Answer[] = [];
  let clinic: Clinic;
  let openUpload: LiveForm;

  beforeAll(async () => {
    clinic = await openClinic({ env: { LOG_LEVEL: 'trace', ...env } });
    speakOf(clinic, canaries);
    for (const work of [askForDiagnoses, askForNotes, askForWrongThings, letVendorsFail]) {
      answers.push(...(await work(clinic, canaries)));
    }
    openUpload = await leaveWorkOpen(clinic, canaries);
  });
  afterAll(async () => {
    openUpload?.leave();
    await clinic?.close();
  });

  const secrets = () => ({ ...canaries, goodKey: secretOf(clinic.key) });

  it('the confidential words reach both vendors and the answers that succeed', () => {
    const asked = clinic.model.requests.map(({ rawBody = '' }) => rawBody).join('\n');
    const sent: readonly Place[] = ['history', 'transcript', 'template', 'dynamicField'];
    expect(findCanaries(asked, canaries)).toEqual(expect.arrayContaining([...sent]));
    expect(answers.slice(0, 9).map(({ status }) => status)).toEqual([200, 200, 201, 201, 200, 404, 200, 200, 200]);
    const succeeded = answers.filter(({ status }) => status < 300).map(({ text }) => text);
    expect(findCanaries(succeeded.join('\n'), canaries)).toEqual(
      expect.arrayContaining(['note', 'diagnosis', 'dynamicField', 'transcript']),
    );
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 400, 401, 404, 415, 500, 503]));
  });

  it('no confidential word is in the log at its most detailed level', async () => {
    await until(() => clinic.engine.output().stderr.includes('"route":"/transcribe"'));
    const { stdout, stderr } = clinic.engine.output();
    expect(stderr.split('\n').length).toBeGreaterThan(answers.length);
    expect(findCanaries(stdout + stderr, secrets())).toEqual([]);
  });

  it('no confidential word is in /metrics', async () => {
    expect(findCanaries(await (await fetch(`${clinic.engine.url}/metrics`)).text(), secrets())).toEqual([]);
  });

  it("no confidential word is in an error, except for a file's own name", () => {
    const refused = answers.filter(({ status }) => status >= 400);
    expect(refused.length).toBeGreaterThan(15);
    const found = refused.flatMap(({ text, headers }) => findCanaries(text + JSON.stringify([...headers]), secrets()));
    expect(found.filter((place) => !FILE_LABELS.includes(place as Place))).toEqual([]);
    expect(found).toContain('recordingName');
  });

  it('no confidential word is in an error event', () => {
    const streams = answers.filter(({ headers }) => headers.get('content-type')?.startsWith('text/event-stream'));
    const errors = streams.flatMap(({ text }) => text.split('\n\n').filter((block) => block.includes('event: error')));
    expect(errors.length).toBeGreaterThan(0);
    expect(findCanaries(errors.join('\n'), secrets())).toEqual([]);
  });

  it('no confidential word is in plain text in a file below DATA_DIR, while a recording and a prepared stream are stored there', async () => {
    expect(await clinic.spooledFiles()).toHaveLength(1);
    const { files, found } = await searchFiles(clinic.engine.dataDir, secrets());
    expect(files).toBeGreaterThan('DATABASE_URL' in env ? 500 : 1);
    expect(found).toEqual([]);
  });

  if (!('DATABASE_URL' in env)) {
    it('no confidential word is in plain text in the tables, while a stream with files is prepared', async () => {
      const { rows, dump } = await dumpTables(clinic.connectionString);
      // The rows are keys, plans, usage, the stream and its pieces.
      expect(rows).toBeGreaterThan(answers.length / 2);
      expect(dump.includes('transcribe-conversation')).toBe(true);
      expect(findCanaries(dump, secrets())).toEqual([]);
    });

    it('the tables have the usage of each key and nothing else of its requests', async () => {
      const { dump } = await dumpTables(clinic.connectionString);
      expect(dump.includes('test-clinic')).toBe(true);
      expect(dump.includes(clinic.key.split('_')[1] ?? '')).toBe(true);
    });
  }
});

function attachments({ attachment, attachmentName }: Canaries): FormPart[] {
  const pdf = makePdf({ objects: [`<< /Title (${attachment}) >>`] });
  return [
    {
      name: 'files',
      bytes: pdf,
      fileName: `${attachmentName}.pdf`,
    },
    { name: 'files', bytes: makePng(), fileName: `${attachmentName}.png` },
  ];
}

function recording(canaries: Canaries): FormPart {
  const bytes = recordingWith(canaries.recording, 200_000);
  return { name: 'file', bytes, fileName: `${canaries.recordingName}.wav`, type: 'audio/wav' };
}

const headersOf = ({ header, cookie }: Canaries) => ({
  'user-agent': header,
  referer: `http://example.org/${header}`,
  'x-request-id': `not an id ${header}`,
  cookie: `session=${cookie}`,
  'x-forwarded-for': header,
});

function noteFields({ template, dynamicField, fieldName, fieldValue }: Canaries): FormPart[] {
  return fieldParts({
    custom_template: `# Plan\nAbout ${template}\n## Dynamic Fields\n- ${dynamicField}: of ${template}`,
    [fieldName]: fieldValue,
  });
}

async function askForDiagnoses({ engine, key }: Clinic, canaries: Canaries): Promise<Answer[]> {
  const clinical_history = `Cough and fever, says ${canaries.history}.`;
  const headers = headersOf(canaries);
  const parts = [
    ...fieldParts({ clinical_history, [canaries.fieldName]: canaries.fieldValue }),
    ...attachments(canaries),
  ];
  const prepared = await postForm(engine, '/diagnose/stream/files', key, parts, headers);
  const { streamUrl } = prepared.body as { readonly streamUrl: string };
  return [
    await postForm(engine, '/diagnose', key, parts, headers),
    await postJson(engine, '/diagnose', key, { clinical_history, [canaries.fieldName]: canaries.fieldValue }, headers),
    await postJson(engine, '/diagnose/stream', key, { clinical_history }, headers),
    prepared,
    await getAnswer(engine, streamUrl, key),
    await getAnswer(engine, `/diagnose/stream/${canaries.address}`, key),
  ];
}

async function askForNotes({ engine, key }: Clinic, canaries: Canaries): Promise<Answer[]> {
  const headers = headersOf(canaries);
  return [
    await postForm(engine, NOTE_PATH, key, [...noteFields(canaries), recording(canaries)], headers),
    await postForm(engine, NOTE_PATH, key, [recording(canaries), ...noteFields(canaries)], headers),
    await postForm(engine, CONVERSATION_PATH, key, [recording(canaries)], headers),
  ];
}

async function askForWrongThings({ engine, key }: Clinic, canaries: Canaries): Promise<Answer[]> {
  const { recordingName, attachmentName, fieldName, fieldValue, template, address, query, wrongKey, brokenJson } =
    canaries;
  const text: FormPart = {
    name: 'file',
    bytes: Uint8Array.from(Buffer.from(canaries.recording)),
    fileName: `${recordingName}.mp3`,
  };
  const noPicture: FormPart = {
    name: 'files',
    bytes: Uint8Array.from(Buffer.from(canaries.attachment)),
    fileName: `${attachmentName}.gif`,
  };
  const parts = (fields: Readonly<Record<string, string>>) => [...fieldParts(fields), recording(canaries)];
  const operator = { authorization: `Bearer ${wrongKey}` };
  return [
    await postForm(engine, NOTE_PATH, key, [text]),
    await postForm(engine, '/diagnose', key, [noPicture]),
    await postForm(engine, NOTE_PATH, key, parts({ language: fieldValue })),
    await postForm(engine, NOTE_PATH, key, parts({ note_type: fieldValue, template: fieldValue })),
    await postForm(engine, NOTE_PATH, key, parts({ custom_template: template, note_type: 'ED_NOTE' })),
    await postForm(engine, NOTE_PATH, key, parts({ custom_template: template })),
    await postForm(engine, CONVERSATION_PATH, key, parts({ include_timestamps: fieldValue })),
    await postForm(engine, CONVERSATION_PATH, key, parts({ [`${fieldName}[]`]: fieldValue })),
    await postForm(engine, CONVERSATION_PATH, wrongKey, parts({})),
    await postJson(engine, '/diagnose', key, `{"clinical_history": "${brokenJson}`),
    await postJson(engine, '/diagnose', key, { clinical_history: [brokenJson] }),
    await postJson(engine, '/diagnose', key, { clinical_history: 'Cough.', language: fieldValue }),
    await postJson(engine, '/diagnose', `cw_0123456789abcdef_${wrongKey}`, { clinical_history: 'Cough.' }),
    await postJson(engine, `/diagnose?api_key=${wrongKey}&${query}=${query}`, key, {}),
    await getAnswer(engine, `/${address}?${query}=${query}`, key),
    await readAll(await fetch(`${engine.url}/ops/keys`, { headers: operator })),
    await readAll(await fetch(`${engine.url}/ops/usage?${query}=1`, { headers: operator })),
  ];
}

async function letVendorsFail(clinic: Clinic, canaries: Canaries): Promise<Answer[]> {
  const { engine, key, speech, model } = clinic;
  const clinical_history = `Cough and fever, says ${canaries.history}.`;
  const answers: Answer[] = [];
  const ask = async () => {
    answers.push(await postForm(engine, NOTE_PATH, key, [...noteFields(canaries), recording(canaries)]));
    answers.push(await postJson(engine, '/diagnose', key, { clinical_history }));
  };
  for (const status of [400, 401]) {
    model.behave(modelErrorWith(canaries, status));
    await ask();
  }
  model.behave({ kind: 'answer', content: () => `${canaries.note} {"diagnosis": ${canaries.diagnosis}` });
  await ask();
  // This failure comes after the first part of an answer was sent, so that it is an error event.
  model.next({ kind: 'answer', chunkChars: 40, breaksOff: { afterChunks: 12, by: 'error-event' } });
  answers.push(await postJson(engine, '/diagnose/stream', key, { clinical_history }));

  const body = { err_code: canaries.vendorError, err_msg: `${canaries.vendorError} ${canaries.transcript}` };
  for (const status of [400, 401, 500]) {
    speech.behave({ kind: 'status', status, body });
    answers.push(
      await postForm(engine, CONVERSATION_PATH, key, [...fieldParts({ language: 'en' }), recording(canaries)]),
    );
  }
  speech.behave({ kind: 'answer', body: { metadata: canaries.transcript, results: canaries.transcript } });
  answers.push(await postForm(engine, CONVERSATION_PATH, key, [recording(canaries)]));
  speakOf(clinic, canaries);
  return answers;
}

/** Leaves a prepared stream unopened, and an upload of a recording incomplete. */
async function leaveWorkOpen({ engine, key, spooledFiles }: Clinic, canaries: Canaries): Promise<LiveForm> {
  const parts = [...fieldParts({ clinical_history: canaries.history }), ...attachments(canaries)];
  expect((await postForm(engine, '/diagnose/stream/files', key, parts)).status).toBe(201);
  const form = new LiveForm({ url: engine.url, path: NOTE_PATH, key }).beginFile(`${canaries.recordingName}.wav`);
  await form.send([recordingWith(canaries.recording, 8 * 1_048_576)]);
  await until(async () => (await spooledFiles()).length === 1);
  return form;
}
