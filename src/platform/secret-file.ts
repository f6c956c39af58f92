// A secret that is made at the first start and read at every later one. It is on disk whole or not at all, and only its
// owner may read it; it must never change once it has been handed out.
import { randomUUID } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isNativeError } from 'node:util/types';

const OWNER_ONLY = 0o600;
const MAX_BYTES = 65_536;

type SecretFileParts = {
  readonly path: string;
  /** Called only if the file is absent. */
  readonly make: () => string;
};

/** Two processes that create it at once get the same secret. Throws an Error for the operator if the file is no secret. */
export async function readOrMakeSecret({ path, make }: SecretFileParts): Promise<string> {
  const known = await readSecret(path);
  if (known !== undefined) return known;
  await writeOnce(path, make());
  const made = await readSecret(path);
  if (made === undefined) throw new Error(`The file ${path} vanished while it was being made.`);
  return made;
}

/** Undefined if there is no such file. */
export async function readSecret(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(ignoreAbsent);
  if (!found) return undefined;
  if (!found.isFile() || found.size > MAX_BYTES) throw new Error(`${path} is not a file with a secret.`);
  if ((found.mode & 0o077) !== 0) await chmod(path, OWNER_ONLY);
  const secret = (await readFile(path, 'utf8')).trim();
  if (secret === '') {
    throw new Error(`The file ${path} is empty. Put the secret back, or delete the file to have a new one made.`);
  }
  return secret;
}

async function writeOnce(path: string, secret: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = `${path}.new-${randomUUID()}`;
  try {
    await writeDurably(temporary, `${secret}\n`);
    await link(temporary, path);
    await syncFolder(folder);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Waits for the disk: data encrypted with a key that a power failure destroyed would be lost. */
async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', OWNER_ONLY);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function ignoreAbsent(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error;
}

export function hasCode(error: unknown, code: string): boolean {
  return isNativeError(error) && 'code' in error && error.code === code;
}
