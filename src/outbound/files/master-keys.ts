// The master keys of this engine: from its settings, or from files in DATA_DIR. The old file stays beside the new one, for backups.
import { createHash, randomBytes } from 'node:crypto';
import { link, rename } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { hasCode, readOrMakeSecret, readSecret, syncFolder } from '../../platform/secret-file.ts';
import type { MasterKeys } from '../../ports/master-keys.ts';

const KEY_BYTES = 32;

type Parts = {
  /** MASTER_KEY and MASTER_KEY_NEXT. */
  readonly setting: Uint8Array | undefined;
  readonly nextSetting: Uint8Array | undefined;
  /** DATA_DIR */
  readonly folder: string;
};

export function makeMasterKeys({ setting, nextSetting, folder }: Parts): MasterKeys {
  const file = path.join(folder, 'master.key');
  const nextFile = `${file}.next`;
  const readNext = async () => nextSetting ?? (setting === undefined ? readKey(nextFile) : undefined);
  return {
    async read(isBegun) {
      const first = setting ?? (await readOrBegin(file, isBegun));
      const next = await readNext();
      return next === undefined ? [first] : [first, next];
    },

    async next() {
      if (nextSetting !== undefined) return nextSetting;
      if (setting === undefined) return readOrMakeKey(nextFile);
      throw new AppError(
        'conflict',
        'MASTER_KEY is a setting, so the new key has to be one, too: start all engines with the new key as MASTER_KEY_NEXT beside MASTER_KEY, then try again',
      );
    },

    async settle(inForce) {
      if (setting !== undefined || nextSetting !== undefined) return;
      const next = await readKey(nextFile);
      if (next === undefined || !isSame(next, inForce)) return;
      const old = await readKey(file);
      if (old !== undefined) await linkOnce(file, replacedFile(file, old));
      await rename(nextFile, file);
      await syncFolder(folder);
    },

    async remains(inForce) {
      if (nextSetting === undefined || !isSame(nextSetting, inForce)) return undefined;
      return 'Write the value of MASTER_KEY_NEXT into MASTER_KEY of every engine, and remove MASTER_KEY_NEXT.';
    },
  };
}

/** A new key would make all that is stored unreadable: none is made beside a database that was begun with another one. */
async function readOrBegin(file: string, isBegun: () => Promise<boolean>): Promise<Uint8Array> {
  const known = await readKey(file);
  if (known !== undefined) return known;
  if (!(await isBegun())) return readOrMakeKey(file);
  throw new AppError(
    'notConfigured',
    `The master key is missing: there is no ${file}, and the database was begun with another MASTER_KEY than a new one would be. Put the file back from a backup, or give all engines on the database the same MASTER_KEY; without it nothing that is stored can be read.`,
  );
}

async function readOrMakeKey(file: string): Promise<Uint8Array> {
  await readOrMakeSecret({ path: file, make: () => randomBytes(KEY_BYTES).toString('base64') });
  const made = await readKey(file);
  if (made === undefined) throw new AppError('notConfigured', `The file ${file} vanished while it was being made.`);
  return made;
}

async function readKey(file: string): Promise<Uint8Array | undefined> {
  const text = await readSecret(file);
  if (text === undefined) return undefined;
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES) throw new AppError('notConfigured', `${file} must hold 32 bytes in base64`);
  return new Uint8Array(key);
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.from(one).equals(other);
}

/** A name that says nothing of the key, and is the same if this is repeated after a crash. */
function replacedFile(file: string, key: Uint8Array): string {
  return `${file}.replaced-${createHash('sha256').update(key).digest('hex').slice(0, 8)}`;
}

async function linkOnce(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}
