import { describe, expect, it } from '@jest/globals';
import { type MappingsSource, readMappingsSource, shownDirectory } from '../../../src/outbound/files/folder-files.ts';
import { aMappingsDirectory, MERCY } from './mappings-directory.ts';

const FILE_COUNT = 60;

/** Returns the number in each file, in the order in which the files are written. */
function numbersIn({ folders }: MappingsSource): readonly number[] {
  const files = folders[0]?.files;
  return Array.from({ length: FILE_COUNT }, (_, index) => {
    const bytes = files?.get(`d${String(index).padStart(2, '0')}.yaml`)?.bytes;
    return Number(Buffer.from(bytes ?? '').toString());
  });
}

describe('The files of a mappings directory', () => {
  it('are read in the state of one moment, or the result says that they were not', async () => {
    await using made = await aMappingsDirectory({ 'mercy/site.yaml': MERCY });
    const where = { directory: made.directory, shown: 'mappings' };
    let isWriting = true;
    let round = 0;
    const writing = (async () => {
      // The files are written one after another. At each moment, those up to some file hold the number of this round, and the rest that
      // of the last.
      for (; isWriting; round++) {
        for (let index = 0; index < FILE_COUNT; index++) {
          await made.replace(`mercy/d${String(index).padStart(2, '0')}.yaml`, String(round));
        }
      }
    })();
    let unsettledCount = 0;
    for (let count = 0; count < 40; count++) {
      const source = await readMappingsSource(where);
      if (!source.isSettled) unsettledCount += 1;
      const numbers = numbersIn(source).filter((number) => Number.isFinite(number));
      if (source.isSettled) expect(numbers).toEqual(numbers.toSorted((one, other) => other - one));
    }
    isWriting = false;
    await writing;
    expect(unsettledCount).toBeGreaterThan(0);
    const last = await readMappingsSource(where);
    expect(last.isSettled).toBe(true);
    expect(new Set(numbersIn(last))).toEqual(new Set([round - 1]));
  });

  it.each([
    ['mappings', 'mappings'],
    ['./mappings/', 'mappings'],
    ['../shared/mappings', '../shared/mappings'],
    ['/etc/chartwright/mappings', 'mappings'],
  ])('in %s are shown below %s', (directory, shown) => {
    expect(shownDirectory(directory)).toBe(shown);
  });
});
