// What every keeper of engines' names promises: a name is one living process's.
import { describe, expect, it } from '@jest/globals';
import type { EngineNames } from '../../src/ports/engine-names.ts';
import { untilFound } from '../support/until.ts';

type Subject = {
  readonly one: EngineNames;
  /** Of another engine at the same database. */
  readonly other: EngineNames;
  readonly close: () => Promise<void>;
};

export function engineNamesContract(name: string, makeSubject: () => Promise<Subject>): void {
  describe(`the name of an engine, in ${name}`, () => {
    it('is had by one at a time, and by the next when it is given back', async () => {
      const { one, other, close } = await makeSubject();
      const taken = await one.claim('testbed-1');
      expect(taken).toBeDefined();
      expect([await other.claim('testbed-1'), await one.claim('testbed-1')]).toEqual([undefined, undefined]);
      await taken?.release();
      const next = await untilFound(() => other.claim('testbed-1'));
      // The earlier holder has nothing to release any more.
      await taken?.release();
      expect(await one.claim('testbed-1')).toBeUndefined();
      await next.release();
      await close();
    });

    it('does not keep another process from claiming another name', async () => {
      const { one, other, close } = await makeSubject();
      const both = [await one.claim('testbed-1'), await other.claim('testbed-2')];
      expect(both).not.toContain(undefined);
      for (const taken of both) await taken?.release();
      await close();
    });
  });
}
