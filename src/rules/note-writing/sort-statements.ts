// Decides the kind of each sentence of a talk: by its words, the question that it answers, the speaker, the sentence before it and the
// phase of the visit. Small talk, commands and unanswered questions are left out.

import type { Turn } from './read-turns.ts';
import { sortClinician } from './sort-clinician.ts';
import { sortColleague } from './sort-colleague.ts';
import { sortOther } from './sort-other.ts';
import type { SortingState, SortParts } from './sorting-state.ts';
import type { Statement } from './statement.ts';

export function sortStatements(turns: readonly Turn[], parts: SortParts): readonly Statement[] {
  const state: SortingState = {
    statements: [],
    phase: 'history',
    exchange: 0,
    asked: undefined,
    askedBack: undefined,
    command: undefined,
    hasComplaint: false,
  };
  for (const turn of turns) {
    parts.onStep();
    state.exchange += 1;
    if (parts.speakers.isHandover && parts.speakers.clinicians.has(turn.speaker)) sortColleague(turn, state, parts);
    else if (parts.speakers.clinicians.has(turn.speaker)) sortClinician(turn, state, parts);
    else sortOther(turn, state, parts);
  }
  return state.statements;
}
