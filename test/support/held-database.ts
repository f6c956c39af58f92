// Holds the start of an embedded database for as long as a test wants: the server reads its settings from a pipe, and waits there.
import { execFile } from 'node:child_process';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type HeldStart = {
  /** Resolves when a server has begun to start, and waits. */
  readonly reached: Promise<void>;
  /** Lets it and all later ones start; waits for one that has to come yet. */
  readonly release: () => Promise<void>;
};

/** Call it while the server of the cluster runs: the next start is held. */
export async function holdNextStart(cluster: string): Promise<HeldStart> {
  const settings = join(cluster, 'postgresql.auto.conf');
  const pipe = `${settings}.pipe`;
  const kept = `${settings}.kept`;
  await rename(settings, kept);
  await run('mkfifo', ['-m', '644', pipe]);
  await rename(pipe, settings);
  // A pipe can be opened for writing once a process reads it.
  const writing = open(settings, 'w');
  return {
    reached: writing.then(() => undefined),
    async release() {
      const writer = await writing;
      await rename(kept, settings);
      await writer.close();
    },
  };
}
