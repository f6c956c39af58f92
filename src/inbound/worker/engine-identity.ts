// The permanent id of a data folder. A process that starts with the id knows which runs the folder's previous process left unfinished. A
// copied folder has the id of its original, whose process may be running: then this process works under a random id.
import { randomUUID } from 'node:crypto';
import { readOrMakeSecret } from '../../platform/secret-file.ts';
import type { EngineNames } from '../../ports/engine-names.ts';
import type { Queue } from '../../ports/queue.ts';

export type EngineIdentity = {
  /** False: another running process uses the id. */
  readonly isOurs: boolean;
  /** The name that this process writes to the runs that it claims. */
  readonly holder: string;
  /** How many runs of the previous process were released. */
  readonly leftBehind: number;
  /** Call it when this process works on no run any more. */
  readonly release: () => Promise<void>;
};

type IdentityParts = {
  readonly idFile: string;
  readonly engineNames: EngineNames;
  readonly queue: Pick<Queue, 'reclaim'>;
};

/** The database decides which process may use the id: it is shared by all processes that could have the same id. */
export async function claimEngineIdentity({ idFile, engineNames, queue }: IdentityParts): Promise<EngineIdentity> {
  const id = await readEngineId(idFile);
  const taken = await engineNames.claim(id);
  if (taken === undefined) {
    return { isOurs: false, holder: `${randomUUID()}/${randomUUID()}`, leftBehind: 0, release: async () => undefined };
  }
  const leftBehind = await queue.reclaim(id);
  return { isOurs: true, holder: `${id}/${randomUUID()}`, leftBehind, release: taken.release };
}

async function readEngineId(path: string): Promise<string> {
  const id = (await readOrMakeSecret({ path, make: () => randomUUID() })).trim();
  if (/^[0-9a-f-]{36}$/.test(id)) return id;
  throw new Error(
    `${path} must contain one id of the form 00000000-0000-0000-0000-000000000000; delete the file to get a new id`,
  );
}
