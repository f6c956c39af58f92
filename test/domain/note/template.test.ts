import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import {
  CUSTOM_TEMPLATE_LIMITS,
  chooseTemplate,
  NOTE_TYPE_TEMPLATES,
  type NoteType,
  parseCustomTemplate,
  sectionKey,
  TEMPLATE_NAMES,
  TEMPLATE_SECTIONS,
} from '../../../src/domain/note/template.ts';
import { fc } from '../../support/fast-check.ts';

function problemsOf(text: string): readonly string[] {
  try {
    parseCustomTemplate(text);
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown.details ?? [thrown.message];
    throw thrown;
  }
  return [];
}

describe('the ten templates', () => {
  it.each(TEMPLATE_NAMES)('%s has its sections in order, each with a title in the three languages', (template) => {
    for (const language of ['en', 'es', 'pt'] as const) {
      const { sections } = chooseTemplate({ template, language });
      expect(sections.map((section) => section.key)).toEqual(TEMPLATE_SECTIONS[template]);
      expect(sections.every((section) => section.title.length > 0)).toBe(true);
    }
  });

  it.each(Object.entries(NOTE_TYPE_TEMPLATES))(
    'a %s is written by %s unless a template is named',
    (noteType, template) => {
      expect(chooseTemplate({ noteType: noteType as NoteType, language: 'en' }).name).toBe(template);
      expect(chooseTemplate({ noteType: noteType as NoteType, template: 'DAR', language: 'en' }).name).toBe('DAR');
    },
  );

  it('a request without template and note type gets SOAP', () => {
    expect(chooseTemplate({ language: 'en' }).name).toBe('SOAP');
  });
});

describe('a custom template', () => {
  it('each level-1 heading is a section, with the lines under it as guidance', () => {
    const template = parseCustomTemplate(
      'ignored before\n# Chief Complaint\nIn the words\nof the patient\r\n\n# Plan\n## Later\nwhat next',
    );
    expect(template).toEqual({
      name: 'CUSTOM',
      sections: [
        { key: 'CHIEF_COMPLAINT', title: 'Chief Complaint', guidance: 'In the words\nof the patient' },
        { key: 'PLAN', title: 'Plan', guidance: '## Later\nwhat next' },
      ],
      dynamicFields: [],
    });
  });

  it('each item is a dynamic field, until the next section begins', () => {
    const template = parseCustomTemplate(
      '# A\n## Dynamic Fields\n- blood_pressure: systolic/diastolic, e.g. 120/80\n* Date of visit:\n- bare\n# B\n- no field',
    );
    expect(template.dynamicFields).toEqual([
      { name: 'blood_pressure', description: 'systolic/diastolic, e.g. 120/80' },
      { name: 'Date of visit', description: '' },
      { name: 'bare', description: '' },
    ]);
    expect(template.sections.map((section) => section.key)).toEqual(['A', 'B']);
  });

  it.each([
    ['Chief Complaint', 'CHIEF_COMPLAINT'],
    ['Historia Clínica (HC)', 'HISTORIA_CLÍNICA_HC'],
    ['  Evolução -- do   paciente! ', 'EVOLUÇÃO_DO_PACIENTE'],
    ['Labs/Imaging 2', 'LABS_IMAGING_2'],
  ])('the section "%s" has the key %s', (title, key) => {
    expect(sectionKey(title)).toBe(key);
  });

  it.each([
    ['no heading', 'just text', 'no section'],
    ['a double key', '# Plan A\n# plan-a', 'PLAN_A'],
    ['a heading without a letter', '# ***', 'no letter or digit'],
    ['a field that is no list item', '# A\n## Dynamic Fields\nblood pressure', 'line 3'],
    ['a double field', '# A\n## Dynamic Fields\n- x: 1\n- x: 2', 'two dynamic fields'],
    ['a field called __proto__', '# A\n## Dynamic Fields\n- __proto__: x', '__proto__'],
    ['too many sections', Array.from({ length: 51 }, (_, n) => `# S${n}`).join('\n'), 'more than 50'],
    ['too much text', `# A\n${'x'.repeat(CUSTOM_TEMPLATE_LIMITS.maxChars)}`, 'longer than'],
    ['a heading of 300 characters', `# ${'x'.repeat(300)}`, 'longer than 200'],
  ])('%s is refused, and the message says why', (_, text, expected) => {
    expect(problemsOf(text).join('\n')).toContain(expected);
  });

  it('several mistakes are reported together', () => {
    expect(problemsOf('# A\n# a\n## Dynamic Fields\n- x: 1\n- x: 2\n- constructor: y')).toHaveLength(3);
  });

  it('it cannot be combined with note_type or template', () => {
    const choice = { customTemplate: '# A', language: 'en' } as const;
    expect(() => chooseTemplate({ ...choice, noteType: 'ED_NOTE' })).toThrow(
      'custom_template cannot be combined with note_type',
    );
    expect(() => chooseTemplate({ ...choice, template: 'SOAP' })).toThrow(
      'custom_template cannot be combined with template',
    );
  });

  it('any text is read or refused, and every key is upper case without blanks', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        try {
          for (const { key } of parseCustomTemplate(`# ${text}`).sections) expect(key).toMatch(/^\S+$/u);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(AppError);
        }
      }),
    );
  });
});
