// What every store of official codes promises.
import { describe, expect, it } from '@jest/globals';
import type { OfficialCode } from '../../src/domain/coding/official-codes.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { CodeLists, NewCodeList } from '../../src/ports/codes.ts';

const FIRST: readonly OfficialCode[] = [
  { code: 'J18', display: 'Pneumonia, unspecified organism', isBillable: false },
  { code: 'J18.9', display: 'Pneumonia, unspecified organism', isBillable: true },
];

async function* aList(batches: readonly (readonly OfficialCode[])[], version = '2026'): NewCodeList['batches'] {
  yield* batches;
  return { version, sha256: 'a'.repeat(64) };
}

export function codeListsContract(
  name: string,
  makeSubject: () => Promise<{ readonly codes: CodeLists; readonly other: CodeLists }>,
): void {
  describe(`the official codes of ${name}`, () => {
    it('are found by system and code with the version of their list, also by another engine', async () => {
      const { codes, other } = await makeSubject();
      expect(await codes.find('icd-10-cm', ['J18.9'])).toBeUndefined();
      const list = await codes.replace({ system: 'icd-10-cm', batches: aList([FIRST]) });
      expect(list).toEqual({
        system: 'icd-10-cm',
        version: '2026',
        count: 2,
        categories: 1,
        importedAt: expect.any(Date),
        sha256: 'a'.repeat(64),
      });
      const found = {
        system: 'icd-10-cm',
        version: '2026',
        displays: { 'J18.9': 'Pneumonia, unspecified organism' },
      };
      expect(await codes.find('icd-10-cm', ['J18.9', 'Z99.Z'])).toEqual(found);
      expect(await other.find('icd-10-cm', ['J18.9', 'Z99.Z'])).toEqual(found);
      expect(await codes.find('icd-10-cm', [])).toEqual({ ...found, displays: {} });
      expect(await codes.find('icd-10', ['J18.9'])).toBeUndefined();
      expect(await other.list()).toEqual([list]);
    });

    it('are replaced as a whole: a code that the new list does not have is gone', async () => {
      const { codes, other } = await makeSubject();
      await codes.replace({ system: 'icd-10', batches: aList([FIRST]) });
      const second = [{ code: 'J18.8', display: 'Other pneumonia, organism unspecified' }];
      await codes.replace({ system: 'icd-10', batches: aList([second, FIRST.slice(0, 1)], '2027') });
      expect(await other.find('icd-10', ['J18', 'J18.8', 'J18.9'])).toEqual({
        system: 'icd-10',
        version: '2027',
        displays: { J18: 'Pneumonia, unspecified organism', 'J18.8': 'Other pneumonia, organism unspecified' },
      });
      expect(await codes.list()).toMatchObject([{ system: 'icd-10', version: '2027', count: 2 }]);
    });

    it('stay as they were when the new list breaks off, also after its first codes', async () => {
      const { codes } = await makeSubject();
      await codes.replace({ system: 'cie-10-es', batches: aList([FIRST]) });
      async function* cut(): NewCodeList['batches'] {
        yield [{ code: 'A00', display: 'Cólera' }];
        throw new AppError('cancelled', 'The client closed the connection');
      }
      await expect(codes.replace({ system: 'cie-10-es', batches: cut() })).rejects.toMatchObject({ code: 'cancelled' });
      expect(await codes.find('cie-10-es', ['A00', 'J18'])).toMatchObject({
        displays: { J18: 'Pneumonia, unspecified organism' },
      });
      expect(await codes.list()).toMatchObject([{ system: 'cie-10-es', count: 2 }]);
    });

    it('are imported one list at a time, and an import that was refused leaves the other alone', async () => {
      const { codes, other } = await makeSubject();
      const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      async function* slow(): NewCodeList['batches'] {
        yield FIRST;
        begun.resolve();
        await released.promise;
        return { version: '2026', sha256: 'b'.repeat(64) };
      }
      const first = codes.replace({ system: 'icd-10-cm', batches: slow() });
      await begun.promise;
      const refused = other.replace({ system: 'icd-10', batches: aList([FIRST]) });
      await expect(refused).rejects.toMatchObject({ code: 'inUse' });
      expect(await other.find('icd-10-cm', ['J18'])).toBeUndefined();
      released.resolve();
      expect(await first).toMatchObject({ count: 2 });
      expect(await other.list()).toMatchObject([{ system: 'icd-10-cm' }]);
    });

    it('are named for a diagnosis by all lists that have the code', async () => {
      const { codes } = await makeSubject();
      await codes.replace({ system: 'icd-10-cm', batches: aList([FIRST]) });
      await codes.replace({
        system: 'cie-10-es',
        batches: aList([[{ code: 'J18.9', display: 'Neumonía, no especificada' }]]),
      });
      const found = await codes.displays(['J18.9', 'J18', 'Z99.Z']);
      expect(found).toEqual(
        new Map([
          ['J18.9', ['Neumonía, no especificada', 'Pneumonia, unspecified organism']],
          ['J18', ['Pneumonia, unspecified organism']],
        ]),
      );
    });
  });
}
