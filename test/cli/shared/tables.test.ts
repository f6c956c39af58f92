import { describe, expect, it } from '@jest/globals';
import { readableTime, renderTable } from '../../../src/cli/shared/tables.ts';

type Row = { readonly name: string; readonly count?: number };
const columns = { NAME: (row: Row) => row.name, COUNT: (row: Row) => row.count };

describe('A table', () => {
  it('aligns its columns, names to the left and numbers to the right', () => {
    const rows = [{ name: 'Clínica São João', count: 7 }, { name: 'x', count: 12_345 }, { name: 'none' }];
    expect(renderTable(rows, columns).split('\n')).toEqual([
      'NAME               COUNT',
      'Clínica São João       7',
      'x                 12,345',
      'none                   -',
      '',
    ]);
  });

  it('replaces control characters in names', () => {
    expect(renderTable([{ name: 'a\u001b[2Jb\u202Ec', count: 1 }], columns)).toContain('a�[2Jb�c');
  });

  it('shows times to the minute', () => {
    expect(readableTime('2026-11-21T08:30:59.123Z')).toBe('2026-11-21 08:30');
    expect(readableTime(undefined)).toBeUndefined();
  });
});
