// Keeps the sessions of `login` in a file of the user's, one for each engine. No other user may read the file: each session is as good as its person.
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { memberOf } from '../../domain/raw-members.ts';
import { CliError } from './cli-error.ts';

export type Login = {
  readonly token: string;
  /** ISO time at which it ends at the latest. */
  readonly expiresAt: string;
};

type ReadVariable = (name: string) => string | undefined;

const OTHERS = 0o077;

/** Undefined if there is no folder for settings of this user. */
export function loginsFile(given: ReadVariable): string | undefined {
  const home = given('HOME') ?? given('USERPROFILE');
  const folder = given('XDG_CONFIG_HOME') ?? (home === undefined ? undefined : join(home, '.config'));
  return folder === undefined ? undefined : join(folder, 'chartwright', 'logins.json');
}

/** Throws a CliError if others can read the file, or if it is damaged. */
export async function readLogin(file: string | undefined, baseUrl: string): Promise<Login | undefined> {
  return file === undefined ? undefined : (await readLogins(file)).get(baseUrl);
}

export async function writeLogin(file: string, baseUrl: string, login: Login): Promise<void> {
  const logins = await readLogins(file);
  await store(file, logins.set(baseUrl, login));
}

/** False if there was none. */
export async function removeLogin(file: string, baseUrl: string): Promise<boolean> {
  const logins = await readLogins(file);
  if (!logins.delete(baseUrl)) return false;
  await (logins.size === 0 ? rm(file) : store(file, logins));
  return true;
}

async function readLogins(file: string): Promise<Map<string, Login>> {
  try {
    const { mode } = await stat(file);
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0) throw new CliError(openToOthers(file));
    const entries = Object.entries(JSON.parse(await readFile(file, 'utf8')));
    return new Map(entries.filter((entry): entry is [string, Login] => isLogin(entry[1])));
  } catch (thrown) {
    if (memberOf(thrown, 'code') === 'ENOENT' || memberOf(thrown, 'code') === 'ENOTDIR') return new Map();
    if (thrown instanceof CliError) throw thrown;
    const why = `The file of your sign-ins, ${file}, cannot be read. Delete it and sign in again: npm run cli -- login`;
    throw new CliError(why, { cause: thrown });
  }
}

function openToOthers(file: string): string {
  return `Others on this machine can read your sign-ins in ${file}: run chmod 600 ${file}. If others may have read them, end your sessions: npm run cli -- logout --everywhere`;
}

function isLogin(value: unknown): value is Login {
  return typeof memberOf(value, 'token') === 'string' && typeof memberOf(value, 'expiresAt') === 'string';
}

/** A reader never sees half a file, and the file is never readable to others, not even for a moment. */
async function store(file: string, logins: ReadonlyMap<string, Login>): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(Object.fromEntries(logins), null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(temporary, file);
}
