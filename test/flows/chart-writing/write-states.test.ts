// The picture in docs/write-chart.md is equal to the tables of states.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { DELIVERY_STATES } from '../../../src/flows/chart-writing/deliver-revision.ts';
import { WRITE_STATES } from '../../../src/flows/chart-writing/write-chart.ts';

const PAGE = readFileSync('docs/write-chart.md', 'utf8');
const [, PICTURE = ''] = PAGE.split(/```(?:mermaid)?\n/);

type Table = Readonly<Record<string, { readonly next: Readonly<Record<string, string>> }>>;

function arrowsOf(table: Table): readonly string[] {
  return Object.entries(table).flatMap(([from, { next }]) =>
    Object.entries(next).map(([to, when]) => `${from} --> ${to === 'ended' ? '[*]' : to}: ${when}`),
  );
}

describe('the picture of docs/write-chart.md', () => {
  it('has exactly the transitions of the two tables of states', () => {
    const drawn = PICTURE.split('\n').flatMap((line) => (line.includes('-->') ? [line.trim()] : []));
    expect(drawn).toEqual([
      '[*] --> readingLedger: the lease of the chart is acquired',
      ...arrowsOf(WRITE_STATES),
      'startingOver --> readingLedger: a new attempt under a new lease, at most six',
      '[*] --> lookingForCreates',
      ...arrowsOf(DELIVERY_STATES),
    ]);
  });

  it('is followed by one sentence about each state', () => {
    const delivering = Object.keys(DELIVERY_STATES);
    const states = Object.keys(WRITE_STATES).flatMap((name) => (name === 'deliveringRevision' ? delivering : [name]));
    const described = [...PAGE.matchAll(/^\| (\w+) \|/gm)].map(([, name]) => name);
    expect(described).toEqual(['state', ...states, 'startingOver']);
  });
});
