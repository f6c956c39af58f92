// The schema of site.yaml: every setting with its allowed values.
import { BASE_DOCUMENTS } from '../../domain/chart/chart.ts';
import { LIKELY_CONDITIONS } from '../../domain/chart/likely-conditions.ts';
import { LANGUAGES } from '../../domain/language.ts';
import { DOUBTFUL_VERDICTS, POLICY_ACTIONS } from '../../domain/note/check-policy.ts';
import { STATEMENT_KINDS } from '../../domain/note/check-report.ts';
import { nearestNoteType } from '../../domain/note/nearest-note-type.ts';
import { NOTE_TYPES, TEMPLATE_NAMES } from '../../domain/note/template.ts';
import { SIGNATURE_ALGORITHMS } from '../../domain/people/signature-algorithms.ts';
import type { WriteSettings } from '../../domain/site/site.ts';
import { didYouMean } from '../../mapping/mapping.ts';
import { DURATION_FORM, parseDuration } from './durations.ts';
import { constantOrExpression, expression, expressionNameMistake } from './setting-expressions.ts';
import {
  duration,
  group,
  groupBy,
  isText,
  listOf,
  matching,
  needed,
  oneOf,
  pathsOf,
  probability,
  type Read,
  recordOf,
  type Setting,
  text,
  wholeNumber,
  writtenOut,
  wrong,
} from './settings-reader.ts';

/** A name in `write` or `%codes`: the stem of a file. */
const documentName = text((value) =>
  /^[a-z0-9][a-z0-9-]*$/.test(value)
    ? undefined
    : `is the name of a mapping, as in composition${didYouMeanDocument(value)}`,
);
const uri = matching(/^[a-z][a-z0-9+.-]*:\S+$/i, 'a URI, as in urn:oid:1.2.3');
const reference = matching(/^Organization\/[A-Za-z0-9.-]{1,64}$/, 'a reference, as in Organization/1');
const day = matching(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, 'a day, as in 2026-11-30');
/** Hours such as "Mon-Fri 07:00-19:00". */
const hours = matching(
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)(-(Mon|Tue|Wed|Thu|Fri|Sat|Sun))? ([01]\d|2[0-3]):[0-5]\d-(([01]\d|2[0-3]):[0-5]\d|24:00)$/,
  'days and times, as in Mon-Fri 07:00-19:00',
);

/** Suggests a document for a name written as a file or in FHIR's spelling. Only names of the base are repeated, because the value may be secret. */
function didYouMeanDocument(value: string): string {
  const name = value
    .replace(/\.(ya?ml|json)$/i, '')
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-')
    .toLowerCase();
  const same = BASE_DOCUMENTS.find((document) => document === name);
  return same === undefined ? didYouMean(name, BASE_DOCUMENTS) : `; did you mean ${same}?`;
}

/** Messages do not repeat the address, because it may contain a secret. */
function address({ mayHaveUser = false, mayHaveQuery = false } = {}) {
  return text((value) => {
    const url = URL.parse(value);
    if (url === null || !/^https?:$/.test(url.protocol)) return 'is an address that begins with https:// or http://';
    if (!mayHaveUser && (url.username !== '' || url.password !== '')) {
      return 'must not hold a user or a password; ehr.auth is for them';
    }
    return !mayHaveQuery && /[?#]/.test(value) ? 'must not have a ? or # part' : undefined;
  });
}

/** The origin of another server. Origins are compared as a whole, so there is no path. */
const origin = text((value) => {
  const url = URL.parse(value);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.origin === value;
  return isOrigin ? undefined : 'is the origin of a server, as in https://media.example.org';
});

/** Messages do not repeat it: the address of a webhook may contain a secret. */
const mailOrWebhook = text((value) => {
  const isMail = /^[^\s@<>,;:"]{1,64}@[^\s@<>,;:"]{1,190}$/.test(value);
  const isWebhook = URL.parse(value)?.protocol === 'https:';
  return isMail || isWebhook ? undefined : 'is a mail address, or an address that begins with https://';
});

const region = text((value) => {
  const country = countryOf(value.toUpperCase());
  if (country === value) return undefined;
  const hint = country === undefined ? '' : `; did you mean ${country}?`;
  return `is a country by its two capital letters in ISO 3166, as in US or ES${hint}`;
});

const COUNTRIES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Returns the current code: GB for UK. */
function countryOf(code: string): string | undefined {
  if (!/^[A-Z]{2}$/.test(code)) return undefined;
  const { region: current = code } = new Intl.Locale(`und-${code}`);
  return COUNTRIES.of(current) === undefined ? undefined : current;
}

const timeZone = text((value) => {
  if (isTimeZone(value)) return undefined;
  return `is a time zone of the IANA list, as in America/Chicago${didYouMean(value, Intl.supportedValuesOf('timeZone'))}`;
});

/** Node also accepts offsets, which have no daylight saving time. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

const recordingGroup = text((value) => {
  const isGood = value === 'encounter' || value === 'recording' || parseDuration(/^gap:(.*)$/.exec(value)?.[1] ?? '');
  return isGood ? undefined : `is encounter, recording, or gap: with ${DURATION_FORM}, as in gap:30m`;
});

const noteTypeNames = [...NOTE_TYPES, ...TEMPLATE_NAMES];
export const TEMPLATE_FILE = /^[a-z0-9][a-z0-9-]*\.md$/;
const noteType = text((value) => {
  if (TEMPLATE_FILE.test(value) || noteTypeNames.some((name) => name === value)) return undefined;
  const options = 'is a note type, a template, or a file with a custom template beside site.yaml, as in knee-clinic.md';
  const meant = nearestNoteType(value);
  return options + (meant === undefined ? didYouMean(value, noteTypeNames) : `; did you mean ${meant}?`);
});

const headerValue = matching(/^[\x20-\x7e\x80-\xff]+$/, 'text without line breaks');
const headerNameMistake = (name: string) =>
  /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) ? undefined : { at: 0, message: `${name} is no name of an HTTP header` };

const tokens = { tokenUrl: address({ mayHaveQuery: true }), scope: text() };
const auth = groupBy('type', {
  none: {},
  basic: { username: needed(text()), password: needed(text()) },
  bearer: { token: needed(text()) },
  'client-credentials': { clientId: needed(text()), clientSecret: needed(text()), ...tokens },
  'backend-services': { clientId: needed(text()), privateKey: needed(text()), kid: text(), ...tokens },
});

const ehr = group({
  baseUrl: address(),
  auth,
  organization: reference,
  maxConcurrentWrites: wholeNumber({ from: 1, to: 100 }),
  headers: recordOf(headerValue, headerNameMistake),
  proxy: address({ mayHaveUser: true }),
  tls: group({ ca: text(), cert: text(), key: text() }),
});

const events = group({
  amqp: group({ exchange: needed(text()), bindings: needed(listOf(text())) }),
  subscription: group({
    kind: needed(oneOf('rest-hook', 'topic', 'none')),
    criteria: text(),
    topic: uri,
    secret: text(),
  }),
  push: group({ secret: needed(text()) }),
  poll: group({ query: needed(text()), every: needed(duration({ fromMs: 1000 })) }),
  expect: group({ atLeastOne: needed(duration({ fromMs: 1000 })), during: hours }),
});

const conditionWords = oneOf('likely', 'always', 'accepted');
const conditionLimits = group({ least: probability, most: wholeNumber({ from: 1, to: 100 }) });

/** Reads a word, or the limits of what is likely; a limit that is left out has its default. */
const conditions: Setting<WriteSettings['conditions']> = (node, name, reading) => {
  if (isText(node)) return conditionWords(node, name, reading);
  if (node.kind === 'map') return { ...LIKELY_CONDITIONS, ...conditionLimits(node, name, reading) };
  return wrong(node, `${name} is likely, always, accepted, or limits, as in { least: 0.1, most: 5 }`, reading);
};

const PROVENANCES = ['document', 'section', 'statement'] as const;
const provenanceWord = text((value) =>
  PROVENANCES.some((one) => one === value)
    ? undefined
    : `is true, false, document, section or statement${didYouMean(value, PROVENANCES)}`,
);

/** Reads true and false, which were the only values once, and words. */
const provenance: Setting<WriteSettings['provenance']> = (node, name, reading) => {
  if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value;
  if (!isText(node)) return wrong(node, `${name} is true, false, document, section or statement`, reading);
  const read = provenanceWord(node, name, reading);
  const word = PROVENANCES.find((one) => one === read);
  return word === 'document' ? true : word;
};

const write = group({
  note: needed(listOf(writtenOut(documentName))),
  diagnosis: needed(listOf(writtenOut(documentName))),
  provenance: needed(provenance),
  conditions: needed(conditions),
  probability: needed(oneOf('number', 'band', 'none')),
  differential: needed(oneOf('resources', 'engine', 'separate-document', 'section')),
  review: needed(oneOf('preliminary', 'hold', 'final')),
  signedWithoutReview: group({
    acceptedBy: needed(text()),
    role: needed(text()),
    date: needed(day),
    until: needed(day),
    reason: needed(text()),
  }),
});

function ofEach<const Name extends string, T>(names: readonly Name[], setting: Setting<T>) {
  return Object.fromEntries(names.map((name) => [name, setting])) as Record<Name, Setting<T>>;
}

const counts = wholeNumber({ from: 0, to: 1000 });

const trueOrFalse: Setting<boolean> = (node, name, reading) =>
  node.kind === 'scalar' && typeof node.value === 'boolean'
    ? node.value
    : wrong(node, `${name} is true or false`, reading);

const launch = group({
  clientId: needed(text()),
  clientSecret: text(),
  privateKey: text(),
  kid: text(),
  issuers: listOf(address()),
  scopes: listOf(matching(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'one scope, as in openid')),
  newReviewers: trueOrFalse,
  frameOrigins: listOf(origin),
  idTokenAlgorithms: listOf(oneOf(...SIGNATURE_ALGORITHMS)),
});

/** Settings with a built-in default are required here, so that readers need no check for absence. */
export const SITE = group({
  extends: text(),
  organization: text((value) => (value.length > 200 ? 'is longer than 200 characters' : undefined)),
  mode: needed(oneOf('off', 'shadow', 'live')),
  region,
  timeZone: needed(timeZone),
  pilot: needed(
    group({
      practitioners: needed(listOf(text())),
      locations: needed(listOf(text())),
      services: needed(listOf(text())),
    }),
  ),
  identifiers: needed(group({ mrn: uri, visit: uri })),
  ehr,
  events: needed(events),
  trigger: needed(expression({ hasBareNames: true })),
  recording: needed(
    group({
      from: needed(listOf(oneOf('DocumentReference', 'Media'))),
      group: needed(recordingGroup),
      settle: needed(duration()),
      wait: needed(duration()),
      late: needed(oneOf('new-session', 'ignore')),
      minSeconds: needed(wholeNumber({ from: 0, to: 3600 })),
      maxHours: needed(wholeNumber({ from: 1, to: 24 })),
      origins: needed(listOf(origin)),
    }),
  ),
  language: needed(
    group({
      speech: needed(constantOrExpression([...LANGUAGES, 'detect'], 'text')),
      note: needed(constantOrExpression(LANGUAGES, 'text')),
      unsupported: needed(oneOf('hold', 'skip')),
    }),
  ),
  noteType: needed(recordOf(writtenOut(noteType), expressionNameMistake)),
  consent: needed(
    group({
      recording: needed(constantOrExpression(['required', 'opt-out', 'by-source'], 'boolean')),
      unknown: needed(oneOf('hold', 'proceed')),
    }),
  ),
  // biome-ignore lint/suspicious/noThenProperty: `then` is the documented key of site.yaml; the object is never awaited
  sensitive: needed(listOf(group({ when: needed(expression()), then: needed(oneOf('hold', 'skip', 'allow')) }))),
  engines: needed(
    group({ allow: needed(listOf(oneOf('vendor', 'builtin'))), reasoner: text(), transcriptOnlyAfter: duration() }),
  ),
  check: needed(
    group({
      maxUnsupported: needed(group(ofEach(STATEMENT_KINDS, counts))),
      policy: group(ofEach(STATEMENT_KINDS, group(ofEach(DOUBTFUL_VERDICTS, oneOf(...POLICY_ACTIONS))))),
    }),
  ),
  write: needed(write),
  upload: needed(group({ identityCheck: needed(oneOf('on', 'off')) })),
  review: needed(group({ by: needed(oneOf('task', 'engine')), remindAfter: duration(), escalateAfter: duration() })),
  privacy: group({ to: needed(mailOrWebhook) }),
  audit: group({ toEhr: needed(trueOrFalse) }),
  launch,
  cds: group({ issuer: needed(text()), jwksUri: needed(address({ mayHaveQuery: true })), audience: address() }),
  attention: group({ after: needed(duration()), to: needed(listOf(oneOf('amqp'))) }),
  codes: needed(group({ diagnosis: oneOf('icd-10-cm', 'icd-10', 'icd-10-es', 'none') })),
});

/** The settings as the schema reads them, before names and units are converted to those of the domain. */
export type ReadSite = Read<typeof SITE>;

/** What hospitals look for in a site's settings, and the engine has elsewhere. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  retention:
    'how long data is stored is set for the whole engine, by the environment: RETENTION_AUDIO_HOURS, RETENTION_RESULTS_DAYS, RETENTION_HELD_DAYS, RETENTION_ASIDE_DAYS, RETENTION_EVENTS_DAYS',
  model:
    'the model is set for the whole engine, by the environment: OPENAI_MODEL; engines.reasoner says which one a site accepts',
};

/** Where a key that is no setting at its place belongs. Undefined: nowhere. */
export function placeOfKey(key: string): string | undefined {
  if (Object.hasOwn(ELSEWHERE, key)) return ELSEWHERE[key];
  const paths = pathsOf(SITE).filter((path) => path.split('.').at(-1) === key);
  return paths.length === 1 ? `it belongs to ${paths[0]}` : undefined;
}
