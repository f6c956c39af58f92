// Reads the environment variables of the command line, the file of sign-ins and the operator's key file: the engine's address and its keys.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { memberOf } from '../../domain/raw-members.ts';
import { CliError } from './cli-error.ts';
import { loginsFile, readLogin } from './logins.ts';

export type Settings = {
  /** Address of the engine, without a slash at the end. */
  readonly baseUrl: string;
  /** The file with the sessions of `login`; undefined if this user has no folder for settings. */
  readonly loginsFile: string | undefined;
  /**
   * What is sent to the engine: a service token, else the session of `login`, else the operator's key. It is read when it is needed, so that
   * `--help` works without one.
   */
  readonly readKey: () => Promise<OpsKey>;
  /** The reviewer's key; what `readKey` finds if none is set. */
  readonly readReviewerKey: () => Promise<OpsKey>;
};

export type OpsKey = {
  readonly key: string;
  /** Where the key came from, for messages. */
  readonly source: string;
};

export const REVIEWER_KEY = 'CHARTWRIGHT_REVIEWER_KEY';
export const SERVICE_TOKEN = 'CHARTWRIGHT_TOKEN';
/** The source of a session. */
export const LOGIN = 'login';

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws a CliError if the address is not valid. An empty variable counts as not set. */
export function readSettings(environment: Environment, now = () => new Date()): Settings {
  const given = (name: string) => environment[name]?.trim() || undefined;
  const baseUrl = findEngine(given);
  const file = loginsFile(given);
  const readKey = async (): Promise<OpsKey> =>
    findToken(given) ?? (await findLogin({ file, baseUrl, now: now() })) ?? findOperatorKey(given);
  return {
    baseUrl,
    loginsFile: file,
    readKey,
    readReviewerKey: async () => findReviewerKey(given) ?? readKey(),
  };
}

type ReadVariable = (name: string) => string | undefined;

function findEngine(given: ReadVariable): string {
  const url = given('CHARTWRIGHT_URL');
  if (url !== undefined) return checkUrl(url);
  const port = given('PORT') ?? '3000';
  if (port === '0') {
    throw new CliError('PORT is 0: the engine chose a free port. Set CHARTWRIGHT_URL to the address that it printed.');
  }
  return checkUrl(`http://${reachable(given('HOST') ?? '127.0.0.1')}:${port}`);
}

/** An engine that listens on all addresses is reached on this machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::' || host === '[::]') return '[::1]';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

function checkUrl(text: string): string {
  const url = URL.parse(text);
  const isUsable = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '';
  if (!isUsable) {
    throw new CliError('The engine’s address is not valid. Set CHARTWRIGHT_URL to one like http://127.0.0.1:3000.');
  }
  return url.href.replace(/\/+$/, '');
}

async function findOperatorKey(given: ReadVariable): Promise<OpsKey> {
  const key = given('OPERATOR_KEY');
  if (key !== undefined) return checkKey({ key, source: 'OPERATOR_KEY' });
  const file = join(given('DATA_DIR') ?? '.data', 'operator.key');
  try {
    return checkKey({ key: (await readFile(file, 'utf8')).trim(), source: file });
  } catch (thrown) {
    throw thrown instanceof CliError ? thrown : new CliError(explainKeyFile(file, thrown), { cause: thrown });
  }
}

function findReviewerKey(given: ReadVariable): OpsKey | undefined {
  const key = given(REVIEWER_KEY);
  if (key === undefined || isSendable(key)) return key === undefined ? undefined : { key, source: REVIEWER_KEY };
  throw new CliError(`${REVIEWER_KEY} does not hold a reviewer’s key: a key begins with rv_ and is one line.`);
}

function findToken(given: ReadVariable): OpsKey | undefined {
  const key = given(SERVICE_TOKEN);
  if (key === undefined || isSendable(key)) return key === undefined ? undefined : { key, source: SERVICE_TOKEN };
  throw new CliError(`${SERVICE_TOKEN} does not hold a token: a token begins with st_ and is one line.`);
}

type LoginPlace = { readonly file: string | undefined; readonly baseUrl: string; readonly now: Date };

async function findLogin({ file, baseUrl, now }: LoginPlace): Promise<OpsKey | undefined> {
  const login = await readLogin(file, baseUrl);
  if (login === undefined) return undefined;
  if (Date.parse(login.expiresAt) > now.getTime()) return { key: login.token, source: LOGIN };
  throw new CliError(sessionEnded(baseUrl));
}

export function sessionEnded(baseUrl: string): string {
  return `Your session at ${baseUrl} has ended: sign in again: npm run cli -- login`;
}

function isSendable(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key);
}

/** A key that no header can carry would fail much later, with a misleading message. */
function checkKey(found: OpsKey): OpsKey {
  if (isSendable(found.key)) return found;
  throw new CliError(
    `${found.source} does not hold an operator key: a key is one line of 32 or more printable characters.`,
  );
}

function explainKeyFile(file: string, thrown: unknown): string {
  const code = memberOf(thrown, 'code');
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return `There is no operator key at ${file}. The engine creates it at its first start (npm start); run this in the same folder, or set DATA_DIR or OPERATOR_KEY.`;
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return `This user may not read the operator key at ${file}. Run this as the engine’s user, or set OPERATOR_KEY.`;
  }
  return `The operator key at ${file} cannot be read. Set OPERATOR_KEY, or DATA_DIR to the folder of the engine.`;
}
