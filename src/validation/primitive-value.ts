// Checks values of the primitive types of FHIR R4: formats, real calendar dates, ranges; and every text: no control characters, no
// halves of characters, not too long, not empty.

/** FHIR's limit for a string. */
const MAX_STRING = 1_048_576;

const YEAR = '(?!0000)[0-9]{4}';
const DATE = `${YEAR}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?)?`;
const DAY = `${YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])`;
const TIME = '(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\\.[0-9]{1,9})?';
const ZONE = '(?:Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))';

type Format = { readonly pattern: RegExp; readonly wanted: string };

const FORMATS: Readonly<Record<string, Format>> = {
  date: { pattern: new RegExp(`^${DATE}$`), wanted: 'a date, such as 2026-01-31' },
  dateTime: {
    pattern: new RegExp(`^(?:${DATE}|${DAY}T${TIME}${ZONE})$`),
    wanted: 'a dateTime: a date, or with seconds and a time zone as 2026-01-31T09:30:00Z; instant() makes one',
  },
  instant: {
    pattern: new RegExp(`^${DAY}T${TIME}${ZONE}$`),
    wanted: 'an instant with seconds and a time zone, such as 2026-01-31T09:30:00Z; instant() makes one',
  },
  time: { pattern: new RegExp(`^${TIME}$`), wanted: 'a time without a zone, such as 09:30:00' },
  code: { pattern: /^\S+(?: \S+)*$/, wanted: 'a code: no spaces around it, no two in a row' },
  id: { pattern: /^[A-Za-z0-9\-.]{1,64}$/, wanted: 'an id: up to 64 letters, digits, - and .' },
  uri: { pattern: /^\S+$/, wanted: 'a URI: no spaces in it' },
  url: { pattern: /^\S+$/, wanted: 'a URL: no spaces in it' },
  canonical: { pattern: /^\S+$/, wanted: 'a canonical URL: no spaces in it' },
  oid: { pattern: /^urn:oid:[0-2](?:\.(?:0|[1-9][0-9]*))+$/, wanted: 'an OID, such as urn:oid:1.2.3' },
  uuid: {
    pattern: /^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    wanted: 'a UUID in lower case, as urn:uuid:…',
  },
};

/** Lowest and highest. */
const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  integer: [-2_147_483_648, 2_147_483_647],
  unsignedInt: [0, 2_147_483_647],
  positiveInt: [1, 2_147_483_647],
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/;
const TURNS_DIRECTION = /[\u202a-\u202e\u2066-\u2069]/;
const DATED = new Set(['date', 'dateTime', 'instant']);

/** What is wrong, as the end of a sentence about the element. */
export function primitiveProblem(type: string, value: unknown): string | undefined {
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (type === 'decimal' || type in RANGES) return numberProblem(type, value);
  if (typeof value !== 'string') return 'must be a string';
  return textProblem(type, value) ?? formatProblem(type, value);
}

/** A warning about a value that FHIR allows. */
export function primitiveWarning(type: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (TURNS_DIRECTION.test(value)) return 'has characters that turn the direction of the text that follows';
  if (type === 'xhtml' && value.length > MAX_STRING) return 'is longer than 1 MiB: some servers will refuse it';
  return undefined;
}

function numberProblem(type: string, value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
  const [lowest, highest] = RANGES[type] ?? [-Infinity, Infinity];
  if (type !== 'decimal' && !Number.isInteger(value)) return 'must be a whole number';
  return value < lowest || value > highest ? `must be between ${lowest} and ${highest}` : undefined;
}

function textProblem(type: string, text: string): string | undefined {
  if (text.trim() === '') return 'is empty; leave the element out';
  if (type !== 'base64Binary' && type !== 'xhtml' && text.length > MAX_STRING) return 'is longer than 1 MiB';
  if (CONTROL.test(text)) return 'has control characters';
  return text.isWellFormed() ? undefined : 'has half a character (an unpaired surrogate)';
}

function formatProblem(type: string, text: string): string | undefined {
  if (type === 'base64Binary') return isBase64(text) ? undefined : 'is not base64; base64() makes it';
  const format = FORMATS[type];
  if (format === undefined) return undefined;
  if (!format.pattern.test(text)) return `is not ${format.wanted}`;
  return DATED.has(type) && !isRealDate(text) ? 'is a date that no calendar has' : undefined;
}

/** The text may have tens of megabytes, so no regular expression here may backtrack. */
function isBase64(text: string): boolean {
  const padding = text.endsWith('==') ? 2 : Number(text.endsWith('='));
  return text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.slice(0, text.length - padding));
}

function isRealDate(text: string): boolean {
  if (text.length < 10) return true;
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  const date = new Date(0);
  // Date.UTC takes the years 0 to 99 for those of the last century.
  date.setUTCFullYear(year, month, 0);
  return day <= date.getUTCDate();
}
