// Makes text of a chart safe for one line of a history: it cannot start a new line, hide characters, or imitate a source. The words stay
// unchanged; long texts are shortened.
import { cleanText } from '../clean-text.ts';
import { listOf, memberOf, textOf } from '../raw-members.ts';

const MAX_PHRASE = 200;
/** A text is cut to this multiple before it is cleaned, since cleaning a megabyte for one line would be slow. */
const SLACK = 4;

// Characters without width: they serve only to hide text.
const INVISIBLE = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2060-\u2064\u206a-\u206f\u{e0000}-\u{e007f}]/gu;
/** Only the history itself may write a source such as `[Condition/3]`. */
const LIKE_SOURCE = /\[(?=\s*[A-Za-z]+\/)/g;

/** Undefined if no text is left. */
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

/** The text of a CodeableConcept, or its first display, or its first code. */
export function conceptPhrase(concept: unknown, maxLength?: number): string | undefined {
  const codings = listOf(concept, 'coding');
  const first = (name: string) => codings.map((coding) => phraseOf(memberOf(coding, name), maxLength)).find(isDefined);
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

/** The date, as precise as it was recorded. */
export function datePhrase(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 40 ? DATE.exec(value)?.[0] : undefined;
}

/** Date and minute with the offset of the EHR: `2026-11-21 09:30 -06:00`. */
export function momentPhrase(value: unknown): string | undefined {
  const day = datePhrase(value);
  const match = day === undefined || typeof value !== 'string' ? undefined : MINUTE.exec(value);
  if (!match) return day;
  const [, , time, zone] = match;
  return [day, time, zone === 'Z' ? 'UTC' : zone].filter(isDefined).join(' ');
}

export function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}
