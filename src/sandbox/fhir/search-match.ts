// Checks a resource against one condition of a search: tokens, references, dates, texts and addresses of R4, as far as clients of the sandbox
// need them.
import type { Filter } from '@medplum/core';
import type { SearchParameter } from './resource-types.ts';
import { isObject, type Json, localReference, valuesAt } from './resource-values.ts';

/** True if the resource matches any of the comma-separated values. */
export function fitsCondition(resource: Json, parameter: SearchParameter, { operator, value }: Filter): boolean {
  const values = parameter.paths.flatMap((path) => valuesAt(resource, path));
  if (operator === 'missing') return (values.length === 0) === (value === 'true');
  const wanted = splitValues(value);
  const isFit = wanted.some((one) => values.some((actual) => fitsValue(parameter, actual, { operator, wanted: one })));
  return operator === 'not' || operator === 'ne' ? !isFit : isFit;
}

type Wanted = { readonly operator: string; readonly wanted: string };

function fitsValue({ kind }: SearchParameter, actual: unknown, { operator, wanted }: Wanted): boolean {
  if (kind === 'token') return fitsToken(actual, wanted);
  if (kind === 'reference') return fitsReference(actual, wanted);
  if (kind === 'date') return fitsDate(actual, { operator, wanted });
  if (kind === 'uri') return actual === wanted;
  return textsIn(actual).some((text) => text.toLowerCase().startsWith(wanted.toLowerCase()));
}

/** Splits at commas; `a\,b` is one value. */
export function splitValues(value: string): readonly string[] {
  return value.split(/(?<!\\),/).map((one) => one.replaceAll(/\\([,|$\\])/g, '$1'));
}

/** Returns pairs of system and code of codes, codings, concepts, identifiers and contact points. */
export function tokensOf(value: unknown): readonly { readonly system: string; readonly code: string }[] {
  if (typeof value === 'string' || typeof value === 'boolean') return [{ system: '', code: String(value) }];
  if (!isObject(value)) return [];
  const codings = value['coding'];
  if (Array.isArray(codings)) return codings.flatMap(tokensOf);
  const code = value['code'] ?? value['value'];
  const system = value['system'];
  return typeof code === 'string' ? [{ system: typeof system === 'string' ? system : '', code }] : [];
}

function fitsToken(actual: unknown, wanted: string): boolean {
  const bar = wanted.indexOf('|');
  const [system, code] = bar < 0 ? [undefined, wanted] : [wanted.slice(0, bar), wanted.slice(bar + 1)];
  return tokensOf(actual).some(
    (token) => (system === undefined || token.system === system) && (code === '' || token.code === code),
  );
}

function fitsReference(actual: unknown, wanted: string): boolean {
  const reference = isObject(actual) ? localReference(actual['reference']) : undefined;
  if (reference === undefined) return false;
  return wanted.includes('/') ? reference === localReference(wanted) : reference.endsWith(`/${wanted}`);
}

/** Converts a time to its period: `2026-11` is a month. */
function fitsDate(actual: unknown, { operator, wanted }: Wanted): boolean {
  const have = isObject(actual) ? periodSpan(actual) : typeof actual === 'string' ? spanOf(actual) : undefined;
  const want = spanOf(wanted);
  if (!have || !want) return false;
  if (operator === 'gt' || operator === 'sa') return have.end > want.end;
  if (operator === 'ge') return have.end > want.end || (have.start >= want.start && have.start < want.end);
  if (operator === 'lt' || operator === 'eb') return have.start < want.start;
  if (operator === 'le') return have.start < want.start || (have.start >= want.start && have.start < want.end);
  return have.start >= want.start && have.end <= want.end;
}

type Span = { readonly start: number; readonly end: number };

function periodSpan(period: Json): Span {
  const { start, end } = period;
  return {
    start: (typeof start === 'string' ? spanOf(start)?.start : undefined) ?? Number.NEGATIVE_INFINITY,
    end: (typeof end === 'string' ? spanOf(end)?.end : undefined) ?? Number.POSITIVE_INFINITY,
  };
}

function spanOf(text: string): Span | undefined {
  const parts = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(T.+)?)?)?$/.exec(text);
  if (!parts) return undefined;
  const [, year, month, day, time] = parts;
  if (time !== undefined) {
    const start = Date.parse(text);
    const isToTheMillisecond = /:\d\d\.\d+/.test(time);
    return Number.isNaN(start) ? undefined : { start, end: start + (isToTheMillisecond ? 1 : 1000) };
  }
  const at = [Number(year), Number(month ?? 1) - 1, Number(day ?? 1)] as const;
  const end =
    day !== undefined
      ? Date.UTC(at[0], at[1], at[2] + 1)
      : month !== undefined
        ? Date.UTC(at[0], at[1] + 1, 1)
        : Date.UTC(at[0] + 1, 0, 1);
  return { start: Date.UTC(...at), end };
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return isObject(value) ? Object.values(value).flat().flatMap(textsIn) : [];
}
