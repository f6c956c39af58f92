// A mapping file from its bytes to something that can be applied: refused with all of its problems, or fit to be used.
import { describe, expect, test } from '@jest/globals';
import { describeProblem } from '../../../src/domain/mapping.ts';
import { loadMapping } from '../../../src/mapping/load-mapping.ts';
import type { MappingContext } from '../../../src/mapping/mapping-context.ts';

const FREE: MappingContext = { kind: 'free', variables: ['note', 'run'], isStrict: true };
const TASK: MappingContext = { kind: 'document', document: 'task', documents: ['task'], tables: {} };

function problemsOf(text: string | Uint8Array, context = FREE, file = 'mappings/mercy/note.yaml'): readonly string[] {
  return loadMapping({ file, text, context }).problems.map(describeProblem);
}

describe('a mapping without problems', () => {
  test('is there to be applied', () => {
    const text = 'a: "{{ %note.title }}"\nb: {"{% for s in %note.sections %}": "{{ %s.text }}"}';
    const { mapping, problems } = loadMapping({ file: 'note.yaml', text, context: FREE });
    expect(problems).toEqual([]);
    expect([...(mapping?.reads ?? [])]).toEqual(['note']);
    const note = { title: 'Visit', sections: [{ text: 'rest' }] };
    expect(mapping?.apply({ variables: { note } }).value).toEqual({ a: 'Visit', b: ['rest'] });
  });

  test('may be JSON', () => {
    const text = Buffer.from('{"a": "{{ %note.title }}", "b": ["{[ %note.tags ]}"]}');
    const { mapping } = loadMapping({ file: 'note.json', text, context: FREE });
    expect(mapping?.apply({ variables: { note: { title: 'Visit', tags: [1, 2] } } }).value).toEqual({
      a: 'Visit',
      b: [1, 2],
    });
  });

  test('may read bare names where it is not strict', () => {
    const context: MappingContext = { kind: 'free', variables: ['note'], isStrict: false };
    const { mapping } = loadMapping({ file: 'note.yaml', text: 'a: "{{ note.title }}"', context });
    expect(mapping?.apply({ variables: { note: { title: 'Visit' } } }).value).toEqual({ a: 'Visit' });
  });
});

describe('a mapping with problems', () => {
  test('names file, line and column of all of them, in the order of the lines', () => {
    const text = [
      'a: "{{ %nota.title }}"',
      'b: "{{ note.title }}"',
      '"{% fro s in %note %}": 1',
      'c: "{{ %run.. }}"',
      'd: 007',
      'd: "{{ %c.frist() }}"',
    ].join('\n');
    expect(problemsOf(text)).toEqual([
      'mappings/mercy/note.yaml:1:8: %nota is not known here; did you mean %note?',
      'mappings/mercy/note.yaml:2:8: note is not known here; did you mean %note?',
      'mappings/mercy/note.yaml:3:5: there is no block {% fro %}; did you mean {% for %}?',
      'mappings/mercy/note.yaml:4:13: after a dot stands the name of an element or function',
      'mappings/mercy/note.yaml:5:4: this number would lose its leading zeros: put it into quotes',
      'mappings/mercy/note.yaml:6:1: this key stands in line 5 already: an object has each key once',
    ]);
    expect(loadMapping({ file: 'note.yaml', text, context: FREE }).mapping).toBeUndefined();
  });

  test('of a document knows the members of its variables and the elements of its resource', () => {
    const problems = problemsOf(
      'resourceType: Task\nstatus: requested\nintent: order\nsectoin: "{{ %note.titel }}"',
      TASK,
    );
    expect(problems).toContain('mappings/mercy/note.yaml:4:1: sectoin is no element of Task');
    expect(problems).toContain(
      'mappings/mercy/note.yaml:4:14: %note.titel is not known here; did you mean %note.title?',
    );
  });

  test('is refused as a file first', () => {
    expect(problemsOf('a: {{ %note.title }}')).toHaveLength(1);
    expect(problemsOf('')).toEqual(['mappings/mercy/note.yaml:1:1: there is nothing in this file']);
    expect(problemsOf(Uint8Array.of(0xff))).toEqual([
      'mappings/mercy/note.yaml:1:1: this is not UTF-8: save the file with the encoding UTF-8',
    ]);
    expect(problemsOf('{"a": 1,}', FREE, 'note.json')).toEqual([
      'note.json:1:8: JSON has no comma behind the last one',
    ]);
  });
});
