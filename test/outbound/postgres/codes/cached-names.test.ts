// The official names of codes are read once for the moments in which one diagnosis needs them.
import { describe, expect, it } from '@jest/globals';
import { makeCachedNames } from '../../../../src/outbound/postgres/codes/cached-names.ts';
import type { NewCodeList } from '../../../../src/ports/codes.ts';
import { makeFakeCodeLists } from '../../../fakes/code-lists.ts';
import { makeFakeRuntime } from '../../../fakes/runtime.ts';

async function* aList(display: string): NewCodeList['batches'] {
  yield [{ code: 'J18.9', display }];
  return { version: '2026', sha256: 'a'.repeat(64) };
}

function setUp() {
  const runtime = makeFakeRuntime();
  const lists = makeFakeCodeLists();
  const asked: (readonly string[])[] = [];
  let isAway = false;
  const codes = makeCachedNames({
    codes: {
      ...lists,
      displays: (wanted) => {
        asked.push(wanted);
        return isAway ? Promise.reject(new Error('The database cannot be reached')) : lists.displays(wanted);
      },
    },
    runtime,
  });
  return { runtime, lists, codes, asked, goAway: (is: boolean) => (isAway = is) };
}

describe('the cached official names', () => {
  it('are read once for several questions about the same codes, and again for other codes and after a second', async () => {
    const { runtime, codes, asked } = setUp();
    await codes.replace({ system: 'icd-10', batches: aList('Pneumonia, unspecified organism') });
    const names = new Map([['J18.9', ['Pneumonia, unspecified organism']]]);
    expect(await codes.displays(['J18.9'])).toEqual(names);
    expect(await codes.displays(['J18.9'])).toEqual(names);
    await codes.displays(['J18.9', 'A00']);
    runtime.advance(1_000);
    await codes.displays(['J18.9']);
    expect(asked).toEqual([['J18.9'], ['J18.9', 'A00'], ['J18.9']]);
  });

  it('are those of a list at once that this engine imports, and within a second those of another one', async () => {
    const { runtime, lists, codes } = setUp();
    expect(await codes.displays(['J18.9'])).toEqual(new Map());
    await codes.replace({ system: 'icd-10', batches: aList('Pneumonia') });
    expect(await codes.displays(['J18.9'])).toEqual(new Map([['J18.9', ['Pneumonia']]]));
    await lists.replace({ system: 'icd-10', batches: aList('Neumonía') });
    runtime.advance(1_000);
    expect(await codes.displays(['J18.9'])).toEqual(new Map([['J18.9', ['Neumonía']]]));
    expect(await codes.find('icd-10', ['J18.9'])).toMatchObject({ displays: { 'J18.9': 'Neumonía' } });
  });

  it('are asked for again after a failure', async () => {
    const { codes, goAway } = setUp();
    goAway(true);
    await expect(codes.displays(['J18.9'])).rejects.toThrow('The database cannot be reached');
    goAway(false);
    expect(await codes.displays(['J18.9'])).toEqual(new Map());
  });
});
