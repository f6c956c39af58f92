// Scores one note: everything said is in its section, and nothing is there that was not said.
import type { ErrorCode } from '../../src/domain/errors.ts';
import type { NoteAnswer } from '../../src/ports/reasoner.ts';
import { fold } from './fold.ts';
import type { NoAnswer } from './no-answer.ts';
import type { Talk } from './sets.ts';

export type TalkScore = Pick<Talk, 'id' | 'language'> & {
  readonly isJudgedRight: boolean;
  /** Phrases in their section; sections that stay silent; phrases that are not where they must not be; fields. */
  readonly wanted: number;
  readonly placed: number;
  /** `PLAN lacks "rest"`: what is not as it should be. Where there is no note, all of it. */
  readonly missed: readonly string[];
  readonly invented: readonly string[];
  readonly error: ErrorCode | undefined;
};

type Written = Extract<NoteAnswer, { readonly isMedical: true }>;

/** As the writers say that nothing was said. */
const SILENT = /^(not discussed|no se trato|nao abordado)\.?$/;

/** Whether a section has nothing but that nothing was said. */
export function isSilent(text: string): boolean {
  return text === '' || SILENT.test(fold(text));
}

export function scoreTalk(talk: Talk, answer: NoteAnswer | NoAnswer): TalkScore {
  const { id, language, medical } = talk;
  const written = 'error' in answer || !answer.isMedical ? undefined : answer;
  const checks = [...sectionChecks(talk, written), ...fieldChecks(talk, written)];
  const missed = checks.filter(([, isMet]) => !isMet).map(([what]) => what);
  const whole = textOf(written);
  return {
    id,
    language,
    isJudgedRight: !('error' in answer) && answer.isMedical === medical,
    wanted: checks.length,
    placed: checks.length - missed.length,
    missed,
    invented: talk.invented.filter((word) => has(whole, word)),
    error: 'error' in answer ? answer.error : undefined,
  };
}

type Check = readonly [what: string, isMet: boolean];

function sectionChecks({ sections }: Talk, written: Written | undefined): readonly Check[] {
  const texts = new Map(written?.note.sections.map(({ key, text }) => [key, fold(text)]));
  return Object.entries(sections).flatMap(([key, { holds, lacks, silent }]): Check[] => {
    const text = texts.get(key);
    return [
      ...holds.map((phrase): Check => [`${key} holds "${phrase}"`, text !== undefined && has(text, phrase)]),
      ...lacks.map((phrase): Check => [`${key} lacks "${phrase}"`, text !== undefined && !has(text, phrase)]),
      ...(silent ? [[`${key} is silent`, text !== undefined && isSilent(text)] as const] : []),
    ];
  });
}

function fieldChecks({ fields }: Talk, written: Written | undefined): readonly Check[] {
  return Object.entries(fields).map(([name, value]): Check => {
    const given = written?.dynamicFields?.[name];
    const said = given === undefined ? undefined : fold(given);
    return [`${name} is "${value}"`, said !== undefined && (value === '' ? said === '' : has(said, value))];
  });
}

function textOf(written: Written | undefined): string {
  if (written === undefined) return '';
  const { note, dynamicFields = {} } = written;
  return fold([note.title, ...note.sections.map(({ text }) => text), ...Object.values(dynamicFields)].join('\n'));
}

function has(text: string, phrases: string): boolean {
  return phrases.split('|').some((phrase) => text.includes(fold(phrase)));
}
