// A folder in memory for the temporary files of a run: its databases, brokers and engines make and remove several hundred thousand small
// files, at which a disk is many times slower. Linux only, and only where there is much room.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = '/dev/shm/chartwright-tests';
/** Far more than a run needs. A container often has 64 MB there. */
const ENOUGH_BYTES = 8 * 1_073_741_824;
/** Longer than a run may take. */
const OLD_MS = 2 * 3_600_000;
const OURS = 'chartwright-';
/** Servers of a run that was killed: the next run ends them, and removes their files itself. */
const OF_SERVERS = 'chartwright-test-';

/** Undefined if the temporary files have to be on the disk. */
export function openMemoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(path.dirname(FOLDER));
    if (bavail * bsize < ENOUGH_BYTES) return undefined;
    mkdirSync(FOLDER, { recursive: true });
    // As in /tmp: the database of root runs as another user.
    chmodSync(FOLDER, 0o1777);
    removeOld();
    return mayExecute() ? FOLDER : undefined;
  } catch {
    return undefined;
  }
}

/** A run that was killed leaves its files, and here they take memory. */
function removeOld(): void {
  for (const name of readdirSync(FOLDER)) {
    const file = path.join(FOLDER, name);
    const ageMs = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    const isOurs = name.startsWith(OURS) && !name.startsWith(OF_SERVERS);
    if (isOurs && ageMs > OLD_MS) rmSync(file, { recursive: true, force: true });
  }
}

/** Some tests start programs that they have copied, which a file system can forbid. */
function mayExecute(): boolean {
  const program = path.join(FOLDER, `try-${process.pid}`);
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}
