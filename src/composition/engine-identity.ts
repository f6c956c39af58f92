// What this folder of data is called, for ever: whoever starts on it knows which runs its own former process left behind. A folder that was
// copied has the name of its original, which may be at work: then its runs are its own, and this process goes by another name.
import { randomUUID } from 'node:crypto';
import { readOrMakeSecret } from '../platform/secret-file.ts';
import type { EngineNames } from '../ports/engine-names.ts';
import type { Queue } from '../ports/queue.ts';

export type EngineIdentity = {
  /** False: another living process has the name. */
  readonly isOurs: boolean;
  /** What this process writes beside the runs that it works on. */
  readonly holder: string;
  /** How many runs of a former process are free now. */
  readonly leftBehind: number;
  /** Once this process works on nothing any more. */
  readonly release: () => Promise<void>;
};

type IdentityParts = {
  readonly idFile: string;
  readonly engineNames: EngineNames;
  readonly queue: Pick<Queue, 'takeOver'>;
};

/** The database, not the folder, says who is alive: it is the one thing that all who could have the same name share. */
export async function claimEngineIdentity({ idFile, engineNames, queue }: IdentityParts): Promise<EngineIdentity> {
  const id = await readEngineId(idFile);
  const taken = await engineNames.take(id);
  if (taken === undefined) {
    return { isOurs: false, holder: `${randomUUID()}/${randomUUID()}`, leftBehind: 0, release: async () => undefined };
  }
  const leftBehind = await queue.takeOver(id);
  return { isOurs: true, holder: `${id}/${randomUUID()}`, leftBehind, release: taken.giveBack };
}

async function readEngineId(path: string): Promise<string> {
  const id = (await readOrMakeSecret({ path, make: () => randomUUID() })).trim();
  if (/^[0-9a-f-]{36}$/.test(id)) return id;
  throw new Error(
    `${path} must hold one id of the form 00000000-0000-0000-0000-000000000000; remove it, and it is made anew`,
  );
}
