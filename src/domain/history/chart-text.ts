// Words of a chart, made fit for one line of a history: what was typed there can neither begin a line of its own, nor hide, nor look
// like a source. The words stay as they are, shortened where they are long.
import { cleanText } from '../clean-text.ts';
import { listOf, memberOf, textOf } from '../raw-members.ts';

const MAX_PHRASE = 200;
/** Longer ones are cut before they are cleaned: nobody cleans a megabyte for one line. */
const SLACK = 4;

// Characters that take no room and change nothing that is read: only something hidden is written with them.
const INVISIBLE = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2060-\u2064\u206a-\u206f\u{e0000}-\u{e007f}]/gu;
/** `[Condition/3]` is how the history names a source; only it does. */
const LIKE_SOURCE = /\[(?=\s*[A-Za-z]+\/)/g;

/** Undefined where nothing is left of it. */
export function phraseOf(value: unknown, maxLength: number = MAX_PHRASE): string | undefined {
  if (typeof value !== 'string') return undefined;
  const clean = cleanText(value.slice(0, maxLength * SLACK).toWellFormed())
    .replace(INVISIBLE, '')
    .replace(LIKE_SOURCE, '(')
    .replace(/\s+/g, ' ')
    .trim();
  if (clean === '') return undefined;
  return clean.length <= maxLength
    ? clean
    : `${clean
        .slice(0, maxLength - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')
        .trimEnd()}…`;
}

/** Of a CodeableConcept: its text, else the first display, else the first code. */
export function conceptPhrase(concept: unknown, maxLength?: number): string | undefined {
  const codings = listOf(concept, 'coding');
  const first = (name: string) => codings.map((coding) => phraseOf(memberOf(coding, name), maxLength)).find(isThere);
  return phraseOf(memberOf(concept, 'text'), maxLength) ?? first('display') ?? first('code');
}

export function quantityPhrase(quantity: unknown): string | undefined {
  const value = memberOf(quantity, 'value');
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  const unit = phraseOf(memberOf(quantity, 'unit'), 40) ?? phraseOf(memberOf(quantity, 'code'), 40);
  const comparator = textOf(quantity, 'comparator');
  const sign = comparator !== undefined && ['<', '<=', '>=', '>'].includes(comparator) ? `${comparator} ` : '';
  return `${sign}${value}${unit === undefined ? '' : ` ${unit}`}`;
}

const DATE = /^(?!0000)\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?(?=T|$)/;
const MINUTE = /^(\d{4}-\d\d-\d\d)T([01]\d:[0-5]\d|2[0-3]:[0-5]\d)(?::[0-5]\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/;

/** The day, or as much of it as is known. */
export function datePhrase(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 40 ? DATE.exec(value)?.[0] : undefined;
}

/** Day and minute, as the EHR wrote them: `2026-11-21 09:30 -06:00`. */
export function momentPhrase(value: unknown): string | undefined {
  const day = datePhrase(value);
  const match = day === undefined || typeof value !== 'string' ? undefined : MINUTE.exec(value);
  if (!match) return day;
  const [, , time, zone] = match;
  return [day, time, zone === 'Z' ? 'UTC' : zone].filter(isThere).join(' ');
}

export function isThere<T>(value: T | undefined): value is T {
  return value !== undefined;
}
