// Text that came from outside, made fit for a FHIR string and a narrative: no control characters but tab and line ends, no
// halves of characters, nothing that turns the direction of what comes after it. The words stay as they are.

// What FHIR's string and XML 1.0 forbid, and the explicit directional formatting of Unicode (an override that is never closed
// would reverse the digits of a dose).
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const REMOVED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff\ufeff]/g;

// FHIR's JSON schema knows four kinds of white space in a text, and Unicode many more.
const LINE_ENDS = /\r\n?|[\u2028\u2029]/g;
const OTHER_SPACES = /[^\S \n\t]/g;

// Most texts have none of all that, and one look tells.
const UNSURE = /[^\t\n -~\u00a1-\u167f\u2010-\u2027\u2030-\u205e]/;

export function cleanText(text: string): string {
  if (!UNSURE.test(text)) return text;
  return text.replace(LINE_ENDS, '\n').replace(REMOVED, '').replace(OTHER_SPACES, ' ').toWellFormed();
}

/** The same, for every text inside. */
export function cleanTexts<T>(value: T): T {
  return clean(value) as T;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, clean(inner)]));
}
