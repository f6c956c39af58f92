import { describe, expect, it } from '@jest/globals';
import { usageCsv } from '../../../../src/inbound/http/ops/usage-csv.ts';

function firstCell(organization: string): string {
  const row = {
    organization,
    key: 'k',
    operation: 'diagnose',
    requests: 1,
    failures: 0,
    cancelled: 0,
    audioSeconds: 0,
    aiMs: 0,
    durationMs: 0,
  } as const;
  return usageCsv([row])
    .split('\r\n')
    .slice(1)
    .join('\r\n')
    .replace(/,k,diagnose,.*\r\n$/, '');
}

describe('a cell of the usage CSV', () => {
  it.each([
    ['mercy', 'mercy'],
    ['Mercy, General', '"Mercy, General"'],
    ['the "best"', '"the ""best"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['  =1', "'  =1"],
    ['＝1', "'＝1"],
    ["=cmd|' /C calc'!A0, x", `"'=cmd|' /C calc'!A0, x"`],
    ['St. Mary-Ann', 'St. Mary-Ann'],
  ])('%j is written as %j', (given, written) => {
    expect(firstCell(given)).toBe(written);
  });

  it('has a header row, even if there is no usage', () => {
    expect(usageCsv([])).toBe(
      'organization,key,operation,requests,failures,cancelled,audioSeconds,aiMs,durationMs\r\n',
    );
  });
});
