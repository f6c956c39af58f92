// Cleans text from outside for FHIR strings and narratives: it removes control characters except tab and line ends, unpaired surrogates and
// characters that reverse the reading direction. The words stay unchanged.

// Characters that FHIR strings and XML 1.0 forbid, and Unicode's directional formatting: an override that is never closed would reverse the
// digits of a dose.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
const REMOVED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff\ufeff]/g;

// FHIR's JSON schema allows four kinds of white space; Unicode has many more.
const LINE_ENDS = /\r\n?|[\u2028\u2029]/g;
const OTHER_SPACES = /[^\S \n\t]/g;

// A fast test: most texts have none of these characters.
const UNSURE = /[^\t\n -~\u00a1-\u167f\u2010-\u2027\u2030-\u205e]/;

export function cleanText(text: string): string {
  if (!UNSURE.test(text)) return text;
  return text.replace(LINE_ENDS, '\n').replace(REMOVED, '').replace(OTHER_SPACES, ' ').toWellFormed();
}

/** Cleans every text inside of a value. */
export function cleanTexts<T>(value: T): T {
  return clean(value) as T;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, clean(inner)]));
}
