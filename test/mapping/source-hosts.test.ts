import { describe, expect, it } from '@jest/globals';
import { describeProblem } from '../../src/domain/mapping/mapping.ts';
import { parseSource, parseSourceHosts } from '../../src/mapping/mapping.ts';

function read(text: string): { readonly hosts?: readonly string[]; readonly problems: readonly string[] } {
  const { root } = parseSource({ file: 'sources.yaml', text: new TextEncoder().encode(text) });
  if (root === undefined) throw new Error('the test is no YAML');
  const { problems, ...rest } = parseSourceHosts(root);
  return { ...rest, problems: problems.map(describeProblem) };
}

describe('The list of sources', () => {
  it('is a list of hosts', () => {
    expect(read('hosts:\n  - who.int\n  - nice.org.uk\n')).toEqual({ hosts: ['who.int', 'nice.org.uk'], problems: [] });
    expect(read('hosts: []\n')).toEqual({ hosts: [], problems: [] });
  });

  it.each([
    ['- who.int', 'sources.yaml:1:1: the list of sources has the key hosts'],
    ['host: [who.int]', 'sources.yaml:1:1: host is not known here; did you mean hosts?'],
    ['hosts: who.int', 'sources.yaml:1:8: hosts is a list, one host a line; write [] to show no links'],
    ['hosts:\n  - who.int\n  - who.int', 'sources.yaml:3:5: who.int is in this list twice'],
    [
      'hosts:\n  - https://who.int',
      'sources.yaml:2:5: each item of hosts is a host alone, in small letters: nice.org.uk',
    ],
    ['hosts:\n  - Who.int', 'sources.yaml:2:5: each item of hosts is a host alone, in small letters: nice.org.uk'],
    ['hosts:\n  - who.int/a', 'sources.yaml:2:5: each item of hosts is a host alone, in small letters: nice.org.uk'],
    ['hosts:\n  - who.int:443', 'sources.yaml:2:5: each item of hosts is a host alone, in small letters: nice.org.uk'],
    ['hosts:\n  - "*.who.int"', 'sources.yaml:2:5: each item of hosts is a host alone, in small letters: nice.org.uk'],
    ['hosts:\n  - 127.0.0.1', 'sources.yaml:2:5: each item of hosts is a host alone, in small letters: nice.org.uk'],
    ['hosts:\n  - com', 'sources.yaml:2:5: each item of hosts is a host alone, in small letters: nice.org.uk'],
    ['hosts:\n  - 1.5', 'sources.yaml:2:5: each item of hosts is a host alone, in small letters: nice.org.uk'],
  ])('%j is reported with its place', (text, message) => {
    const { hosts, problems } = read(text);
    expect(hosts).toBeUndefined();
    expect(problems).toContain(message);
  });
});
