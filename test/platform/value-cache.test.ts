import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { cached } from '../../src/platform/value-cache.ts';

const root = mkdtempSync(path.join(tmpdir(), 'chartwright-cache-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
const aFolder = (): string => {
  folders += 1;
  return path.join(root, String(folders));
};

describe('The cache of one value', () => {
  const counted = (folder: string | undefined) => {
    let made = 0;
    const get = (key: string) =>
      cached({
        name: 'value',
        key,
        make: () => {
          made += 1;
          return new Map([[key, Number.POSITIVE_INFINITY]]);
        },
        folder,
      });
    return { get, made: () => made };
  };

  it('makes the value once for each change of the key', () => {
    const { get, made } = counted(aFolder());
    expect([get('a'), get('a')]).toEqual(Array(2).fill(new Map([['a', Number.POSITIVE_INFINITY]])));
    expect(made()).toBe(1);
    expect(get('b')).toEqual(new Map([['b', Number.POSITIVE_INFINITY]]));
    expect(made()).toBe(2);
  });

  it('keeps values of different names beside each other', () => {
    const folder = aFolder();
    const get = (name: string) => cached({ name, key: 'a', make: () => name, folder });
    expect([get('one'), get('two'), get('one')]).toEqual(['one', 'two', 'one']);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it('makes the value again if the file is damaged', () => {
    const folder = aFolder();
    const { get, made } = counted(folder);
    get('a');
    const [name = ''] = readdirSync(folder);
    const file = path.join(folder, name);
    writeFileSync(file, readFileSync(file).subarray(0, 40));
    expect(get('a')).toEqual(new Map([['a', Number.POSITIVE_INFINITY]]));
    expect(made()).toBe(2);
  });

  it.each([
    ['no folder', () => undefined],
    [
      'a folder that cannot be written',
      () => {
        const file = aFolder();
        writeFileSync(file, '');
        return path.join(file, 'below-a-file');
      },
    ],
  ])('makes the value each time if there is %s', (_, folder) => {
    const { get, made } = counted(folder());
    expect(get('a')).toEqual(get('a'));
    expect(made()).toBe(2);
  });
});
