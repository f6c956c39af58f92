// Follows `extends` from folder to folder. A chain that cannot be followed to its end is a problem at the line that breaks it.
import type { Problem } from '../../domain/mapping/mapping.ts';
import { didYouMean } from '../../mapping/mapping.ts';
import type { ParsedFolder } from './parse-folders.ts';

const MAX_FOLDERS = 10;
const TARGET = /^(profiles\/)?[a-z0-9][a-z0-9-]*$/;

export type Chain = {
  /** The folder itself, then the folders it extends, nearest first, as far as the chain could be followed. */
  readonly folders: readonly ParsedFolder[];
  readonly problem?: Problem;
};

export function followExtends(folder: ParsedFolder, all: ReadonlyMap<string, ParsedFolder>): Chain {
  const folders: ParsedFolder[] = [folder];
  for (let last = folder; last.extends !== undefined; ) {
    const { target, place } = last.extends;
    const next = all.get(target);
    if (next === undefined) return { folders, problem: { place, message: unknownTarget(target, all) } };
    const names = [...folders.map(({ name }) => name), target];
    if (folders.includes(next)) {
      const circle = names.slice(names.indexOf(target)).join(' → ');
      return { folders, problem: { place, message: `extends goes in a circle: ${circle}` } };
    }
    if (folders.length === MAX_FOLDERS) {
      const message = `more than ${MAX_FOLDERS} folders extend one another: ${names[0]} → … → ${target}`;
      return { folders, problem: { place, message } };
    }
    folders.push(next);
    last = next;
  }
  return { folders };
}

function unknownTarget(target: string, all: ReadonlyMap<string, ParsedFolder>): string {
  if (!TARGET.test(target))
    return 'extends names a folder beside this one, as in base, or of profiles, as in profiles/us-core';
  const profile = `profiles/${target}`;
  const hint = all.has(profile) ? `; did you mean ${profile}?` : didYouMean(target, all.keys());
  return `there is no folder ${target} to extend${hint}`;
}
