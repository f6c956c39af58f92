// What every store of released encounters promises.
import { describe, expect, it } from '@jest/globals';
import type { Releases } from '../../src/ports/releases.ts';

export function releasesContract(name: string, makeSubject: () => Promise<Releases>): void {
  const one = { site: 'mercy', encounter: 'Encounter/1', patient: 'Patient/1' };

  describe(`the released encounters of ${name}`, () => {
    it('has a session that was released, and no other one of its encounter', async () => {
      const releases = await makeSubject();
      expect(await releases.has({ ...one, session: 's-1' })).toBe(false);
      await releases.add({ ...one, session: 's-1' });
      await releases.add({ ...one, session: 's-1' });
      expect(await releases.has({ ...one, session: 's-1' })).toBe(true);
      expect(await releases.has({ ...one, session: 's-2' })).toBe(false);
      expect(await releases.has(one)).toBe(false);
    });

    it('has each session of an encounter that was released as a whole, and of no other encounter, site or patient', async () => {
      const releases = await makeSubject();
      await releases.add(one);
      expect(await releases.has({ ...one, session: 's-2' })).toBe(true);
      expect(await releases.has(one)).toBe(true);
      expect(await releases.has({ ...one, encounter: 'Encounter/2' })).toBe(false);
      expect(await releases.has({ ...one, site: 'general' })).toBe(false);
      expect(await releases.has({ ...one, patient: 'Patient/2' })).toBe(false);
    });
  });
}
