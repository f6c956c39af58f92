// Where the engine is, and what opens it: the few variables that the command line reads, and the operator's key file.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from './cli-error.ts';

export type Settings = {
  /** Where the engine is, without a slash at the end. */
  readonly baseUrl: string;
  /** Read when it is needed: `--help` works without. */
  readonly readOperatorKey: () => Promise<OperatorKey>;
  /** Of whoever reviews; the operator's, where there is no such key: the sandbox takes it. */
  readonly readReviewerKey: () => Promise<OperatorKey>;
};

export type OperatorKey = {
  readonly key: string;
  /** For messages: where it came from. */
  readonly source: string;
};

export const REVIEWER_KEY = 'CHARTWRIGHT_REVIEWER_KEY';

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws a CliError where the address cannot be one. An empty variable counts as not set. */
export function readSettings(environment: Environment): Settings {
  const given = (name: string) => environment[name]?.trim() || undefined;
  return {
    baseUrl: findEngine(given),
    readOperatorKey: () => findOperatorKey(given),
    readReviewerKey: () => findReviewerKey(given),
  };
}

type Given = (name: string) => string | undefined;

function findEngine(given: Given): string {
  const url = given('CHARTWRIGHT_URL');
  if (url !== undefined) return checkUrl(url);
  const port = given('PORT') ?? '3000';
  if (port === '0') {
    throw new CliError('PORT is 0: the engine chose a free port. Set CHARTWRIGHT_URL to the address that it printed.');
  }
  return checkUrl(`http://${reachable(given('HOST') ?? '127.0.0.1')}:${port}`);
}

/** An engine that listens everywhere is reached on this machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::' || host === '[::]') return '[::1]';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

function checkUrl(text: string): string {
  const url = URL.parse(text);
  const isUsable = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '';
  if (!isUsable) {
    throw new CliError('The engine’s address cannot be used. Set CHARTWRIGHT_URL to one like http://127.0.0.1:3000.');
  }
  return url.href.replace(/\/+$/, '');
}

async function findOperatorKey(given: Given): Promise<OperatorKey> {
  const key = given('OPERATOR_KEY');
  if (key !== undefined) return checkKey({ key, source: 'OPERATOR_KEY' });
  const file = join(given('DATA_DIR') ?? '.data', 'operator.key');
  try {
    return checkKey({ key: (await readFile(file, 'utf8')).trim(), source: file });
  } catch (thrown) {
    throw thrown instanceof CliError ? thrown : new CliError(explainKeyFile(file, thrown), { cause: thrown });
  }
}

async function findReviewerKey(given: Given): Promise<OperatorKey> {
  const key = given(REVIEWER_KEY);
  if (key === undefined) return findOperatorKey(given);
  if (/^[\x21-\x7e]+$/.test(key)) return { key, source: REVIEWER_KEY };
  throw new CliError(`What is in ${REVIEWER_KEY} is no key of a reviewer: one begins with rv_ and is one line.`);
}

/** What no header can carry would fail much later, with words that point elsewhere. */
function checkKey(found: OperatorKey): OperatorKey {
  if (/^[\x21-\x7e]+$/.test(found.key)) return found;
  throw new CliError(
    `What is in ${found.source} is no operator key: one is 32 or more printable characters in one line.`,
  );
}

function explainKeyFile(file: string, thrown: unknown): string {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return `There is no operator key at ${file}. The engine makes it at its first start (npm start); run this in the same folder, or set DATA_DIR or OPERATOR_KEY.`;
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return `The operator key at ${file} may not be read by this user. Run this as the user of the engine, or set OPERATOR_KEY.`;
  }
  return `The operator key at ${file} cannot be read. Set OPERATOR_KEY, or DATA_DIR to the folder of the engine.`;
}
