// POST /transcribe by docs/service-interface.md: the note that a recording makes.
import { afterEach, describe, expect, it } from '@jest/globals';
import { noteResponse } from '../../src/inbound/http/api/response-schemas.ts';
import { CONSULTATIONS } from '../support/deepgram-server.ts';
import {
  CONVERSATION_PATH,
  conversationOf,
  NOTE_PATH,
  noteOf,
  openClinic,
  sectionKeys,
  sendRecording,
  usualNote,
} from '../support/journey-upload.ts';
import { openedForFile } from '../support/opened-for-file.ts';

const NOTE_TYPES = [
  ['PROGRESS_NOTE', 'SOAP'],
  ['ADMISSION_NOTE', 'APSO'],
  ['ED_NOTE', 'CHEDDAR'],
  ['DISCHARGE_SUMMARY', 'MULTIPLE_SECTIONS'],
  ['CONSULT_NOTE', 'APSO'],
  ['NURSING_NOTE', 'PIE'],
  ['BEHAVIORAL_HEALTH_NOTE', 'BIRP'],
  ['DIETITIAN_NOTE', 'ADIME'],
] as const;

const TEMPLATES = {
  SOAP: 'SUBJECTIVE, OBJECTIVE, ASSESSMENT, PLAN',
  APSO: 'ASSESSMENT, PLAN, SUBJECTIVE, OBJECTIVE',
  MULTIPLE_SECTIONS:
    'CHIEF_COMPLAINT, HISTORY_OF_PRESENT_ILLNESS, PAST_MEDICAL_HISTORY, PHYSICAL_EXAM, ASSESSMENT, PLAN',
  CHEDDAR: 'CHIEF_COMPLAINT, HISTORY, EXAMINATION, DIFFERENTIAL, DECISION, ACTION, REVIEW',
  DAP: 'DATA, ASSESSMENT, PLAN',
  PIE: 'PROBLEM, INTERVENTION, EVALUATION',
  SBAR: 'SITUATION, BACKGROUND, ASSESSMENT, RECOMMENDATION',
  BIRP: 'BEHAVIOR, INTERVENTION, RESPONSE, PLAN',
  DAR: 'DATA, ACTION, RESPONSE',
  ADIME: 'ASSESSMENT, DIAGNOSIS, INTERVENTION, MONITORING, EVALUATION',
} as const;
const SOAP_KEYS = TEMPLATES.SOAP.split(', ');

const LANGUAGES = [
  { language: 'en', named: 'English', model: 'nova-3-medical', planTitle: 'Plan' },
  { language: 'es', named: 'Spanish', model: 'nova-3', planTitle: 'Plan' },
  { language: 'pt', named: 'Portuguese', model: 'nova-3', planTitle: 'Plano' },
] as const;

const clinic = openedForFile(openClinic);

afterEach(() => clinic.calmDown());

const transcribe = (fields: Readonly<Record<string, string>> = {}) => sendRecording(clinic, NOTE_PATH, fields);

/** All texts of the last call to the model. */
function lastQuestion(): string {
  const messages = clinic.model.requests.at(-1)?.body?.messages ?? [];
  return messages.map(({ content }) => content).join('\n');
}

describe('the note', () => {
  it('a note has a title and its sections with key, title and text, and nothing else', async () => {
    const answer = await transcribe();
    expect(() => noteResponse.strict().parse(answer.body)).not.toThrow();
    const { title, sections } = usualNote('en', SOAP_KEYS);
    const titles = ['Subjective', 'Objective', 'Assessment', 'Plan'];
    const expected = sections.map((section, index) => ({ ...section, title: titles[index] }));
    expect(answer.body).toEqual({ note: { title, sections: expected } });
  });

  it('a note is JSON', async () => {
    expect((await transcribe()).headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('section keys of a note are in upper case with underscores', async () => {
    for (const key of sectionKeys(await transcribe({ template: 'MULTIPLE_SECTIONS' })))
      expect(key).toMatch(/^[A-Z_]+$/);
  });

  it('the text of each section is in its section, whatever the order in which the model gives the sections', async () => {
    const content = (usual: unknown) => {
      const note = usual as { readonly sections: readonly unknown[] };
      return { ...note, sections: note.sections.toReversed() };
    };
    clinic.model.next({ kind: 'answer', content });
    const { sections } = noteOf(await transcribe()).note;
    expect(sections.map(({ key, text }) => ({ key, text }))).toEqual(usualNote('en', SOAP_KEYS).sections);
  });

  it('a section without content is present and says so', async () => {
    const content = (usual: unknown) => {
      const note = usual as { readonly sections: readonly { readonly key: string }[] };
      return { ...note, sections: note.sections.map(({ key }) => ({ key, statements: [] })) };
    };
    clinic.model.next({ kind: 'answer', content });
    const { sections } = noteOf(await transcribe()).note;
    expect(sections.map(({ key }) => key)).toEqual(SOAP_KEYS);
    expect(new Set(sections.map(({ text }) => text))).toEqual(new Set(['Not discussed.']));
  });

  it.each(['SOAP', 'CHEDDAR'] as const)('dynamic_fields are absent with template %s', async (template) => {
    expect(noteOf(await transcribe({ template }))).not.toHaveProperty('dynamic_fields');
  });
});

describe('note types and templates', () => {
  it.each(NOTE_TYPES)('note type %s has the default template %s', async (noteType, template) => {
    expect(sectionKeys(await transcribe({ note_type: noteType })).join(', ')).toBe(TEMPLATES[template]);
  });

  it.each(Object.entries(TEMPLATES))('template %s has its sections in order: %s', async (template, keys) => {
    expect(sectionKeys(await transcribe({ template })).join(', ')).toBe(keys);
  });

  it('template overrides the default template of note_type', async () => {
    const answer = await transcribe({ note_type: 'NURSING_NOTE', template: 'SBAR' });
    expect(sectionKeys(answer).join(', ')).toBe(TEMPLATES.SBAR);
  });

  it('template is SOAP if neither it nor a note type is given', async () => {
    expect(sectionKeys(await transcribe())).toEqual(SOAP_KEYS);
  });
});

describe('from the recording to the note', () => {
  it('speakers are distinguished, and the model gets the transcript with their labels', async () => {
    noteOf(await transcribe());
    expect(clinic.speech.requests.at(-1)?.query['diarize']).toBe('true');
    const said = (CONSULTATIONS['en'] ?? []).map(([speaker, text], index) => {
      return `[${index + 1}] Speaker ${speaker === 4 ? 1 : 2}: ${text}`;
    });
    expect(lastQuestion()).toContain(said.join('\n'));
  });

  it('the model is asked for exactly the sections of the template', async () => {
    noteOf(await transcribe({ template: 'DAR' }));
    const schema = clinic.model.requests.at(-1)?.body?.response_format?.json_schema.schema;
    const key = schema?.properties?.['sections']?.items?.properties?.['key'];
    expect(key?.enum).toEqual(['DATA', 'ACTION', 'RESPONSE']);
  });

  it('the transcript does not decide who is the clinician and who is the patient', async () => {
    const { messages } = conversationOf(await sendRecording(clinic, CONVERSATION_PATH));
    expect(new Set(messages.map((message) => message.speaker_label))).toEqual(new Set(['Speaker 1', 'Speaker 2']));
  });

  it.each(LANGUAGES)('language $language of a note is that of its speech recognition', async ({ language, model }) => {
    noteOf(await transcribe({ language }));
    expect(clinic.speech.requests.at(-1)?.query).toMatchObject({ language, model });
  });

  it.each(LANGUAGES)('language $language of the form is that of the note', async ({ language, named, planTitle }) => {
    const { note } = noteOf(await transcribe({ language }));
    const usual = usualNote(language, SOAP_KEYS);
    expect(note.title).toBe(usual.title);
    expect(note.sections.map(({ key, text }) => ({ key, text }))).toEqual(usual.sections);
    expect(note.sections.at(-1)?.title).toBe(planTitle);
    expect(lastQuestion()).toContain(`Output language: ${named}`);
  });

  it('language of a note is en by default', async () => {
    expect(noteOf(await transcribe()).note.title).toBe(usualNote('en', []).title);
    expect(clinic.speech.requests.at(-1)?.query).toMatchObject({ language: 'en' });
  });

  it('each call asks the speech vendor not to learn from patients', async () => {
    noteOf(await transcribe());
    expect(clinic.speech.requests.at(-1)?.query['mip_opt_out']).toBe('true');
  });
});
