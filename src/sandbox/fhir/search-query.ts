// Checks the parameters of a search: those of the type with supported modifiers and values. Others are refused, or left out if the client
// prefers lenient handling, because an ignored condition returns unwanted results.
import { searchParametersOf } from './resource-types.ts';

type Part = readonly [name: string, value: string];

/** Checks of the values of common parameters. `_cursor` occurs only in the links of pages. */
const RESULT_PARAMETERS: Readonly<Record<string, (value: string, type: string) => boolean>> = {
  _count: isNumber,
  _offset: isNumber,
  _cursor: isNumber,
  _format: () => true,
  _pretty: () => true,
  _total: (value) => ['none', 'estimate', 'accurate'].includes(value),
  _sort: (value, type) =>
    value.split(',').every((one) => searchParametersOf(type)[one.replace(/^-/, '')] !== undefined),
  _include: (value) => {
    const [type = '', name = ''] = value.split(':');
    return searchParametersOf(type)[name]?.kind === 'reference';
  },
};

/** Returns the names of unsupported parameters. */
export function unknownParameters(type: string, query: string): readonly string[] {
  return partsOf(query)
    .filter((part) => !isKnown(type, part))
    .map(([name]) => name);
}

export function withoutUnknown(type: string, query: string): string {
  return String(new URLSearchParams(partsOf(query).filter((part) => isKnown(type, part)) as [string, string][]));
}

function partsOf(query: string): readonly Part[] {
  return [...new URLSearchParams(query)];
}

function isKnown(type: string, [key, value]: Part): boolean {
  const result = RESULT_PARAMETERS[key];
  if (result) return result(value, type);
  const [name = '', modifier] = key.split(':');
  const parameter = searchParametersOf(type)[name];
  if (!parameter) return false;
  if (modifier === 'missing') return value === 'true' || value === 'false';
  if (modifier === 'not') return parameter.kind === 'token';
  return modifier === undefined && (parameter.kind !== 'date' || isTime(value));
}

function isNumber(value: string): boolean {
  return /^\d{1,15}$/.test(value);
}

function isTime(value: string): boolean {
  return value
    .split(',')
    .every((one) =>
      /^(eq|ne|gt|lt|ge|le|sa|eb)?\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/.test(one),
    );
}
