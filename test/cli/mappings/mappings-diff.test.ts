import { describe, expect, it } from '@jest/globals';
import { findChanges, renderDifference } from '../../../src/cli/mappings/mappings-diff.ts';

const linesOf = (expected: unknown, got: unknown, isColored = false) =>
  renderDifference({ expected, got, isColored }).trimEnd().split('\n');

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('the difference of two documents', () => {
  it('is empty if only the order of keys differs', () => {
    const one = { title: 'ED note', section: [{ title: 'Plan', code: { text: 'x' } }] };
    const other = { section: [{ code: { text: 'x' }, title: 'Plan' }], title: 'ED note' };
    expect(renderDifference({ expected: one, got: other, isColored: false })).toBe('');
    expect(findChanges({ expected: one, got: other })).toEqual([]);
  });

  it('names the element, and shows the expected and the actual value with the lines around it', () => {
    const expected = { resourceType: 'Composition', status: 'preliminary', title: 'ED note', date: '2026', author: 1 };
    expect(linesOf(expected, { ...expected, title: 'Emergency note' })).toEqual([
      '@@ title @@',
      '    "resourceType": "Composition"',
      '    "status": "preliminary"',
      '-   "title": "ED note"',
      '+   "title": "Emergency note"',
      '    "date": "2026"',
      '    "author": 1',
    ]);
  });

  it('shows an inserted section as added, not all sections as changed', () => {
    const plan = { title: 'Plan', text: 'Rest' };
    const lines = linesOf({ section: [plan] }, { section: [{ title: 'History', text: 'Cough' }, plan] });
    expect(lines[0]).toBe('@@ section[0] @@');
    expect(lines.filter((line) => /^[-+]/.test(line))).toEqual([
      '+     {',
      '+       "title": "History"',
      '+       "text": "Cough"',
      '+     }',
    ]);
  });

  it('keeps changes that are far from each other apart', () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`key${index}`, index]));
    const lines = linesOf(many, { ...many, key1: 'new', key18: 'new' });
    expect(lines.filter((line) => line.startsWith('@@'))).toEqual(['@@ key1 @@', '@@ key18 @@']);
    expect(lines.filter((line) => line.includes('key10'))).toEqual([]);
  });

  it('shows one changed sentence of a long narrative alone', () => {
    const div = (drug: string) =>
      `<div xmlns="http://www.w3.org/1999/xhtml"><p>Drink water, and come back when it gets worse.</p><p>Take ${drug}. Rest for two days.</p></div>`;
    const lines = linesOf({ text: { div: div('ibuprofen 400 mg') } }, { text: { div: div('ibuprofen 600 mg') } });
    expect(lines[0]).toBe('@@ text.div @@');
    expect(lines.filter((line) => /^[-+]/.test(line))).toEqual([
      '-       | <p>Take ibuprofen 400 mg. ',
      '+       | <p>Take ibuprofen 600 mg. ',
    ]);
  });

  it('shows text in base64 decoded', () => {
    const note = (plan: string) => ({ attachment: { data: base64(`PLAN\n${plan}\n\nREVIEW\nnone`) } });
    const lines = linesOf(note('rest'), note('walk'));
    expect(lines).toContain('-       | rest');
    expect(lines).toContain('+       | walk');
    expect(lines.join('\n')).not.toContain(base64('PLAN'));
  });

  it('shows bytes that are no text in base64', () => {
    const lines = linesOf({ data: '/////w==' }, { data: '/////g==' });
    expect(lines.filter((line) => /^[-+]/.test(line))).toEqual(['-   "data": "/////w=="', '+   "data": "/////g=="']);
  });

  it('is cut after 200 lines if everything differs', () => {
    const lines = linesOf(
      Array.from({ length: 3000 }, (_, index) => `old ${index}`),
      Array.from({ length: 3000 }, (_, index) => `new ${index}`),
    );
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toMatch(/^… and \d+ lines more$/);
  });

  it('shows a value of another type as replaced', () => {
    expect(linesOf({ a: [1] }, { a: null })).toEqual(expect.arrayContaining(['-   "a": [', '+   "a": null']));
    expect(linesOf({ a: 1 }, [1])[0]).toBe('@@ the whole document @@');
  });

  it('shows characters that would move the cursor as a replacement sign', () => {
    const text = renderDifference({
      expected: { a: 'x' },
      got: { a: `\u009b2J\u202e${'y'.repeat(200)}` },
      isColored: false,
    });
    expect(text).not.toMatch(/[\u009b\u202e]/);
    expect(text).toContain('�2J�yyy');
  });

  it('is coloured only on request', () => {
    const colored = renderDifference({ expected: { a: 1 }, got: { a: 2 }, isColored: true });
    expect(colored).toContain('\u001b[31m-   "a": 1\u001b[0m');
    expect(colored).toContain('\u001b[32m+   "a": 2\u001b[0m');
    expect(renderDifference({ expected: { a: 1 }, got: { a: 2 }, isColored: false })).not.toContain('\u001b');
  });
});

describe('the list of changes for programs', () => {
  it('holds the elements that differ; an absent side is an absent key', () => {
    const expected = { title: 'a', section: [{ title: 'x' }, { title: 'y' }], gone: 1 };
    const got = { title: 'b', section: [{ title: 'x' }], come: { deep: true } };
    expect(findChanges({ expected, got })).toEqual([
      { element: 'title', expected: 'a', got: 'b' },
      { element: 'section[1]', expected: { title: 'y' } },
      { element: 'come', got: { deep: true } },
      { element: 'gone', expected: 1 },
    ]);
  });

  it('distinguishes null from absent', () => {
    expect(findChanges({ expected: { a: null }, got: {} })).toEqual([{ element: 'a', expected: null }]);
  });
});
