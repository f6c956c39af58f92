// What this folder of data is called, for ever: whoever starts on it knows which runs its own former process left behind.
import { randomUUID } from 'node:crypto';
import { readOrMakeSecret } from '../platform/secret-file.ts';

export async function readHouseId(path: string): Promise<string> {
  const id = (await readOrMakeSecret({ path, make: () => randomUUID() })).trim();
  if (/^[0-9a-f-]{36}$/.test(id)) return id;
  throw new Error(
    `${path} must hold one id of the form 00000000-0000-0000-0000-000000000000; remove it, and it is made anew`,
  );
}
