// Checks the references between knowledge files: duplicate ids, unknown ids, findings that imply themselves.

import type { ReadFile, YamlProblem } from '../../platform/yaml-file.ts';
import type { ConditionsFile, LexiconFile } from './knowledge-schema.ts';

type Lexicon = ReadFile<LexiconFile>;
type Conditions = ReadFile<ConditionsFile>;

export function checkReferences(lexicons: readonly Lexicon[], conditions: readonly Conditions[]): YamlProblem[] {
  const findings = new Map<string, readonly string[]>();
  for (const { value } of lexicons)
    for (const [id, { implies }] of Object.entries(value ?? {})) findings.set(id, implies);
  return [
    ...duplicateIds(lexicons, (value) => Object.keys(value), []),
    ...duplicateIds(conditions, (value) => Object.keys(value.conditions), ['conditions']),
    ...lexicons.flatMap((file) => unknownNamed(file, findings)),
    ...conditions.flatMap((file) => unknownFindings(file, findings)),
    ...duplicateDangers(conditions),
    ...wrongAlsoThink(conditions),
    ...unaskable(lexicons, conditions),
    ...circles(lexicons, findings),
  ];
}

function duplicateIds<T>(
  files: readonly ReadFile<T>[],
  idsOf: (value: T) => string[],
  around: readonly string[],
): YamlProblem[] {
  const first = new Map<string, ReadFile<T>>();
  const placeOf = ({ path, lineOf }: ReadFile<T>, id: string): string => `${path}:${lineOf([...around, id])}`;
  return files.flatMap((file) =>
    (file.value === undefined ? [] : idsOf(file.value)).flatMap((id) => {
      const other = first.get(id);
      if (other === undefined) {
        first.set(id, file);
        return [];
      }
      const line = file.lineOf([...around, id]);
      return [{ path: file.path, line, message: `${id} is there already: ${placeOf(other, id)}` }];
    }),
  );
}

/** A correction of one copy would miss the other. Line numbers are expensive, so they are computed only for a problem. */
function duplicateDangers(files: readonly Conditions[]): YamlProblem[] {
  const first = new Map<string, () => string>();
  return files.flatMap(({ path, value, lineOf }) =>
    (value?.dangers ?? []).flatMap(({ why: _, all, ...more }, index) => {
      const key = JSON.stringify([all.toSorted(), more]);
      const line = (): number => lineOf(['dangers', index]);
      const other = first.get(key);
      first.set(key, other ?? (() => `${path}:${line()}`));
      return other === undefined ? [] : [{ path, line: line(), message: `this danger is there already: ${other()}` }];
    }),
  );
}

type FindingIds = ReadonlyMap<string, unknown>;
type NamedId = { readonly id: string; readonly at: readonly PropertyKey[] };

function unknownIds(
  { path, lineOf }: Pick<Lexicon, 'path' | 'lineOf'>,
  named: readonly NamedId[],
  findings: FindingIds,
): YamlProblem[] {
  return named
    .filter(({ id }) => !findings.has(id))
    .map(({ id, at }) => ({ path, line: lineOf(at), message: `${id} is no finding of any lexicon` }));
}

function unknownNamed(file: Lexicon, findings: FindingIds): YamlProblem[] {
  const named = Object.entries(file.value ?? {}).flatMap(([id, finding]) =>
    (['implies', 'denies'] as const).flatMap((list) =>
      finding[list].map((other, index) => ({ id: other, at: [id, list, index] })),
    ),
  );
  return unknownIds(file, named, findings);
}

function unknownFindings(file: Conditions, known: FindingIds): YamlProblem[] {
  const list = (ids: readonly string[], around: readonly PropertyKey[]): NamedId[] =>
    ids.map((id, index) => ({ id, at: [...around, index] }));
  const ofConditions = Object.entries(file.value?.conditions ?? {}).flatMap(
    ([name, { needs, only, findings, drugs, consider }]) => {
      const around = ['conditions', name];
      return [
        ...list(needs, [...around, 'needs']),
        ...list(only?.oneOf ?? [], [...around, 'only', 'oneOf']),
        ...list(only?.shownBy ?? [], [...around, 'only', 'shownBy']),
        ...list(consider?.with ?? [], [...around, 'consider', 'with']),
        ...Object.keys(findings).map((id) => ({ id, at: [...around, 'findings', id] })),
        ...drugs.flatMap(({ avoid }, index) => list(avoid, [...around, 'drugs', index, 'avoid'])),
      ];
    },
  );
  const ofDangers = (file.value?.dangers ?? []).flatMap(({ all }, index) => list(all, ['dangers', index, 'all']));
  return unknownIds(file, [...ofDangers, ...ofConditions], known);
}

/** `alsoThink` must name another condition, and one that must not be missed. */
function wrongAlsoThink(files: readonly Conditions[]): YamlProblem[] {
  // If a file cannot be read, its conditions would be reported as unknown everywhere.
  if (files.some(({ value }) => value === undefined)) return [];
  const notMissed = new Map(
    files.flatMap(({ value }) =>
      Object.entries(value?.conditions ?? {}).map(([id, { mustNotMiss }]) => [id, mustNotMiss] as const),
    ),
  );
  return files.flatMap(({ path, value, lineOf }) =>
    Object.entries(value?.conditions ?? {}).flatMap(([name, { alsoThink }]) =>
      alsoThink.flatMap((id, index) => {
        const message = thinkProblem(id, name, notMissed);
        return message === undefined ? [] : [{ path, line: lineOf(['conditions', name, 'alsoThink', index]), message }];
      }),
    ),
  );
}

function thinkProblem(id: string, name: string, notMissed: ReadonlyMap<string, boolean>): string | undefined {
  if (!notMissed.has(id)) return `${id} is no condition`;
  if (id === name) return `${id} is thought of with itself`;
  return notMissed.get(id) === true ? undefined : `${id} is thought of and may be missed: it has no mustNotMiss`;
}

/** A finding that a patient must have is asked for if it was not mentioned. */
function unaskable(lexicons: readonly Lexicon[], files: readonly Conditions[]): YamlProblem[] {
  const known = new Map(lexicons.flatMap(({ value }) => Object.entries(value ?? {})));
  return files.flatMap(({ path, value, lineOf }) =>
    Object.entries(value?.conditions ?? {}).flatMap(([name, { only }]) =>
      (only?.oneOf ?? []).flatMap((id, index) => {
        const finding = known.get(id);
        if (finding === undefined || finding.ask !== undefined) return [];
        const line = lineOf(['conditions', name, 'only', 'oneOf', index]);
        return [{ path, line, message: `${id} is required and has no ask in the lexicon` }];
      }),
    ),
  );
}

/** Each circle is reported once, at the finding where it closes. */
function circles(lexicons: readonly Lexicon[], implies: ReadonlyMap<string, readonly string[]>): YamlProblem[] {
  const done = new Set<string>();
  const problems: YamlProblem[] = [];
  const report = (trail: readonly string[]): void => {
    const file = lexicons.find(({ value }) => Object.hasOwn(value ?? {}, trail[0] ?? ''));
    if (file === undefined) return;
    problems.push({
      path: file.path,
      line: file.lineOf([trail[0] ?? '']),
      message: `implies itself: ${trail.join(' → ')}`,
    });
  };
  const visit = (id: string, trail: readonly string[]): void => {
    const at = trail.indexOf(id);
    if (at >= 0) report([...trail.slice(at), id]);
    if (at >= 0 || done.has(id)) return;
    for (const next of implies.get(id) ?? []) visit(next, [...trail, id]);
    done.add(id);
  };
  for (const id of implies.keys()) visit(id, []);
  return problems;
}

/** All findings that a finding implies, over any number of steps, without itself. */
export function impliedBy(id: string, implies: ReadonlyMap<string, readonly string[]>): string[] {
  const found = new Set<string>();
  const visit = (one: string): void => {
    for (const next of implies.get(one) ?? []) {
      if (next === id || found.has(next)) continue;
      found.add(next);
      visit(next);
    }
  };
  visit(id);
  return [...found].sort();
}
