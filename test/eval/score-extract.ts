// Scores the extract that is written for a note: how much of what was planned is in it, which sections wrongly say that nothing was said,
// and whether what relatives have or said is under their name.
import type { Language } from '../../src/domain/language.ts';
import type { NoteAnswer } from '../../src/ports/reasoner.ts';
import type { ExtractCase } from './extract-cases.ts';
import { fold } from './fold.ts';
import type { NoAnswer } from './no-answer.ts';
import { isSilent } from './score-talk.ts';

export type ExtractScore = Pick<ExtractCase, 'part'> & {
  readonly id: string;
  readonly language: Language;
  readonly planned: number;
  /** `stopped: stop, indapamide`: what is in no section for plans. */
  readonly lost: readonly string[];
  readonly discussed: number;
  /** Sections that say "not discussed" although something was said. */
  readonly silenced: readonly string[];
  readonly relatives: number;
  /** What is in the note without the name of the relative. */
  readonly unnamed: readonly string[];
  readonly leftOut: readonly string[];
};

/** The sections for plans in the built-in templates. */
const FOR_PLANS: ReadonlySet<string> = new Set([
  'PLAN',
  'DECISION',
  'ACTION',
  'REVIEW',
  'INTERVENTION',
  'MONITORING',
  'RECOMMENDATION',
]);

export function scoreExtract(visit: ExtractCase, answer: NoteAnswer | NoAnswer): ExtractScore {
  const { plan, discussed, relatives, planned, part, talk } = visit;
  const sections = 'error' in answer || !answer.isMedical ? [] : answer.note.sections;
  const lines = sections.flatMap(({ key, text }) => text.split('\n').map((line) => ({ key, line: fold(line) })));
  const plans = lines.filter(({ key }) => (planned ? planned.includes(key) : FOR_PLANS.has(key)));
  const holding = (phrase: string) => lines.filter(({ line }) => has(line, phrase));
  return {
    part,
    id: talk.id,
    language: talk.language,
    planned: plan.length,
    lost: plan
      .filter(({ holds }) => !plans.some(({ line }) => holds.every((phrase) => has(line, phrase))))
      .map(({ kind, holds }) => `${kind}: ${holds.join(', ')}`),
    discussed: discussed.length,
    silenced: discussed.filter((key) => isSilent(sections.find((section) => section.key === key)?.text ?? '')),
    relatives: relatives.length,
    unnamed: relatives.filter(({ who, holds }) => !holding(holds).every(({ line }) => has(line, who))).map(told),
    leftOut: relatives.filter(({ holds }) => holding(holds).length === 0).map(told),
  };
}

function told({ who, holds }: ExtractCase['relatives'][number]): string {
  return `${who}: ${holds}`;
}

function has(line: string, phrases: string): boolean {
  return phrases.split('|').some((phrase) => line.includes(fold(phrase)));
}
