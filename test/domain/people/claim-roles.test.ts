// Roles from the claims of an identity provider: only exact texts give a role, and nothing else in a claim does.
import { describe, expect, it } from '@jest/globals';
import { type ClaimRoles, grantsFromClaims } from '../../../src/domain/people/claim-roles.ts';

const ROLES: ClaimRoles = {
  scopes: ['openid'],
  rules: [
    { claim: ['groups'], values: ['chart-admins'], role: 'admin', sites: ['*'] },
    { claim: ['groups'], values: ['ops', 'ops-night'], role: 'operator', sites: ['mercy', 'lakeside'] },
    { claim: ['realm_access', 'roles'], values: ['watcher'], role: 'viewer', sites: ['mercy'] },
    { claim: ['groups'], values: ['doctors'], role: 'reviewer', sites: ['mercy'], practitioner: ['practitioner'] },
  ],
};

const grants = (claims: Readonly<Record<string, unknown>>) => grantsFromClaims(ROLES, claims);

describe('claims give roles', () => {
  it('as a text, in a list, and below a path', () => {
    expect(grants({ groups: 'chart-admins' })).toEqual([{ role: 'admin', site: '*' }]);
    expect(grants({ groups: ['others', 'ops-night'] })).toEqual([
      { role: 'operator', site: 'mercy' },
      { role: 'operator', site: 'lakeside' },
    ]);
    expect(grants({ realm_access: { roles: ['watcher'] } })).toEqual([{ role: 'viewer', site: 'mercy' }]);
  });

  it.each(['7', 'Practitioner/7'])('a reviewer signs as the Practitioner of the claim: %s', (practitioner) => {
    expect(grants({ groups: ['doctors'], practitioner })).toEqual([
      { role: 'reviewer', site: 'mercy', practitioner: 'Practitioner/7' },
    ]);
  });

  it.each([undefined, '', 7, ['7'], 'Patient/7', 'https://ehr.example/Practitioner/7', '../7'])(
    'without a usable Practitioner there is no reviewer: %j',
    (practitioner) => {
      expect(grants({ groups: ['doctors'], practitioner })).toEqual([]);
    },
  );

  it('the same role of one site is given once, however many values give it', () => {
    expect(grants({ groups: ['ops', 'ops-night', 'ops'] })).toHaveLength(2);
  });
});

describe('claims give no role', () => {
  it.each<[string, unknown]>([
    ['in other letters', ['Chart-Admins', 'CHART-ADMINS', ' chart-admins', 'chart-admins ', 'chart-admins\0']],
    ['as an object', { 'chart-admins': true, toString: 'chart-admins' }],
    ['as a list in a list', [['chart-admins']]],
    ['as an object with that text', [{ value: 'chart-admins' }]],
    ['as a longer text', 'chart-admins,ops'],
    ['as a number, a truth value or nothing', [1, true, null]],
    ['by the name of a role', ['admin', 'operator', '*']],
  ])('%s', (_, groups) => {
    expect(grants({ groups })).toEqual([]);
  });

  it('from what every object has', () => {
    const rules = [{ claim: ['constructor', 'name'], values: ['Object'], role: 'admin', sites: ['*'] }] as const;
    expect(grantsFromClaims({ scopes: [], rules }, {})).toEqual([]);
  });

  it('beyond those that fit, in a list of many thousand', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => `group-${index}`);
    expect(grants({ groups: many })).toEqual([]);
    expect(grants({ groups: [...many, 'chart-admins'] })).toEqual([{ role: 'admin', site: '*' }]);
  });
});
