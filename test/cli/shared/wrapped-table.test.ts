// Tables whose last column is a sentence fit a terminal, whatever their content.
import { describe, expect, it } from '@jest/globals';
import { renderWrapped } from '../../../src/cli/shared/wrapped-table.ts';

type Row = { readonly name: string; readonly why: string };

const rendered = (...rows: readonly Row[]) =>
  renderWrapped<Row>(rows, { NAME: ({ name }) => name, WHY: ({ why }) => why }).split('\n');

const SENTENCE = 'It is a sentence of many words, each of them short. '.repeat(4).trim();

describe('The last column of a table', () => {
  it('is broken into lines beside the other columns', () => {
    const lines = rendered({ name: 'mercy', why: SENTENCE });
    expect(lines[1]).toMatch(/^mercy {2}It is a sentence/);
    expect(lines[2]).toMatch(/^ {7}\S/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('is placed below the other columns if they leave no room', () => {
    const lines = rendered(
      { name: 'n'.repeat(80), why: SENTENCE },
      { name: 'other', why: '-' },
      { name: 'third', why: '' },
    );
    expect(lines.slice(0, 3)).toEqual(['NAME', '    WHY', 'n'.repeat(80)]);
    expect(lines[3]).toMatch(/^ {4}It is a sentence/);
    expect(lines.slice(-3)).toEqual(['other', 'third', '']);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('is placed below the other columns if one of its words would be cut off', () => {
    const lines = rendered({ name: 'n'.repeat(50), why: `mapping ${'5f'.repeat(32)}` });
    expect(lines[3]).toBe(`    mapping ${'5f'.repeat(32)}`);
  });
});
