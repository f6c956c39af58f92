// How good one note is: what was said stands where it belongs, and nothing that nobody said stands anywhere.

import type { NoteAnswer } from '../../src/ports/reasoner.ts';
import { fold } from './fold.ts';
import type { Talk } from './sets.ts';

export type TalkScore = Pick<Talk, 'id' | 'language'> & {
  readonly isJudgedRight: boolean;
  /** Phrases in their section; sections that stay silent; phrases that are not where they must not be; fields. */
  readonly wanted: number;
  readonly placed: number;
  /** `PLAN lacks "rest"`: what is not as it should be. */
  readonly missed: readonly string[];
  readonly invented: readonly string[];
};

/** As the writers say that nothing was said. */
const SILENT = /^(not discussed|no se trato|nao abordado)\.?$/;

export function scoreTalk(talk: Talk, answer: NoteAnswer): TalkScore {
  const { id, language, medical } = talk;
  const isJudgedRight = answer.isMedical === medical;
  if (!answer.isMedical || !medical)
    return { id, language, isJudgedRight, wanted: 0, placed: 0, missed: [], invented: [] };
  const texts = new Map(answer.note.sections.map(({ key, text }) => [key, fold(text)]));
  const checks = [...sectionChecks(talk, texts), ...fieldChecks(talk, answer.dynamicFields ?? {})];
  const missed = checks.filter(([, isMet]) => !isMet).map(([what]) => what);
  const whole = fold([answer.note.title, ...texts.values(), ...Object.values(answer.dynamicFields ?? {})].join('\n'));
  const invented = talk.invented.filter((word) => has(whole, word));
  return {
    id,
    language,
    isJudgedRight,
    wanted: checks.length,
    placed: checks.length - missed.length,
    missed,
    invented,
  };
}

type Check = readonly [what: string, isMet: boolean];

function sectionChecks({ sections }: Talk, texts: ReadonlyMap<string, string>): readonly Check[] {
  return Object.entries(sections).flatMap(([key, { holds, lacks, silent }]): Check[] => {
    const text = texts.get(key) ?? '';
    return [
      ...holds.map((phrase): Check => [`${key} holds "${phrase}"`, has(text, phrase)]),
      ...lacks.map((phrase): Check => [`${key} lacks "${phrase}"`, !has(text, phrase)]),
      ...(silent ? [[`${key} is silent`, text === '' || SILENT.test(text)] as const] : []),
    ];
  });
}

function fieldChecks({ fields }: Talk, given: Readonly<Record<string, string>>): readonly Check[] {
  return Object.entries(fields).map(([name, value]): Check => {
    const said = fold(given[name] ?? '');
    return [`${name} is "${value}"`, value === '' ? said === '' : has(said, value)];
  });
}

function has(text: string, phrases: string): boolean {
  return phrases.split('|').some((phrase) => text.includes(fold(phrase)));
}
