import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { AppError } from '../../../../src/domain/errors.ts';
import { NOTE_TYPES, TEMPLATE_NAMES } from '../../../../src/domain/note/template.ts';
import {
  conversationFields,
  diagnoseFields,
  streamBody,
  transcribeFields,
} from '../../../../src/inbound/http/api/schemas.ts';
import { validate } from '../../../../src/inbound/http/body/validate.ts';

/** Returns the messages for the caller; the list is empty if the value is valid. */
function problems(schema: z.ZodType, value: unknown): readonly string[] {
  try {
    validate(schema, value);
    return [];
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'invalidRequest') return thrown.details ?? [];
    throw thrown;
  }
}

const LANGUAGE_RULE = 'language must be one of en, es, pt';

describe('the fields of a diagnosis', () => {
  it('are a history and a language; other fields are ignored', () => {
    const fields = validate(diagnoseFields, { clinical_history: ' cough ', language: 'pt', patient: 'x' });
    expect(fields).toEqual({ clinical_history: ' cough ', language: 'pt' });
  });

  it.each([undefined, '', '   \n\t ', null])('treat a history of %j as absent', (history) => {
    expect(validate(diagnoseFields, { clinical_history: history })).toEqual({ language: 'en' });
  });

  it.each([undefined, '', null])('default to English for a language of %j', (language) => {
    expect(validate(diagnoseFields, { language }).language).toBe('en');
  });

  it.each(['../../x', 'fr', 'EN', 'en-US', ' ', 7, ['en'], {}])(
    'refuse the language %j and name the valid ones',
    (language) => {
      expect(problems(diagnoseFields, { language })).toEqual([LANGUAGE_RULE]);
    },
  );

  it.each([7, true, ['x'], { text: 'x' }])('refuse a history that is %j instead of a text', (history) => {
    expect(problems(diagnoseFields, { clinical_history: history })).toEqual(['clinical_history must be text']);
  });

  it.each(['a\0b', 'half a pair \ud800'])('refuse a history with characters that cannot be stored', (history) => {
    const [problem = '', ...others] = problems(diagnoseFields, { clinical_history: history });
    expect(problem).toBe('clinical_history must be text without NUL or broken characters');
    expect(others).toEqual([]);
  });

  it('keep every letter of a history in any script', () => {
    const history = 'Schwindel, vértigo, 眩暈, دوخة, 🤒 \u202Eabc';
    expect(validate(diagnoseFields, { clinical_history: history }).clinical_history).toBe(history);
  });

  it.each([undefined, null, [], 'text', 7])('refuse a body that is %j instead of an object', (body) => {
    expect(problems(diagnoseFields, body)).toEqual(['the body must be a JSON object']);
  });

  it('have one message per failure, which never quotes the value', () => {
    const details = problems(streamBody, { clinical_history: 12345, language: 'secret words' });
    expect(details).toEqual(['clinical_history must be text that is not blank', LANGUAGE_RULE]);
  });
});

describe('the body of a stream', () => {
  it('needs a history', () => {
    expect(validate(streamBody, { clinical_history: 'cough' })).toEqual({ clinical_history: 'cough', language: 'en' });
    expect(problems(streamBody, {})).toEqual(['clinical_history is required and must be text that is not blank']);
  });

  it.each(['', '  ', null])('refuses a history of %j', (history) => {
    expect(problems(streamBody, { clinical_history: history })).toEqual([
      'clinical_history must be text that is not blank',
    ]);
  });
});

describe('the fields of a note', () => {
  it.each(NOTE_TYPES)('accept the note type %s', (noteType) => {
    expect(validate(transcribeFields, { note_type: noteType }).note_type).toBe(noteType);
  });

  it.each(TEMPLATE_NAMES)('accept the template %s', (template) => {
    expect(validate(transcribeFields, { template }).template).toBe(template);
  });

  it('treat empty fields as absent', () => {
    const fields = validate(transcribeFields, { note_type: '', template: '', custom_template: '', language: '' });
    expect(Object.entries(fields).filter(([, value]) => value !== undefined)).toEqual([['language', 'en']]);
  });

  it.each(['../admin', 'soap', '__proto__', 'CUSTOM'])('refuse the template %j and name the valid ones', (template) => {
    expect(problems(transcribeFields, { template })).toEqual([`template must be one of ${TEMPLATE_NAMES.join(', ')}`]);
    expect(problems(transcribeFields, { note_type: template })[0]).toContain('PROGRESS_NOTE, ADMISSION_NOTE');
  });
});

describe('the fields of a conversation', () => {
  it.each([
    ['true', true],
    ['TRUE', true],
    ['1', true],
    [true, true],
    ['', true],
    [undefined, true],
    ['false', false],
    ['False', false],
    ['0', false],
    [false, false],
  ])('read include_timestamps %j as %j', (given, meant) => {
    expect(validate(conversationFields, { include_timestamps: given }).include_timestamps).toBe(meant);
  });

  it.each(['yes', 'on', '2', 1, 0, []])('refuse include_timestamps %j', (given) => {
    expect(problems(conversationFields, { include_timestamps: given })).toEqual([
      'include_timestamps must be true or false',
    ]);
  });
});
