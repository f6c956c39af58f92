// Makes what is kept of a decision about a draft: codes and lengths, no text.
import type { WrittenNote } from '../../domain/note/note.ts';
import { present } from '../../domain/present.ts';
import type { DecisionRecord, RejectCategory } from '../../domain/run/draft-decision.ts';
import { type StepResults, templateOf } from '../../domain/run/step-results.ts';
import { measureEdit } from './measure-edit.ts';

type RecordParts = {
  readonly decision: DecisionRecord['decision'];
  readonly category?: RejectCategory | undefined;
  readonly who: { readonly actor: string; readonly practitioner: string };
  readonly results: Partial<StepResults>;
  /** What was signed. Absent: nothing was. */
  readonly signed?: WrittenNote;
};

export function decisionRecord({ decision, category, who, results, signed }: RecordParts): DecisionRecord {
  const { actor, practitioner } = who;
  const { check, 'write-note': written } = results;
  const shown = check?.note ?? written?.note;
  const language = written?.language;
  const note = shown && language && { shown, signed: signed ?? shown, language };
  const changes = note === undefined ? [] : measureEdit(note);
  return { decision, actor, practitioner, noteType: noteTypeOf(results), changes, ...present({ category }) };
}

/** A run that was made by hand in an earlier version may have no such result. */
function noteTypeOf(results: Partial<StepResults>): string {
  const read = results['read-chart'];
  if (read === undefined) return 'unknown';
  return read.wanted.noteType ?? templateOf(results).name.toLowerCase();
}
