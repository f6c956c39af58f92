// The note type that a person probably means by another name of it, for a message.
import { NOTE_TYPES, type NoteType } from './template.ts';

/** Words that hospitals use for a type, beside those of its own name. */
const OTHER_WORDS: Readonly<Record<NoteType, readonly string[]>> = {
  PROGRESS_NOTE: ['VISIT', 'OUTPATIENT', 'AMBULATORY', 'FOLLOW', 'FOLLOWUP', 'OFFICE', 'CLINIC', 'WARD'],
  ADMISSION_NOTE: ['ADMIT', 'INPATIENT', 'HP', 'INTAKE'],
  ED_NOTE: ['EMERGENCY', 'ER', 'EMER', 'URGENT', 'AE', 'CASUALTY'],
  DISCHARGE_SUMMARY: ['EPICRISIS', 'LETTER', 'DEPARTURE'],
  CONSULT_NOTE: ['CONSULTATION', 'CONSULTANT', 'REFERRAL', 'SPECIALIST'],
  NURSING_NOTE: ['NURSE', 'CARE', 'SHIFT'],
  BEHAVIORAL_HEALTH_NOTE: ['PSYCHIATRY', 'PSYCHIATRIC', 'PSYCHOLOGY', 'MENTAL', 'THERAPY', 'COUNSELING'],
  DIETITIAN_NOTE: ['NUTRITION', 'NUTRITIONIST', 'DIET', 'DIETARY'],
};

/** Words of several names, which tell nothing apart. */
const COMMON = new Set(['NOTE', 'HEALTH', 'SUMMARY']);

/** Undefined if no word, or words of two types, are in it. */
export function nearestNoteType(name: string): NoteType | undefined {
  const words = name
    .toUpperCase()
    .split(/[^A-Z]+/)
    .filter((word) => word !== '' && !COMMON.has(word));
  const fitting = NOTE_TYPES.filter((type) => {
    const known = [...type.split('_'), ...OTHER_WORDS[type]];
    return words.some((word) => known.includes(word));
  });
  return fitting.length === 1 ? fitting[0] : undefined;
}
