// The released encounters, in memory.
import { present } from '../../src/domain/present.ts';
import type { ReleasedEncounter, Releases } from '../../src/ports/releases.ts';

export function makeFakeReleases(): Releases {
  const released = new Set<string>();
  const nameOf = ({ site, encounter, patient, session = '' }: ReleasedEncounter) =>
    JSON.stringify([site, encounter, patient, session]);
  return {
    add: async (one) => void released.add(nameOf(one)),
    has: async ({ session, ...encounter }) =>
      released.has(nameOf(encounter)) || released.has(nameOf(present({ ...encounter, session }))),
  };
}
