// What the person who started the engine reads when it is ready.
import { isRules, whyRunsWait } from './domain/site/engine-choice.ts';
import { isPlainAbroad } from './domain/site/plain-address.ts';
import type { Reasoner } from './ports/reasoner.ts';
import type { SitesSnapshot } from './ports/sites.ts';
import type { Speech } from './ports/speech.ts';

type StartupMessageParts = {
  readonly version: string;
  readonly publicUrl: string;
  readonly reasoner: Reasoner;
  readonly speech: Speech;
  readonly sites: SitesSnapshot;
  readonly databaseIs: string;
  readonly databaseNote: string | undefined;
  /** Where the sandbox's FHIR server is; undefined where there is none. */
  readonly sandbox: { readonly baseUrl: string } | undefined;
  /** Undefined where the environment gives the key. */
  readonly operatorKeyPlace: string | undefined;
};

const RULES = 'rules over readable knowledge, no language model; not a medical device';
const HOW_TO_SET_A_MODEL = 'for a model set OPENAI_API_KEY or OPENAI_BASE_URL, and start again';
const NO_SITE = 'none yet: npm run cli -- mappings new my-hospital --from plain-r4';
const KNOWN_SPEECH = 'knows the recordings of the sandbox, and no others';
const HOW_TO_SET_SPEECH = 'for others set DEEPGRAM_API_KEY or DEEPGRAM_BASE_URL, and start again';
const FIRST_VISIT = 'en-chest-pressure';

export function startupMessage(parts: StartupMessageParts): string {
  const { version, publicUrl, reasoner, speech, sites, sandbox, databaseIs, databaseNote, operatorKeyPlace } = parts;
  const siteNames = [
    ...[...sites.sites.values()].map(({ name, settings }) => `${name} (${settings.mode})`),
    ...[...sites.unavailable].map((name) => `${name} (not in force: npm run cli -- mappings check)`),
  ];
  const [firstSites = NO_SITE, ...furtherSites] = inLines(siteNames);
  const lines = [
    ['REST interface', publicUrl],
    ['Documentation', `${publicUrl}/docs`],
    ...reasonerLines(reasoner.engine),
    ...speechLines(speech.engine),
    ['Sites', firstSites],
    ...furtherSites.map((line) => ['', line] as const),
    ...plainHttpLines(sites),
    ...waitingLines(sites, reasoner.engine),
    ...(sandbox === undefined ? [] : [['Sandbox', `${sandbox.baseUrl}: made-up patients and their charts`]]),
    ['Database', databaseIs],
    ...(databaseNote === undefined ? [] : [['', databaseNote]]),
    ['Operator key', operatorKeyPlace ?? 'as OPERATOR_KEY gives it'],
    ['First API key', 'npm run cli -- keys create --organization my-clinic'],
    ['Stop', 'Ctrl-C'],
  ];
  // Since the process began, with the time that it took to load.
  const seconds = (performance.now() / 1000).toFixed(1);
  const rows = lines.map(([name = '', text = '']) => `  ${name.padEnd(16)}${text}`);
  const next = sandbox === undefined ? [] : ['', ...NEXT];
  return ['', `Chartwright ${version} is ready after ${seconds} s.`, ...rows, ...next, '', ''].join('\n');
}

const NEXT = [
  '  See an encounter become a chart entry, in another terminal:',
  `    npm run cli -- sandbox finish ${FIRST_VISIT}`,
  `    npm run cli -- sandbox show ${FIRST_VISIT}`,
];

/** The one that comes with the engine is good for nothing else. */
function speechLines(engine: string | undefined): readonly (readonly [string, string])[] {
  if (engine === undefined || !isRules(engine)) return [['Speech', engine ?? 'nobody']];
  return [
    ['Speech', `${engine}: ${KNOWN_SPEECH}`],
    ['', HOW_TO_SET_SPEECH],
  ];
}

const LINE_WIDTH = 80;

/** With commas between them, as many to a line as fit. */
function inLines(names: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const [index, name] of names.entries()) {
    const text = index === names.length - 1 ? name : `${name},`;
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + text.length <= LINE_WIDTH) lines.splice(-1, 1, `${last} ${text}`);
    else lines.push(text);
  }
  return lines;
}

/** A warning that only stands in a log is read too late. */
function plainHttpLines({ sites }: SitesSnapshot): readonly (readonly [string, string])[] {
  const plain = [...sites.values()].filter(({ settings }) => isPlainAbroad(settings.ehr?.baseUrl ?? ''));
  if (plain.length === 0) return [];
  return [['', `by plain http, in the open: ${plain.map(({ name }) => name).join(', ')} (ehr.baseUrl)`]];
}

function reasonerLines(engine: string): readonly (readonly [string, string])[] {
  if (!isRules(engine)) return [['Reasoner', engine]];
  return [
    ['Reasoner', `${engine}: ${RULES}`],
    ['', HOW_TO_SET_A_MODEL],
  ];
}

/** Nothing would fail there, and nothing would be written. */
function waitingLines({ sites }: SitesSnapshot, engine: string): readonly (readonly [string, string])[] {
  const waiting = [...sites.values()].filter(({ settings }) => whyRunsWait(engine, settings) !== undefined);
  if (waiting.length === 0) return [];
  const names = inLines(waiting.map(({ name }) => name));
  return [
    ['', 'whose runs wait for another reasoner (engines in site.yaml):'],
    ...names.map((line) => ['', line] as const),
  ];
}
