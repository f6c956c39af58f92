// Custom templates by docs/service-interface.md: templates that the caller sends, and the dynamic fields in them.
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Answer } from '../support/journey-client.ts';
import {
  expectError,
  NOTE_PATH,
  noteOf,
  openClinic,
  sectionKeys,
  sendRecording,
  usualNote,
} from '../support/journey-upload.ts';
import { openedForFile } from '../support/opened-for-file.ts';

const TEMPLATE = [
  '# Chief Complaint',
  'The main reason of the visit, in the words of the patient.',
  '',
  '# Next Steps',
  'What was agreed, as a list.',
  '## For the family',
  'Only what concerns them.',
  '',
  '## Dynamic Fields',
  '- pain_score: Pain from 0 to 10',
  '- Nächster Termin: When the patient is to come back',
].join('\n');

const clinic = openedForFile(openClinic);

afterEach(() => clinic.calmDown());

const transcribe = (template: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  sendRecording(clinic, NOTE_PATH, { ...more, custom_template: template });

/** The template in the form in which the model got it. */
function toldTemplate(): unknown {
  const [, { content = '' } = {}] = clinic.model.requests.at(-1)?.body?.messages ?? [];
  const text = String(content);
  return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
}

function answerFields(fields: Readonly<Record<string, unknown>>): void {
  clinic.model.next({
    kind: 'answer',
    content: (usual) => ({ ...(usual as object), dynamic_fields: fields }),
  });
}

describe('sections of a custom template', () => {
  it('each level-1 heading of a custom template is a section, in the order of the template', async () => {
    const answer = await transcribe(TEMPLATE);
    const { sections } = usualNote('en', ['CHIEF_COMPLAINT', 'NEXT_STEPS']);
    expect(noteOf(answer).note.sections.map(({ key, text }) => ({ key, text }))).toEqual(sections);
  });

  it('the lines below a heading tell the model the content of the section', async () => {
    noteOf(await transcribe(TEMPLATE));
    expect(toldTemplate()).toMatchObject({
      sections: [
        { key: 'CHIEF_COMPLAINT', guidance: 'The main reason of the visit, in the words of the patient.' },
        {
          key: 'NEXT_STEPS',
          guidance: 'What was agreed, as a list.\n## For the family\nOnly what concerns them.',
        },
      ],
    });
  });

  it('a section of a custom template may have no lines below it', async () => {
    expect(sectionKeys(await transcribe('# Plan'))).toEqual(['PLAN']);
  });

  it('a heading behind the dynamic fields is a section again', async () => {
    const answer = await transcribe('# One\n## Dynamic Fields\n- pain: Pain\n# Two\nWhat is left');
    expect(sectionKeys(answer)).toEqual(['ONE', 'TWO']);
    expect(Object.keys(noteOf(answer).dynamic_fields ?? {})).toEqual(['pain']);
  });

  it('line ends of Windows in a custom template are line ends', async () => {
    expect(sectionKeys(await transcribe('# One\r\nthis\r\n# Two\r\nthat\r\n'))).toEqual(['ONE', 'TWO']);
  });

  it.each([
    ['Chief Complaint', 'CHIEF_COMPLAINT'],
    ['plan', 'PLAN'],
    ['Plan / Follow-up (2 weeks)', 'PLAN_FOLLOW_UP_2_WEEKS'],
    ['Evaluación física', 'EVALUACIÓN_FÍSICA'],
    ['História da doença', 'HISTÓRIA_DA_DOENÇA'],
  ])('the section "%s" of a custom template has the key %s, and its name as written for a title', async (name, key) => {
    const { sections } = noteOf(await transcribe(`# ${name}\nAll about it.`)).note;
    expect(sections.map((section) => [section.key, section.title])).toEqual([[key, name]]);
  });

  it('titles of a custom template are unchanged in every language of the note', async () => {
    const { note } = noteOf(await transcribe('# Chief Complaint\nWhy', { language: 'pt' }));
    expect(note.title).toBe(usualNote('pt', []).title);
    expect(note.sections.map(({ title }) => title)).toEqual(['Chief Complaint']);
  });
});

describe('dynamic fields of a custom template', () => {
  it('each line of the list is a dynamic field, and the model gets its description', async () => {
    noteOf(await transcribe(TEMPLATE));
    expect(toldTemplate()).toMatchObject({
      dynamic_fields: [
        { name: 'pain_score', description: 'Pain from 0 to 10' },
        { name: 'Nächster Termin', description: 'When the patient is to come back' },
      ],
    });
  });

  it('each defined dynamic field is returned under its name, as text', async () => {
    expect(noteOf(await transcribe(TEMPLATE)).dynamic_fields).toEqual({
      pain_score: 'three days (pain_score)',
      'Nächster Termin': 'three days (Nächster Termin)',
    });
  });

  it.each(['snake_case', 'Free Text', 'toString', 'ärztliche Frage', 'a.b'])(
    'a dynamic field may have any name: %s',
    async (name) => {
      const { dynamic_fields: fields = {} } = noteOf(await transcribe(`# Plan\n## Dynamic Fields\n- ${name}: what`));
      expect(Object.entries(fields)).toEqual([[name, `three days (${name})`]]);
    },
  );

  it.each([
    ['a number', 7, '7'],
    ['a boolean', true, 'true'],
    ['nothing', null, ''],
  ])('values of dynamic fields are strings, also if the model gives %s', async (_, given, expected) => {
    answerFields({ pain_score: given, 'Nächster Termin': 'tomorrow' });
    expect(noteOf(await transcribe(TEMPLATE)).dynamic_fields).toEqual({
      pain_score: expected,
      'Nächster Termin': 'tomorrow',
    });
  });

  it('fields that the template does not define are not returned', async () => {
    answerFields({ pain_score: '7', 'Nächster Termin': '', invented: 'by the model' });
    const { dynamic_fields: fields = {} } = noteOf(await transcribe(TEMPLATE));
    expect(Object.keys(fields)).toEqual(['pain_score', 'Nächster Termin']);
  });

  it('dynamic_fields are absent if a custom template defines none', async () => {
    const answer = await transcribe('# Plan\nWhat was agreed');
    expect(noteOf(answer)).not.toHaveProperty('dynamic_fields');
    expect(clinic.model.requests.at(-1)?.rawBody).not.toContain('"dynamic_fields":');
  });
});

describe('invalid custom templates', () => {
  it.each([
    ['without a heading', 'Only text', /no section/],
    ['of blanks', '  \n ', /no section/],
    ['with a level-2 heading alone', '## Plan\nWhat', /no section/],
    ['with dynamic fields alone', '## Dynamic Fields\n- pain: what', /no section/],
    ['with two headings of one key', '# Follow-up\n\n# Follow up', /two sections have the key FOLLOW_UP/],
    ['with a heading without letters', '# ---\nwhat', /no letter or digit/],
    ['with two fields of one name', '# Plan\n## Dynamic Fields\n- pain: a\n- pain: b', /two dynamic fields.*pain/],
    ['with a field that is no list item', '# Plan\n## Dynamic Fields\npain: what', /line 3/],
    ['with a field without a name', '# Plan\n## Dynamic Fields\n- : what', /line 3/],
    ['with a field __proto__', '# Plan\n## Dynamic Fields\n- __proto__: what', /__proto__/],
    ['of more than 65,536 characters', `# Plan\n${'a'.repeat(65_536)}`, /longer than 65536/],
    ['with 51 sections', Array.from({ length: 51 }, (_, at) => `# Section ${at}`).join('\n'), /more than 50 sections/],
  ])('a custom template %s is 400', async (_, template, message) => {
    const callsBefore = clinic.speech.requests.length;
    expect(expectError(await transcribe(template), 400)).toMatch(message);
    expect(clinic.speech.requests).toHaveLength(callsBefore);
  });

  it('all problems of a custom template are reported together', async () => {
    const answer = await transcribe('# A\n# a\n## Dynamic Fields\nnothing\n- x: 1\n- x: 2');
    expectError(answer, 400);
    expect((answer.body as { readonly message: unknown }).message).toHaveLength(3);
  });
});
