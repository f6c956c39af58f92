// Building blocks of the schema of site.yaml: what a setting may be, and the message if it is not. Messages name settings and never repeat
// values, which may be secrets.
import type { Place } from '../../domain/mapping/mapping.ts';
import {
  didYouMean,
  type SourceEntry,
  type SourceMap,
  type SourceNode,
  type SourceScalar,
} from '../../mapping/mapping.ts';
import { DURATION_FORM, parseDuration } from './durations.ts';
import { hasReferences } from './substitution.ts';

type TextNode = SourceScalar & { readonly value: string };

export type Reading = {
  readonly report: (place: Place, message: string) => void;
  /** Returns the text with each `${…}` replaced, or undefined after reporting a missing value. */
  readonly resolve: (node: TextNode) => string | undefined;
  /** Where a key that is no setting at its place belongs: `it belongs to ehr.auth`. */
  readonly placeOfKey?: (key: string) => string | undefined;
};

/** Reads one setting. `name` is its path for messages: `ehr.auth.clientId`. Returns undefined after reporting a problem. */
export type Setting<T> = (node: SourceNode, name: string, reading: Reading) => T | undefined;

type Needed<T> = { readonly needed: Setting<T> };
type Fields = Readonly<Record<string, Setting<unknown> | Needed<unknown>>>;
type ValueOf<S> = S extends Setting<infer T> ? T : S extends Needed<infer T> ? T : never;
type NeededKeys<F extends Fields> = { [K in keyof F]: F[K] extends Needed<unknown> ? K : never }[keyof F];
type GroupOf<F extends Fields> = { readonly [K in NeededKeys<F>]: ValueOf<F[K]> } & {
  readonly [K in Exclude<keyof F, NeededKeys<F>>]?: ValueOf<F[K]>;
};

/** The type that a setting reads as: `Read<typeof SITE>`. */
export type Read<S> = ValueOf<S>;

export function needed<T>(setting: Setting<T>): Needed<T> {
  return { needed: setting };
}

/** Reads what `use` returns for a text, or reports its message. `form` is the message for a value that is not text. */
function ofText<T>(
  form: (name: string) => string,
  use: (value: string, name: string) => { readonly value: T } | { readonly message: string },
): Setting<T> {
  return (node, name, reading) => {
    if (!isText(node)) return wrong(node, form(name) + quoteHint(node), reading);
    const text = reading.resolve(node);
    if (text === undefined) return undefined;
    const used = use(text, name);
    return 'value' in used ? used.value : wrong(node, used.message, reading);
  };
}

/** Reads text that is not empty. `check` returns what is wrong with it. */
export function text(check?: (value: string) => string | undefined): Setting<string> {
  return ofText(
    (name) => `${name} is a text`,
    (value, name) => {
      const message = value.trim() === '' ? 'is empty' : check?.(value);
      return message === undefined ? { value } : { message: `${name} ${message}` };
    },
  );
}

export function matching(pattern: RegExp, form: string): Setting<string> {
  return text((value) => (pattern.test(value) ? undefined : `is ${form}`));
}

export function oneOf<const T extends string>(...values: readonly T[]): Setting<T> {
  return ofText(
    (name) => optionsOf(name, values),
    (given, name) => {
      const value = values.find((one) => one === given);
      return value === undefined ? { message: optionsOf(name, values) + didYouMean(given, values) } : { value };
    },
  );
}

function optionsOf(name: string, values: readonly string[]): string {
  return `${name} is one of ${values.join(', ')}`;
}

/** Reads a duration in milliseconds. */
export function duration({ fromMs = 0 }: { readonly fromMs?: number } = {}): Setting<number> {
  return ofText(
    (name) => `${name} is ${DURATION_FORM}`,
    (given, name) => {
      const value = parseDuration(given);
      if (value === undefined) return { message: `${name} is ${DURATION_FORM}` };
      return value >= fromMs ? { value } : { message: `${name} is ${fromMs / 1000}s or more` };
    },
  );
}

type Bounds = { readonly from: number; readonly to: number };

export function wholeNumber({ from, to }: Bounds): Setting<number> {
  return numberOf({
    isIn: (value) => Number.isInteger(value) && value >= from && value <= to,
    pattern: /^\d{1,15}$/,
    form: `a whole number from ${from} to ${to}`,
  });
}

/** Reads a probability from 0 to 1. */
export const probability: Setting<number> = numberOf({
  isIn: (value) => value >= 0 && value <= 1,
  pattern: /^\d{1,3}(\.\d{1,15})?$/,
  form: 'a number from 0 to 1, as in 0.1',
});

type NumberForm = {
  readonly isIn: (value: number) => boolean;
  readonly pattern: RegExp;
  readonly form: string;
};

/** Accepts text as well, because variables of the environment are text. */
function numberOf({ isIn, pattern, form }: NumberForm): Setting<number> {
  return (node, name, reading) => {
    const given = isText(node) && hasReferences(node.value) ? reading.resolve(node) : undefined;
    if (given === undefined && isText(node) && hasReferences(node.value)) return undefined;
    const value = given === undefined ? node.kind === 'scalar' && node.value : pattern.test(given) && Number(given);
    if (typeof value === 'number' && isIn(value)) return value;
    return wrong(node, `${name} is ${form}`, reading);
  };
}

/** Reads a name that messages repeat, so it must not contain a value of the environment. */
export function writtenOut<T>(setting: Setting<T>): Setting<T> {
  return (node, name, reading) => {
    if (!isText(node) || !hasReferences(node.value)) return setting(node, name, reading);
    return wrong(node, `${name} is a name, and is written out here`, reading);
  };
}

export function listOf<T>(item: Setting<T>): Setting<readonly T[]> {
  return (node, name, reading) => {
    if (node.kind !== 'list') return wrong(node, `${name} is a list, as in [one, another]`, reading);
    return node.items.flatMap((inner, index) => item(inner, `${name}[${index}]`, reading) ?? []);
  };
}

/** `at` is the offset in the text, from 0. */
export type Mistake = { readonly at: number; readonly message: string };

/** Reads a map with names that the author chooses. `checkName` returns what is wrong with a name. */
export function recordOf<T>(
  item: Setting<T>,
  checkName: (name: string) => Mistake | undefined = () => undefined,
): Setting<Readonly<Record<string, T>>> {
  return (node, name, reading) => {
    if (node.kind !== 'map') return wrong(node, `${name} is a group of names with a value each`, reading);
    const values: Record<string, T> = Object.create(null);
    for (const { key, keyPlaceAt, value } of saidEntries(node)) {
      const mistake = checkName(key);
      if (mistake !== undefined) reading.report(keyPlaceAt(mistake.at), `${name}: ${mistake.message}`);
      const read = item(value, `${name}.${key}`, reading);
      if (read !== undefined) values[key] = read;
    }
    return values;
  };
}

/** Reads a group of settings. An unknown key is an error, and so is a missing required one. */
export function group<const F extends Fields>(fields: F): Setting<GroupOf<F>> {
  const read: Setting<GroupOf<F>> = (node, name, reading) => {
    if (node.kind !== 'map') {
      return wrong(node, `${name} is a group of settings: ${Object.keys(fields).join(', ')}`, reading);
    }
    // Missing values were reported, and settings with problems are not used.
    return readFields(node, name, fields, reading) as GroupOf<F>;
  };
  groupFields.set(read, fields);
  return read;
}

/** The fields of each group, so that a message can say where a key belongs. */
const groupFields = new WeakMap<object, Fields>();

/** The paths of all settings in a group: `ehr`, `ehr.auth`. */
export function pathsOf(setting: Setting<unknown>, name = ''): readonly string[] {
  const fields = Object.entries(groupFields.get(setting) ?? {});
  return fields.flatMap(([key, field]) => {
    const path = inner(name, key);
    return [path, ...pathsOf(typeof field === 'function' ? field : field.needed, path)];
  });
}

type Choices = Readonly<Record<string, Fields>>;
type ChoiceOf<K extends string, C extends Choices> = {
  [T in keyof C & string]: { readonly [key in K]: T } & GroupOf<C[T]>;
}[keyof C & string];

/** Reads a group whose keys depend on one of them, as those of `auth` depend on its `type`. */
export function groupBy<const K extends string, const C extends Choices>(
  chooser: K,
  choices: C,
): Setting<ChoiceOf<K, C>> {
  const choose = oneOf(...Object.keys(choices));
  return (node, name, reading) => {
    if (node.kind !== 'map') return wrong(node, `${name} is a group of settings, with ${chooser}`, reading);
    const chosen = saidEntries(node).find(({ key }) => key === chooser)?.value;
    if (chosen === undefined) {
      return wrong(node, `${name}.${chooser} is missing: one of ${Object.keys(choices).join(', ')}`, reading);
    }
    const choice = choose(chosen, `${name}.${chooser}`, reading);
    const fields = choice === undefined ? undefined : choices[choice];
    if (choice === undefined || fields === undefined) return undefined;
    const known = { [chooser]: () => choice, ...fields };
    return readFields(node, name, known, reading) as ChoiceOf<K, C>;
  };
}

function readFields(
  node: SourceMap,
  name: string,
  fields: Fields,
  reading: Reading,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  const entries = saidEntries(node);
  for (const { key, keyPlace, value } of entries) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field === undefined) {
      // A key that is elsewhere is no misspelt one: `retention` is not `attention`.
      const elsewhere = reading.placeOfKey?.(key);
      const hint = didYouMean(key, Object.keys(fields));
      reading.report(keyPlace, `${inner(name, key)} is no setting${elsewhere ? `; ${elsewhere}` : hint}`);
      continue;
    }
    const read = (typeof field === 'function' ? field : field.needed)(value, inner(name, key), reading);
    if (read !== undefined) values[key] = read;
  }
  for (const [key, field] of Object.entries(fields)) {
    const isMissing = typeof field !== 'function' && !entries.some((entry) => entry.key === key);
    if (isMissing) reading.report(node.place, `${inner(name, key)} is missing`);
  }
  return values;
}

function inner(name: string, key: string): string {
  return name === '' ? key : `${name}.${key}`;
}

/** A key without a value is ignored. */
function saidEntries(node: SourceMap): readonly SourceEntry[] {
  return node.entries.filter(({ value }) => value.kind !== 'scalar' || value.value !== null);
}

export function isText(node: SourceNode): node is TextNode {
  return node.kind === 'scalar' && typeof node.value === 'string';
}

/** YAML reads 0123 as a number and true as a boolean. */
function quoteHint(node: SourceNode): string {
  return node.kind === 'scalar' ? '; write it in quotes' : '';
}

export function wrong(node: SourceNode, message: string, { report }: Reading): undefined {
  report(node.place, message);
  return undefined;
}
