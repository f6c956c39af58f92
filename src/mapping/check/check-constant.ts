// Checks a constant against its FHIR type: formats of dates, codes and addresses, and the codes of a required binding.
import { didYouMean } from '../suggest.ts';
import { type FhirCodes, fhirR4 } from './fhir-r4.ts';
import { lastName } from './target-slot.ts';

type Format = { readonly pattern: RegExp; readonly hint: string };

const ADDRESS: Format = { pattern: /^\S+$/, hint: 'it has no spaces' };
const ZONE = '(?:Z|[+-](?:0\\d|1[0-4]):[0-5]\\d)';
const DAY = '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])';
const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?';
const PARTIAL_DATE = `\\d{4}|\\d{4}-(?:0[1-9]|1[0-2])|${DAY}`;

const FORMATS = new Map<string, Format>([
  ['date', { pattern: whole(PARTIAL_DATE), hint: 'write it like 2026-11-21' }],
  [
    'dateTime',
    { pattern: whole(`${PARTIAL_DATE}|${DAY}T${TIME}${ZONE}`), hint: 'write it like 2026-11-21T09:30:00-06:00' },
  ],
  ['instant', { pattern: whole(`${DAY}T${TIME}${ZONE}`), hint: 'write it like 2026-11-21T09:30:00-06:00' }],
  ['time', { pattern: whole(TIME), hint: 'write it like 09:30:00' }],
  ['code', { pattern: /^\S+(?: \S+)*$/, hint: 'it has no spaces around it' }],
  ['id', { pattern: /^[A-Za-z0-9.-]{1,64}$/, hint: 'it has letters, digits, - and ., at most 64' }],
  ['oid', { pattern: /^urn:oid:[0-2](?:\.(?:0|[1-9]\d*))+$/, hint: 'write it like urn:oid:1.2.3' }],
  [
    'uuid',
    { pattern: /^urn:uuid:[0-9a-fA-F-]{36}$/, hint: 'write it like urn:uuid:c757873d-ec9a-4326-a141-556f43239520' },
  ],
  ['uri', ADDRESS],
  ['url', ADDRESS],
  ['canonical', ADDRESS],
  [
    'base64Binary',
    {
      pattern: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
      hint: "write {{ 'text'.base64() }}",
    },
  ],
  [
    'xhtml',
    {
      pattern: /^<div (?=[^>]*xmlns="http:\/\/www\.w3\.org\/1999\/xhtml")[^>]*>.*<\/div>$/s,
      hint: "write {{ 'text'.xhtml() }}",
    },
  ],
  ['string', { pattern: /\S/, hint: 'an empty text is left out' }],
  ['markdown', { pattern: /\S/, hint: 'an empty text is left out' }],
]);

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}

type Value = string | number | boolean;

/** Returns what is wrong with a value of the right kind; undefined if it is valid. */
export function constantProblem(value: Value, type: string, path: string): string | undefined {
  if (typeof value === 'number') return numberProblem(value, type, path);
  const format = FORMATS.get(type);
  if (typeof value !== 'string' || format === undefined) return undefined;
  if (format.pattern.test(value) && !(value.includes('-') && isNoDay(value, type))) return undefined;
  return `${lastName(path)}: ${shown(value)} is no ${type}: ${format.hint}`;
}

function numberProblem(value: number, type: string, path: string): string | undefined {
  if (!fhirR4().isA(type, 'integer')) return undefined;
  const least = type === 'positiveInt' ? 1 : type === 'unsignedInt' ? 0 : -(2 ** 31);
  if (Number.isInteger(value) && value >= least && value < 2 ** 31) return undefined;
  return `${lastName(path)}: ${value} is no ${type}${Number.isInteger(value) ? '' : ': it is a whole number'}`;
}

/** 30 February */
function isNoDay(value: string, type: string): boolean {
  if (!['date', 'dateTime', 'instant'].includes(type)) return false;
  const [year = 0, month = 1, day = 1] = value.slice(0, 10).split('-').map(Number);
  return day > new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** All codes that may be written here, in any code system. */
export function allCodes(codes: FhirCodes): readonly string[] {
  return Object.values(codes).flat();
}

/** `status: finl is none of preliminary | final | amended | entered-in-error` */
export function codeProblem(code: string, codes: readonly string[], path: string): string | undefined {
  if (codes.includes(code)) return undefined;
  const all = codes.length <= 12 ? codes.join(' | ') : `its ${codes.length} codes${didYouMean(code, codes)}`;
  return `${lastName(path)}: ${shown(code)} is none of ${all}`;
}

function shown(text: string): string {
  if (text.trim() === '') return 'an empty text';
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
