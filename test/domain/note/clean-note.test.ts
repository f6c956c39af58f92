import { describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '../../../src/domain/language.ts';
import { cleanNote, markRemoved, totalRemoved } from '../../../src/domain/note/clean-note.ts';
import type { WrittenNote } from '../../../src/domain/note/note.ts';

const NOTE: WrittenNote = {
  note: {
    title: '<b>Cough</b>',
    sections: [
      { key: 'SUBJECTIVE', title: 'Subjective', text: 'Cough, SpO2 <90 %.' },
      { key: 'PLAN', title: 'Plan', text: 'Rest, see https://evil.example/a.\n<i>Fluids</i>' },
      { key: 'EXTRA', title: 'Extra', text: '<script>alert(1)</script>' },
    ],
  },
  dynamicFields: { weight: '70 kg', link: 'www.evil.example' },
};
const { note, removed } = cleanNote(NOTE, () => false);

describe('A cleaned note', () => {
  it('has no markup and no address that was not said', () => {
    expect(note).toEqual({
      note: {
        title: 'Cough',
        sections: [
          { key: 'SUBJECTIVE', title: 'Subjective', text: 'Cough, SpO2 <90 %.' },
          { key: 'PLAN', title: 'Plan', text: 'Rest, see.\nFluids' },
          { key: 'EXTRA', title: 'Extra', text: '' },
        ],
      },
      dynamicFields: { weight: '70 kg', link: '' },
    });
  });

  it('says what was removed from which section', () => {
    expect(removed).toEqual({
      title: { markup: 2, addresses: 0 },
      PLAN: { markup: 2, addresses: 1 },
      EXTRA: { markup: 1, addresses: 0 },
      'dynamic_fields.link': { markup: 0, addresses: 1 },
    });
    expect(totalRemoved(removed)).toEqual({ markup: 5, addresses: 2 });
  });

  it('gets one line in each section from which something was removed, and none elsewhere', () => {
    const marked = markRemoved(note, removed, 'en');
    expect(marked.note.title).toBe('Cough');
    expect(marked.note.sections.map(({ text }) => text)).toEqual([
      'Cough, SpO2 <90 %.',
      'Rest, see.\nFluids\n[an address that was not said was removed] [markup was removed]',
      '[markup was removed]',
    ]);
    expect(marked.dynamicFields).toEqual({ weight: '70 kg', link: '[an address that was not said was removed]' });
  });

  it.each(LANGUAGES)('is not changed if nothing was removed, in %s', (language) => {
    const clean = cleanNote(note, () => false);
    expect(clean).toEqual({ note, removed: {} });
    expect(markRemoved(note, {}, language)).toEqual(note);
  });
});
