// Tells when something happens in folders. It is a hint and no promise: some file systems have no events, and there may be more
// folders than the system watches. Whoever uses it also looks by himself from time to time.
import { type FSWatcher, watch } from 'node:fs';

export type FolderWatch = {
  /**
   * Watches these and no others. `isAnew`: also those that seem to be watched, since their folder may be another one
   * now. True where there is one that was not watched before.
   */
  readonly follow: (folders: readonly string[], options?: { readonly isAnew: boolean }) => boolean;
  readonly close: () => void;
};

export function watchFolders(onEvent: () => void): FolderWatch {
  const watchers = new Map<string, FSWatcher>();
  const drop = (folder: string) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  const add = (folder: string) => {
    try {
      const watcher = watch(folder, { persistent: false }, () => onEvent());
      watcher.on('error', () => drop(folder));
      watchers.set(folder, watcher);
    } catch {
      // It is not there, or cannot be watched: then it is only looked at.
    }
  };
  return {
    follow(folders, { isAnew } = { isAnew: false }) {
      const wanted = new Set(folders);
      for (const folder of [...watchers.keys()]) if (isAnew || !wanted.has(folder)) drop(folder);
      const added = folders.filter((folder) => !watchers.has(folder));
      for (const folder of added) add(folder);
      return added.some((folder) => watchers.has(folder));
    },
    close() {
      for (const folder of [...watchers.keys()]) drop(folder);
    },
  };
}
