import { describe, expect, it } from '@jest/globals';
import { nearestNoteType } from '../../../src/domain/note/nearest-note-type.ts';
import { NOTE_TYPES } from '../../../src/domain/note/template.ts';

describe('the nearest note type', () => {
  it.each([
    ['EMERGENCY', 'ED_NOTE'],
    ['ER note', 'ED_NOTE'],
    ['discharge', 'DISCHARGE_SUMMARY'],
    ['psychiatry-note', 'BEHAVIORAL_HEALTH_NOTE'],
    ['Nutrition', 'DIETITIAN_NOTE'],
    ['CONSULTATION_NOTE', 'CONSULT_NOTE'],
  ])('of %s is %s', (name, type) => {
    expect(nearestNoteType(name)).toBe(type);
  });

  it('of the name of each type is that type', () => {
    expect(NOTE_TYPES.map((type) => nearestNoteType(type))).toEqual(NOTE_TYPES);
  });

  it.each(['NOTE', 'health note', 'radiology', 'nursing discharge', ''])('is unknown for %j', (name) => {
    expect(nearestNoteType(name)).toBeUndefined();
  });
});
