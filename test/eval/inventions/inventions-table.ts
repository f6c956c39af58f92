// The verdicts on the inventions as tables of Markdown, and the floors: of the guarded kinds none is unmarked in the first two sets, and at
// most one of twenty in the last one.
import { LANGUAGES } from '../../../src/domain/language.ts';
import { tableOf } from '../tables.ts';
import { type Case, COUNTED_KINDS, GUARDED_KINDS, INVENTION_SETS, type Kind } from './cases.ts';
import { VERDICTS, type Verdict } from './judge-invention.ts';
import type { InventionsReport, JudgedCase } from './play-inventions.ts';

/** `lost` is shown only where it happens: an evaluation in which it does fails. */
const SHOWN: readonly Verdict[] = VERDICTS.filter((verdict) => verdict !== 'lost');

export function isGuarded({ kind }: Pick<Case, 'kind'>): boolean {
  return (GUARDED_KINDS as readonly Kind[]).includes(kind);
}

/** What no class of rules catches yet: brands of drugs that no list has, and codes of a neighbouring disease. */
const MOST_OF_LAST = 0.05;

/** The guarded inventions that reach a chart unmarked. */
export function passedUnmarked({ cases }: InventionsReport): readonly JudgedCase[] {
  return cases.filter((one) => isGuarded(one) && (one.verdict === 'unmarked' || one.verdict === 'lost'));
}

/** Also false if a faithful note is held, or if an invention of a note is in the question for the diagnosis. */
export function isFloorKept(report: InventionsReport): boolean {
  const unmarked = passedUnmarked(report);
  const ofLast = unmarked.filter(isOfLast).length;
  const last = report.cases.filter((one) => isGuarded(one) && isOfLast(one)).length;
  const areKept = unmarked.length === ofLast && ofLast <= MOST_OF_LAST * last;
  return areKept && report.leaks === 0 && !report.controls.some(isHeld);
}

function isOfLast({ set }: Pick<Case, 'set'>): boolean {
  return set === 'last';
}

function isHeld({ marks }: InventionsReport['controls'][number]): boolean {
  return marks.some((mark) => mark.startsWith('held'));
}

export function inventionTables(report: InventionsReport): string {
  const { cases, controls, leaks } = report;
  const marked = controls.filter(({ marks }) => marks.length > 0).length;
  const held = controls.filter(isHeld).length;
  return [
    `### Inventions by kind, of the first two sets\n\n${kindTable(cases.filter((one) => !isOfLast(one)))}`,
    `### Inventions of the guarded kinds, by set and language\n\n${languageTable(cases.filter(isGuarded))}`,
    `Without an invention, of ${controls.length} faithful notes ${held} are held and ${marked} have a mark. ` +
      `Questions for a diagnosis with an invention of the note: ${leaks}.`,
  ].join('\n\n');
}

function kindTable(cases: readonly JudgedCase[]): string {
  const rows = (kinds: readonly Kind[], floor: string) =>
    kinds.map((kind) => {
      const own = cases.filter((one) => one.kind === kind);
      const unmarked = LANGUAGES.map((language) => shareUnmarked(own.filter(({ talk }) => talk.language === language)));
      return [kind, String(own.length), ...counts(own), ...unmarked, floor];
    });
  return tableOf(
    ['kind', 'cases', ...SHOWN, ...LANGUAGES.map((language) => `unmarked ${language}`), 'floor'],
    [...rows(GUARDED_KINDS, 'none unmarked'), ...rows(COUNTED_KINDS, 'none')],
  );
}

function languageTable(cases: readonly JudgedCase[]): string {
  const rows = INVENTION_SETS.flatMap((set) =>
    LANGUAGES.map((language) => {
      const own = cases.filter((one) => one.set === set && one.talk.language === language);
      return [set, language, String(own.length), ...counts(own)];
    }),
  );
  return tableOf(
    ['set', 'language', 'cases', ...SHOWN],
    [...rows, ['all', '', String(cases.length), ...counts(cases)]],
  );
}

function counts(cases: readonly JudgedCase[]): readonly string[] {
  return SHOWN.map((verdict) => String(cases.filter((one) => one.verdict === verdict).length));
}

function shareUnmarked(cases: readonly JudgedCase[]): string {
  return `${cases.filter(({ verdict }) => verdict === 'unmarked').length}/${cases.length}`;
}

/** For a person who mends the check. The texts are made up. */
export function describeCase({ kind, talk, invention, verdict }: JudgedCase): string {
  const { talk: _, words: __, code: ___, ...change } = invention;
  return `${verdict}: ${kind}, ${talk.language}, ${talk.name}: ${JSON.stringify(change)}`;
}
