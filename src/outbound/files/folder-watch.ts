// Reports changes in folders. The report is a hint: some file systems have no events, and there may be more folders than the system can
// watch. The caller therefore also polls from time to time.
import { type FSWatcher, watch } from 'node:fs';

export type FolderWatch = {
  /**
   * Watches these folders and no others. With `isAnew`, folders that seem to be watched are watched again, because a folder may have been
   * replaced. Returns true if a folder was not watched before.
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
      // A folder that does not exist or cannot be watched is only polled.
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
