// Functions that a mapping to FHIR needs and FHIRPath does not have. A wrong value is an error that names the
// function and the type, never the value.
import { createHash } from 'node:crypto';
import type { CodeEntry, CodeTable } from '../../../domain/mapping/code-table.ts';
import { ExpressionError } from '../frame.ts';
import { instantOf, yearsBetween } from '../instant.ts';
import { isTemporal, textOfTemporal } from '../temporal.ts';
import { collected, isObject, type Spot, single, wrongType } from '../values.ts';
import { type Calls, ofItem, ofNumber, ofText, type Running, spend, valueAt } from './make-call.ts';
import { roundTo } from './math.ts';
import { base64Length } from './strings.ts';
import { xhtml } from './xhtml.ts';

const REFERENCE =
  /^(?:https?:\/\/[^\s]+\/)?[A-Z][A-Za-z]{1,63}\/[A-Za-z0-9.-]{1,64}(?:\/_history\/[A-Za-z0-9.-]{1,64})?$/;
const OTHER_REFERENCE = /^(?:urn:(?:uuid|oid):|#)\S{1,100}$/;
const LONGEST_REFERENCE = 1000;
const DOCUMENT = /^[a-z][a-z0-9-]{0,99}$/;

function percent(value: number, { parts: { spot } }: Running): number {
  if (value >= 0 && value <= 1) return Math.round(roundTo(value, 4) * 10_000) / 100;
  throw new ExpressionError(`${spot.name} needs a number from 0 to 1, and this is outside of them`, spot.at);
}

/** Names of documents have no slash. One of the set that was not made gives nothing. */
function reference(item: unknown, call: Running): unknown {
  const { frame, parts } = call;
  if (typeof item === 'string') {
    if (Object.hasOwn(frame.documents, item)) return collected(frame.documents[item] ?? []);
    if (DOCUMENT.test(item)) return undefined;
    if (item.length <= LONGEST_REFERENCE && (REFERENCE.test(item) || OTHER_REFERENCE.test(item)))
      return { reference: item };
    throw new ExpressionError(
      `${parts.spot.name}: this text is neither a document of the set nor like 'Patient/1'`,
      parts.spot.at,
    );
  }
  if (!isObject(item)) throw wrongType(item, parts.spot, 'a document, a resource or a reference');
  if (!Object.hasOwn(item, 'resourceType')) return asReference(item, parts.spot);
  const { resourceType, id } = item as { readonly resourceType: unknown; readonly id?: unknown };
  const literal = typeof id === 'string' ? `${String(resourceType)}/${id}` : '';
  return REFERENCE.test(literal) ? { reference: literal } : undefined;
}

function asReference(item: object, spot: Spot): unknown {
  if (Object.hasOwn(item, 'reference') || Object.hasOwn(item, 'identifier')) return item;
  throw wrongType(item, spot, 'a document, a resource or a reference');
}

function code(key: string, call: Running): unknown {
  const { frame, parts } = call;
  const table = tableIn(single(valueAt(call, 0), parts.spot), parts.spot);
  const entry = Object.hasOwn(table.codes, key) ? table.codes[key] : undefined;
  if (entry) return entry.code === undefined ? undefined : coding(table, entry.code, entry);
  if (table.unmapped === 'keep') return coding(table, key, {});
  if (table.unmapped === 'report') frame.reportUnmapped(table.name, key);
  return undefined;
}

function tableIn(value: unknown, spot: Spot): CodeTable {
  if (isObject(value) && Object.hasOwn(value, 'codes') && isObject(value['codes']))
    return value as unknown as CodeTable;
  throw new ExpressionError(`${spot.name} needs a table of codes, as in code(%codes.sections)`, spot.at);
}

/** Literals, not spreads: it is called for every code of every document. */
function coding(table: CodeTable, code: string, { display, system = table.system, version }: CodeEntry): unknown {
  if (version !== undefined && system !== undefined) return { system, version, code, display };
  if (system === undefined) return display === undefined ? { code } : { code, display };
  return display === undefined ? { system, code } : { system, code, display };
}

function instant(item: unknown, { frame, parts: { spot } }: Running): string {
  if (typeof item !== 'string' && !isTemporal(item)) throw wrongType(item, spot, 'a time');
  const instantText = instantOf(typeof item === 'string' ? item : textOfTemporal(item), frame.timeZone);
  if (instantText !== undefined) return instantText;
  throw new ExpressionError(`${spot.name} needs a day or a time, as 2026-11-21 or 2026-11-21T14:30:00Z`, spot.at);
}

/** The age of a Patient, or since a day: the years that have certainly passed, also if only the year of birth is known. */
function ageYears(item: unknown, { frame, parts: { spot } }: Running): number | undefined {
  const born = isObject(item) && Object.hasOwn(item, 'birthDate') ? item['birthDate'] : item;
  if (isObject(born) && !isTemporal(born)) return undefined;
  if (typeof born !== 'string' && !isTemporal(born)) throw wrongType(item, spot, 'a Patient or a day');
  if (frame.time === undefined) throw new ExpressionError(`${spot.name}: the time is not known here`, spot.at);
  const years = yearsBetween(typeof born === 'string' ? born : textOfTemporal(born), frame.time, frame.timeZone);
  if (years !== undefined) return years;
  throw new ExpressionError(`${spot.name} needs a day, as 2026-11-21, that has come`, spot.at);
}

export const ADDED_CALLS: Calls = {
  xhtml,
  base64: ofText((text, call) => {
    spend(call, base64Length(text));
    return Buffer.from(text, 'utf8').toString('base64');
  }),
  hash: ofText((text, call) => {
    spend(call, text.length);
    return createHash('sha256').update(text, 'utf8').digest('hex');
  }),
  reference: ofItem(reference),
  code: ofText(code),
  percent: ofNumber(percent),
  instant: ofItem(instant),
  ageYears: ofItem(ageYears),
};
