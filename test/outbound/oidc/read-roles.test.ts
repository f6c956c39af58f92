// The file of OIDC_ROLES: what it may say, and that each mistake is reported with its line.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { grantsFromClaims } from '../../../src/domain/people/claim-roles.ts';
import { readRoles } from '../../../src/outbound/oidc/read-roles.ts';

const read = (text: string) => readRoles({ path: 'roles.yaml', text });
const problemsOf = (text: string) => (read(text).problems ?? []).map(({ line, message }) => `${line}: ${message}`);

describe('the file of roles', () => {
  it('is read as docs/sign-in.md shows it', () => {
    const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(readFileSync('docs/sign-in.md', 'utf8')) ?? [];
    const { roles, problems } = { problems: undefined, roles: undefined, ...read(example) };
    expect(problems).toBeUndefined();
    const claims = { groups: ['chart-doctors'], practitioner: '7', realm_access: { roles: ['chart-operator'] } };
    expect(roles && grantsFromClaims(roles, claims)).toEqual([
      { role: 'reviewer', site: 'mercy', practitioner: 'Practitioner/7' },
      { role: 'operator', site: 'mercy' },
      { role: 'operator', site: 'lakeside' },
    ]);
  });

  it('takes the claim groups and the usual scopes unless it says others', () => {
    const { roles } = { roles: undefined, ...read('roles:\n  - { values: [x], role: viewer, sites: ["*"] }') };
    expect(roles).toEqual({
      scopes: ['openid', 'profile', 'email'],
      rules: [{ claim: ['groups'], values: ['x'], role: 'viewer', sites: ['*'] }],
    });
  });

  it('takes a claim whose name has dots as a list', () => {
    const text = 'claim: ["https://hospital.example/roles"]\nroles:\n  - { values: [x], role: viewer, sites: [mercy] }';
    const { roles } = { roles: undefined, ...read(text) };
    expect(roles && grantsFromClaims(roles, { 'https://hospital.example/roles': 'x' })).toHaveLength(1);
  });

  it.each([
    ['an unknown role', 'roles:\n  - values: [x]\n    role: boss\n    sites: [mercy]', /^3: .*must be one of viewer/],
    ['a role in other letters', 'roles:\n  - values: [x]\n    role: Admin\n    sites: [mercy]', /^3: .*must be one of/],
    [
      'a reviewer of every site',
      'roles:\n  - values: [x]\n    role: reviewer\n    sites: ["*"]\n    practitioner: p',
      /^4: .*exactly one site/,
    ],
    [
      'a reviewer of two sites',
      'roles:\n  - values: [x]\n    role: reviewer\n    sites: [a, b]\n    practitioner: p',
      /^4: .*exactly one site/,
    ],
    [
      'a reviewer without a Practitioner',
      'roles:\n  - values: [x]\n    role: reviewer\n    sites: [a]',
      /^3: .*practitioner/,
    ],
    [
      'a Practitioner of another role',
      'roles:\n  - values: [x]\n    role: viewer\n    sites: [a]\n    practitioner: p',
      /^5: .*only a reviewer/,
    ],
    [
      'every site beside one',
      'roles:\n  - values: [x]\n    role: viewer\n    sites: [a, "*"]',
      /^4: .*must be the only one/,
    ],
    ['an unknown member', 'roles:\n  - values: [x]\n    rol: viewer\n    sites: [a]', /^3: .*not known here/m],
    ['no rule', 'roles: []', /^1: /],
    [
      'scopes without openid',
      'scopes: [profile]\nroles:\n  - { values: [x], role: viewer, sites: [a] }',
      /^1: .*openid/,
    ],
    ['a text that is no YAML', 'roles: [', /^\d+: /],
  ])('refuses %s with its line', (_, text, expected) => {
    expect(problemsOf(text).join('\n')).toMatch(expected);
  });
});
