// Which variables of the input a mapping reads, and that this is found in one go, however many names it gives itself.
import { describe, expect, it } from '@jest/globals';
import { parseExpression } from '../../../src/mapping/fhirpath/parse-expression.ts';
import type { Assignment, MappingNode } from '../../../src/mapping/language/mapping-tree.ts';
import { parseMapping } from '../../../src/mapping/language/parse-mapping.ts';
import { inputVariables } from '../../../src/mapping/language/read-variables.ts';
import { parseSource } from '../../../src/mapping/source/parse-source.ts';

function readsOf(text: string): readonly string[] {
  const { root } = parseSource({ file: 'mapping.yaml', text });
  const tree = root && parseMapping(root).tree;
  return tree ? [...inputVariables(tree)] : [];
}

describe('the variables of the input that a mapping reads', () => {
  it.each([
    ['a name that it gives itself is none', '{"{% assign %}": [{a: 1}], b: "{{ %a & %note }}"}', ['note']],
    [
      'a name is not known to itself, and known to the next',
      '{"{% assign %}": [{a: "{{ %a }}"}, {b: "{{ %a }}"}]}',
      ['a'],
    ],
    [
      'a name that was given twice is the input again behind both',
      '[{"{% for a in %x %}": {"{% for a, b in %a %}": "{{ %a }}"}}, "{{ %b }}", "{{ %a }}"]',
      ['x', 'b', 'a'],
    ],
    [
      'behind the inner of two it is still the outer',
      '{"{% for a in %x %}": [{"{% for a in %a %}": 1}, "{{ %a }}"]}',
      ['x'],
    ],
    ['a member of the whole input', '"{{ %context.note.title }}"', ['note', 'context']],
  ])('%s', (_, text, names) => expect([...readsOf(text)].sort()).toEqual([...names].sort()));

  it('each of 50,000 assigned names costs the same', () => {
    const place = { file: 'mapping.yaml', line: 1, column: 1 };
    const node = parseExpression('%n0 & %note');
    const value: MappingNode = {
      kind: 'first',
      place,
      keepsNull: false,
      expression: { text: '', node, place, placeAt: () => place },
    };
    const assignments = Array.from(
      { length: 50_000 },
      (_, index): Assignment => ({ name: `n${index}`, namePlace: place, value }),
    );
    const before = process.cpuUsage();
    const found = inputVariables({ kind: 'assign', place, assignments, body: value });
    expect([...found].sort()).toEqual(['n0', 'note']);
    // A look through all of them for each takes a minute.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1500);
  });
});
