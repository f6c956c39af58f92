// A mapping file from its bytes to something that can be applied: refused with all of its problems, or fit to be used.
import { describe, expect, it } from '@jest/globals';
import { describeProblem } from '../../../src/domain/mapping/mapping.ts';
import { loadMapping } from '../../../src/mapping/load-mapping.ts';
import type { MappingContext } from '../../../src/mapping/mapping-context.ts';

const FREE: MappingContext = { kind: 'free', variables: ['note', 'run'], isStrict: true };
const TASK: MappingContext = { kind: 'document', document: 'task', documents: ['task'], tables: {} };

function problemsOf(text: string | Uint8Array, context = FREE, file = 'mappings/mercy/note.yaml'): readonly string[] {
  return loadMapping({ file, text, context }).problems.map(describeProblem);
}

describe('a mapping without problems', () => {
  it('is loaded and can be applied', () => {
    const text = 'a: "{{ %note.title }}"\nb: {"{% for s in %note.sections %}": "{{ %s.text }}"}';
    const { mapping, problems } = loadMapping({ file: 'note.yaml', text, context: FREE });
    expect(problems).toEqual([]);
    expect([...(mapping?.reads ?? [])]).toEqual(['note']);
    const note = { title: 'Visit', sections: [{ text: 'rest' }] };
    expect(mapping?.apply({ variables: { note } }).value).toEqual({ a: 'Visit', b: ['rest'] });
  });

  it('may be JSON', () => {
    const text = Buffer.from('{"a": "{{ %note.title }}", "b": ["{[ %note.tags ]}"]}');
    const { mapping } = loadMapping({ file: 'note.json', text, context: FREE });
    expect(mapping?.apply({ variables: { note: { title: 'Visit', tags: [1, 2] } } }).value).toEqual({
      a: 'Visit',
      b: [1, 2],
    });
  });

  it('may read bare names if it is not strict', () => {
    const context: MappingContext = { kind: 'free', variables: ['note'], isStrict: false };
    const { mapping } = loadMapping({ file: 'note.yaml', text: 'a: "{{ note.title }}"', context });
    expect(mapping?.apply({ variables: { note: { title: 'Visit' } } }).value).toEqual({ a: 'Visit' });
  });
});

describe('a mapping with problems', () => {
  it('names file, line and column of all of them, in the order of the lines', () => {
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
      'mappings/mercy/note.yaml:4:13: a dot is followed by the name of an element or function',
      'mappings/mercy/note.yaml:5:4: this number would lose its leading zeros: put it into quotes',
      'mappings/mercy/note.yaml:6:1: this key is already in line 5: an object has each key once',
    ]);
    expect(loadMapping({ file: 'note.yaml', text, context: FREE }).mapping).toBeUndefined();
  });

  it('of a document knows the members of its variables and the elements of its resource', () => {
    const problems = problemsOf(
      'resourceType: Task\nstatus: requested\nintent: order\nsectoin: "{{ %note.titel }}"',
      TASK,
    );
    expect(problems).toContain('mappings/mercy/note.yaml:4:1: sectoin is no element of Task');
    expect(problems).toContain(
      'mappings/mercy/note.yaml:4:14: %note.titel is not known here; did you mean %note.title?',
    );
  });

  it('a loop beside other keys is reported alone, without missing elements in either of them', () => {
    const context: MappingContext = { ...TASK, document: 'composition', documents: [] };
    const loop = 'a loop is the only key of its object, beside {% assign %}: put it into an object of its own';
    const key = '"{% for s in %note.sections %}": { title: "{{ %s.titel }}" }';
    const file = 'mappings/mercy/note.yaml';
    expect(problemsOf(`resourceType: Composition\n${key}\nstatus: finl`, context)).toEqual([
      `${file}:2:1: ${loop}`,
      `${file}:2:47: %s.titel is not known here; did you mean %s.title?`,
      `${file}:3:9: status: finl is none of preliminary | final | amended | entered-in-error`,
    ]);
    expect(problemsOf(`${key}\n"{% if %note.exists() %}": { resourceType: Basic }`, context)).toEqual([
      `${file}:1:1: ${loop}`,
      `${file}:1:47: %s.titel is not known here; did you mean %s.title?`,
    ]);
  });

  it('is refused for its syntax before its meaning is checked', () => {
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

// Each of these took minutes, or all memory, before it was read in one go.
describe('a wrong file that is expensive to check is refused in time:', () => {
  it('a loop beside a loop, thirty deep', () => {
    let text = '1';
    for (let depth = 0; depth < 30; depth++) text = `{"{% for x in %note %}": 1, "{{ %note }}": ${text}}`;
    expect(problemsOf(text, FREE, 'note.json')).toHaveLength(30);
  });

  it('forty thousand braces in a line that is no YAML', () => {
    const text = `a: ["${' {{ {{'.repeat(20_000)}", ${'? [x] : y,'.repeat(20)}]`;
    expect(problemsOf(text).length).toBeGreaterThan(0);
  });

  it('nine hundred long names, and five hundred that are misspelt', () => {
    const nameOf = (number: number) => `${'abcdefghijklmnop'.repeat(6)}${number}`;
    const assigned = Array.from({ length: 900 }, (_, number) => `  - ${nameOf(number)}: 1`);
    const asked = Array.from({ length: 500 }, (_, number) => `k${number}: "{{ %${nameOf(number)}x }}"`);
    expect(problemsOf(`"{% assign %}":\n${assigned.join('\n')}\n${asked.join('\n')}`)).toHaveLength(500);
  });

  it('six thousand names, and the first of them read again and again', () => {
    const assigned = Array.from({ length: 6000 }, (_, number) => `  - v${number}: ${number}`);
    const asked = Array.from({ length: 300 }, (_, number) => `k${number}: "${'{{ %v0 }}'.repeat(150)}"`);
    expect(problemsOf(`"{% assign %}":\n${assigned.join('\n')}\n${asked.join('\n')}`)).toEqual([]);
  });
});
