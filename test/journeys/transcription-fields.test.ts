// The form of a transcription by docs/service-interface.md: each of its fields, its invalid values, and every order of its parts.
import { afterEach, describe, expect, it } from '@jest/globals';
import { makeAudio } from '../support/audio-samples.ts';
import { type FormPart, postForm, postJson, readAll } from '../support/journey-client.ts';
import {
  AUDIO_PATHS,
  CONVERSATION_PATH,
  expectError,
  fieldParts,
  LiveForm,
  NOTE_PATH,
  openClinic,
  RECORDING,
  recordingPart,
  sendRecording,
  usualNote,
} from '../support/journey-upload.ts';
import { openedForFile } from '../support/opened-for-file.ts';

const clinic = openedForFile(openClinic);

afterEach(() => clinic.calmDown());

const send = (parts: readonly FormPart[], to: string = NOTE_PATH) => postForm(clinic.engine, to, clinic.key, parts);

async function expectRefusal(status: number, parts: readonly FormPart[], to: string = NOTE_PATH): Promise<string> {
  const callsBefore = clinic.speech.requests.length;
  const messages = expectError(await send(parts, to), status);
  expect(clinic.speech.requests).toHaveLength(callsBefore);
  return messages;
}

describe.each(AUDIO_PATHS)('the request of POST %s', (to) => {
  it('a recording alone is enough, and the answer is 200', async () => {
    expect((await send([recordingPart()], to)).status).toBe(200);
  });

  it('a body that is no form is 415', async () => {
    expectError(await postJson(clinic.engine, to, clinic.key, { file: 'visit.wav' }), 415);
  });

  it('a form without a boundary is 400', async () => {
    const headers = { 'content-type': 'multipart/form-data' };
    expectError(await postJson(clinic.engine, to, clinic.key, 'text', headers), 400);
  });

  it('a recording as the whole body, without a form, is 415', async () => {
    const headers = { 'x-api-key': clinic.key, 'content-type': 'audio/wav' };
    const response = await fetch(`${clinic.engine.url}${to}`, { method: 'POST', headers, body: RECORDING });
    expectError(await readAll(response), 415);
  });

  it('a form without a file is 400', async () => {
    expect(await expectRefusal(400, fieldParts({ language: 'en' }), to)).toContain('"file"');
  });

  it('a text field with the name file is 400', async () => {
    expect(await expectRefusal(400, fieldParts({ file: 'visit.wav' }), to)).toContain('"file"');
  });

  it('a form with two files is 400', async () => {
    expectError(await send([recordingPart(), recordingPart()], to), 400);
  });

  it('a recording in a field with another name is 400', async () => {
    expect(await expectRefusal(400, [{ ...recordingPart(), name: 'audio' }], to)).toContain('"file"');
  });

  it('an empty file is 400, and the message has its name', async () => {
    expect(await expectRefusal(400, [recordingPart(new Uint8Array(), 'visit.mp3')], to)).toContain('visit.mp3');
  });

  it.each(['fr', 'EN', 'english', 'en-US', '*'])(
    'a language other than en, es and pt is 400: "%s"',
    async (language) => {
      const message = await expectRefusal(400, [...fieldParts({ language }), recordingPart()], to);
      expect(message).toBe('language must be one of en, es, pt');
    },
  );

  it('an empty language counts as absent', async () => {
    expect((await send([...fieldParts({ language: '' }), recordingPart()], to)).status).toBe(200);
  });

  it('unknown fields of a transcription are ignored', async () => {
    const fields = fieldParts({ patient_id: 'none', temperature: '0.2' });
    expect((await send([...fields, recordingPart()], to)).status).toBe(200);
  });

  it('a field that is sent twice is 400', async () => {
    await expectRefusal(
      400,
      [...fieldParts({ language: 'en' }), ...fieldParts({ language: 'es' }), recordingPart()],
      to,
    );
  });
});

describe('the choice of the note', () => {
  it.each(['SOAP', 'progress_note', 'Progress Note', 'PROGRESS_NOTES'])(
    'a note_type that is not in the list is 400: "%s"',
    async (noteType) => {
      const message = await expectRefusal(400, [...fieldParts({ note_type: noteType }), recordingPart()]);
      expect(message).toMatch(/^note_type must be one of PROGRESS_NOTE, .*, DIETITIAN_NOTE$/);
    },
  );

  it.each(['soap', 'ED_NOTE', 'CUSTOM', 'toString'])(
    'a template that is not in the list is 400: "%s"',
    async (template) => {
      const message = await expectRefusal(400, [...fieldParts({ template }), recordingPart()]);
      expect(message).toMatch(/^template must be one of SOAP, .*, ADIME$/);
    },
  );

  it.each([
    ['note_type', { note_type: 'ED_NOTE' }],
    ['template', { template: 'SOAP' }],
    ['note_type or template', { note_type: 'ED_NOTE', template: 'SOAP' }],
  ])('custom_template together with %s is 400', async (others, fields) => {
    const parts = fieldParts({ ...fields, custom_template: '# Plan\nWhat' } as Record<string, string>);
    expect(await expectRefusal(400, [...parts, recordingPart()])).toBe(
      `custom_template cannot be combined with ${others}`,
    );
  });

  it('empty fields count as absent, so an empty template does not exclude a custom one', async () => {
    const parts = fieldParts({ note_type: '', template: '', custom_template: '# Plan\nWhat' });
    expect((await send([...parts, recordingPart()])).status).toBe(200);
  });

  it('an error has one entry for each invalid field', async () => {
    const fields = fieldParts({ note_type: 'x', template: 'y', language: 'z' });
    const answer = await send([...fields, recordingPart()]);
    expectError(answer, 400);
    const { message } = answer.body as { readonly message: readonly string[] };
    expect(message.map((each) => each.split(' ')[0]).toSorted()).toEqual(['language', 'note_type', 'template']);
  });

  it('an error does not repeat what was sent', async () => {
    const answer = await send([
      ...fieldParts({ note_type: 'a-patients-name', language: 'xx-secret' }),
      recordingPart(),
    ]);
    expect(expectError(answer, 400)).not.toMatch(/a-patients-name|xx-secret/);
  });
});

describe('the order of the parts', () => {
  const language = fieldParts({ language: 'pt' });
  const template = fieldParts({ template: 'DAP' });
  const orders: readonly (readonly [string, readonly FormPart[]])[] = [
    ['fields first', [...language, ...template, recordingPart()]],
    ['the file first', [recordingPart(), ...language, ...template]],
    ['the file between the fields, language before it', [...language, recordingPart(), ...template]],
    ['the file between the fields, language behind it', [...template, recordingPart(), ...language]],
  ];

  it.each(orders)('the note is the same with %s', async (_, parts) => {
    const { note } = (await send(parts)).body as { readonly note: ReturnType<typeof usualNote> };
    expect(note.title).toBe(usualNote('pt', []).title);
    expect(note.sections.map(({ key, text }) => ({ key, text }))).toEqual(
      usualNote('pt', ['DATA', 'ASSESSMENT', 'PLAN']).sections,
    );
  });

  it.each(orders)('the vendor gets the whole recording in the requested language with %s', async (_, parts) => {
    expect((await send(parts)).status).toBe(200);
    const heard = clinic.speech.requests.at(-1);
    expect(heard?.query['language']).toBe('pt');
    expect(heard?.receivedBytes).toBe(RECORDING.length);
    expect(heard?.headers['content-type']).toBe('audio/wav');
  });

  it('the vendor gets the length of the recording if the file is the first part', async () => {
    expect((await send([recordingPart()])).status).toBe(200);
    expect(clinic.speech.requests.at(-1)?.headers['content-length']).toBe(String(RECORDING.length));
  });

  it.each([
    ['language', { language: 'xx' }],
    ['template', { template: 'xx' }],
    ['custom_template', { custom_template: 'no heading' }],
  ])('%s behind the file is checked by the same rules', async (name, fields) => {
    const message = expectError(await send([recordingPart(), ...fieldParts(fields as Record<string, string>)]), 400);
    expect(message).toContain(name);
    const late = [...fieldParts({ unknown: 'x' }), recordingPart(), ...fieldParts(fields as Record<string, string>)];
    expect(expectError(await send(late), 400)).toContain(name);
  });

  it('custom_template behind the file excludes a template before it', async () => {
    const parts = [...template, recordingPart(), ...fieldParts({ custom_template: '# Plan' })];
    expect(expectError(await send(parts), 400)).toContain('cannot be combined');
  });

  it('fields before the file that exclude each other are refused before the recording has arrived', async () => {
    const form = new LiveForm({ url: clinic.engine.url, path: NOTE_PATH, key: clinic.key });
    form.field('custom_template', '# Plan').field('template', 'SOAP').beginFile();
    await form.send([makeAudio('wav', 65_536)]);
    expect(expectError(await form.answer, 400)).toContain('cannot be combined');
  });

  it('an unknown language before the file is refused before the recording has arrived', async () => {
    const form = new LiveForm({ url: clinic.engine.url, path: CONVERSATION_PATH, key: clinic.key });
    await form
      .field('language', 'xx')
      .beginFile()
      .send([makeAudio('wav', 65_536)]);
    expectError(await form.answer, 400);
  });

  it('no file is left in the spool after all forms', async () => {
    await sendRecording(clinic, NOTE_PATH);
    expect(await clinic.spooledFiles()).toEqual([]);
  });
});
