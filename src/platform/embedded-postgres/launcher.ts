// How PostgreSQL's programs are run, since they refuse root: as they are, within a user namespace, or as another user.
// It must not change the owner of existing files.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROBE_TIMEOUT_MS = 5000;
const MAX_OUTPUT_BYTES = 1_048_576;

export type WayToRun = 'direct' | 'namespace' | 'unprivileged';

export type Account = { readonly name: string; readonly uid: number; readonly gid: number };

export type Launcher = {
  readonly way: WayToRun;
  /** Whose the files must be, as seen from outside of any namespace. */
  readonly owner: Pick<Account, 'uid' | 'gid'>;
  readonly accountName: string | undefined;
  readonly command: (
    program: string,
    args: readonly string[],
  ) => {
    readonly file: string;
    readonly args: readonly string[];
    readonly options: Partial<Pick<Account, 'uid' | 'gid'>>;
  };
};

/** The first way that works here: root uses a user namespace if the system allows it, else another user. */
export async function chooseLauncher(postgres: string, forced?: WayToRun): Promise<Launcher> {
  const isRoot = process.getuid?.() === 0;
  if (forced === 'direct' || (!isRoot && forced === undefined)) return directLauncher();
  const account = await findAccount();
  if (forced === 'unprivileged') return unprivilegedLauncher(account);
  const namespaced = namespaceLauncher(account);
  if (forced === 'namespace') return namespaced;
  const works = await readVersion(namespaced, postgres).then(
    () => true,
    () => false,
  );
  return works ? namespaced : unprivilegedLauncher(account);
}

/** Runs a program to its end. It gets only the environment variables that it needs: no keys of the engine. */
export async function runProgram(
  launcher: Launcher,
  program: string,
  args: readonly string[],
  timeoutMs: number,
): Promise<string> {
  const command = launcher.command(program, args);
  const { stdout } = await run(command.file, command.args, {
    ...command.options,
    cwd: '/',
    env: childEnvironment(),
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return stdout;
}

/** The version, such as `18.4`. Throws if the program cannot be run in this way. */
export async function readVersion(launcher: Launcher, postgres: string): Promise<string> {
  const answer = await runProgram(launcher, postgres, ['--version'], PROBE_TIMEOUT_MS);
  const version = /(\d+\.\d+)/.exec(answer)?.[1];
  if (version === undefined) throw new Error('PostgreSQL did not tell its version.');
  return version;
}

export function childEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

function ownIdentity(): Pick<Account, 'uid' | 'gid'> {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

function directLauncher(): Launcher {
  return {
    way: 'direct',
    owner: ownIdentity(),
    accountName: undefined,
    command: (program, args) => ({ file: program, args, options: {} }),
  };
}

/** Within the namespace root is called by another name; outside nothing changes, so root's own folders stay reachable. */
function namespaceLauncher(account: Account): Launcher {
  const mapping = ['--user', `--map-user=${account.uid}`, `--map-group=${account.gid}`, '--'];
  return {
    way: 'namespace',
    owner: ownIdentity(),
    accountName: undefined,
    command: (program, args) => ({ file: 'unshare', args: [...mapping, program, ...args], options: {} }),
  };
}

function unprivilegedLauncher(account: Account): Launcher {
  return {
    way: 'unprivileged',
    owner: account,
    accountName: account.name,
    command: (program, args) => ({ file: program, args, options: { uid: account.uid, gid: account.gid } }),
  };
}

/** It has to be a user whom the system knows: initdb looks its own name up. */
async function findAccount(): Promise<Account> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n');
  const accounts = lines.flatMap(parseAccount).filter((account) => account.uid !== 0);
  const account = accounts.find(({ name }) => /^nobody$/.test(name)) ?? accounts[0];
  if (account) return account;
  throw new Error(
    'PostgreSQL does not run as root, and this system has no other user: start the engine as one, or set DATABASE_URL.',
  );
}

function parseAccount(line: string): Account[] {
  const [, name, uid, gid] = /^([^:#]+):[^:]*:(-?\d+):(-?\d+):/.exec(line) ?? [];
  // Some systems write the highest numbers as negative ones.
  return name === undefined ? [] : [{ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }];
}
