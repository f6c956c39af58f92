// The text on stdout once the engine is ready, for the person who started it.
import { isRules, whyRunsWait } from './domain/site/engine-choice.ts';
import { isUnencryptedRemote } from './domain/site/plain-address.ts';
import type { Reasoner } from './ports/reasoner.ts';
import type { SitesSnapshot } from './ports/sites.ts';
import type { Speech } from './ports/speech.ts';
import type { Verifier } from './ports/verifier.ts';

type StartupMessageParts = {
  readonly version: string;
  readonly publicUrl: string;
  readonly reasoner: Reasoner;
  readonly speech: Speech;
  readonly verifier: Verifier | undefined;
  readonly sites: SitesSnapshot;
  readonly databaseIs: string;
  readonly databaseNote: string | undefined;
  /** Rows and next commands of an extension. */
  readonly extra: {
    readonly rows: readonly (readonly [name: string, text: string])[];
    readonly next?: { readonly title: string; readonly commands: readonly string[] };
  };
  /** Undefined if the environment has the key. */
  readonly operatorKeyPlace: string | undefined;
  /** How the person runs the command line: `npm run cli --` or `chartwright`. */
  readonly command: string;
};

const RULES = 'rules over readable knowledge, no language model; not a medical device';
const HOW_TO_SET_A_MODEL = 'for a model set OPENAI_API_KEY or OPENAI_BASE_URL, and start again';
const KNOWN_SPEECH = 'knows the recordings of the sandbox, and no others';
const HOW_TO_SET_SPEECH = 'for others set DEEPGRAM_API_KEY or DEEPGRAM_BASE_URL, and start again';

export function startupMessage(parts: StartupMessageParts): string {
  const {
    version,
    publicUrl,
    reasoner,
    verifier,
    speech,
    sites,
    extra,
    databaseIs,
    databaseNote,
    operatorKeyPlace,
    command,
  } = parts;
  const siteNames = [
    ...[...sites.sites.values()].map(({ name, settings }) => `${name} (${settings.mode})`),
    ...[...sites.unavailable].map((name) => `${name} (not in force: ${command} mappings check)`),
  ];
  const [firstSites = `none yet: ${command} mappings new my-hospital --from plain-r4`, ...furtherSites] =
    inLines(siteNames);
  const lines = [
    ['REST interface', publicUrl],
    ['Documentation', `${publicUrl}/docs`],
    ...reasonerLines(reasoner.engine),
    ...(verifier === undefined ? [] : [['Second check', verifier.engine] as const]),
    ...speechLines(speech.engine),
    ['Sites', firstSites],
    ...furtherSites.map((line) => ['', line] as const),
    ...plainHttpLines(sites),
    ...waitingLines(sites, reasoner.engine),
    ...extra.rows,
    ['Database', databaseIs],
    ...(databaseNote === undefined ? [] : [['', databaseNote]]),
    ['Operator key', operatorKeyPlace ?? 'as OPERATOR_KEY gives it'],
    ['First API key', `${command} keys create --organization my-clinic`],
    ['Stop', 'Ctrl-C'],
  ];
  // Counted from the start of the process, so that loading is included.
  const seconds = (performance.now() / 1000).toFixed(1);
  const rows = lines.map(([name = '', text = '']) => `  ${name.padEnd(16)}${text}`);
  const { next } = extra;
  const nextLines = next && ['', `  ${next.title}`, ...next.commands.map((one) => `    ${command} ${one}`)];
  return ['', `Chartwright ${version} is ready after ${seconds} s.`, ...rows, ...(nextLines ?? []), '', ''].join('\n');
}

/** The built-in speech recognition knows the recordings of the sandbox only, so the message says how to set another one. */
function speechLines(engine: string | undefined): readonly (readonly [string, string])[] {
  if (engine === undefined || !isRules(engine)) return [['Speech', engine ?? 'none']];
  return [
    ['Speech', `${engine}: ${KNOWN_SPEECH}`],
    ['', HOW_TO_SET_SPEECH],
  ];
}

const LINE_WIDTH = 80;

/** Joins names with commas, as many in each line as fit. */
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

/** Repeats a warning of the log here, where it is read earlier. */
function plainHttpLines({ sites }: SitesSnapshot): readonly (readonly [string, string])[] {
  const plain = [...sites.values()].filter(({ settings }) => isUnencryptedRemote(settings.ehr?.baseUrl ?? ''));
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

/** Runs of such sites wait without a failure, and nothing is written, so the message has to name them. */
function waitingLines({ sites }: SitesSnapshot, engine: string): readonly (readonly [string, string])[] {
  const waiting = [...sites.values()].filter(({ settings }) => whyRunsWait(engine, settings) !== undefined);
  if (waiting.length === 0) return [];
  const names = inLines(waiting.map(({ name }) => name));
  return [
    ['', 'whose runs wait for another reasoner (engines in site.yaml):'],
    ...names.map((line) => ['', line] as const),
  ];
}
