import { describe, expect, it } from '@jest/globals';
import { isManaged, isSeen, mayGive, siteOf } from '../../../src/domain/people/giving.ts';
import { EVERY_SITE, type Grant, ROLES, type SiteScope } from '../../../src/domain/people/role.ts';
import { fc } from '../../support/fast-check.ts';

const sites = fc.constantFrom('mercy', 'general', 'lakeside');
const aScope: fc.Arbitrary<SiteScope> = fc.oneof(fc.constant('all' as const), fc.uniqueArray(sites));
const aGrant: fc.Arbitrary<Grant> = fc.record({
  role: fc.constantFrom(...ROLES),
  site: fc.oneof(sites, fc.constant(EVERY_SITE)),
});

describe('what an admin may give', () => {
  it('is a role at an own site, and at every site only for an admin of every site', () => {
    expect(mayGive('all', { site: EVERY_SITE })).toBe(true);
    expect(mayGive(['mercy'], { site: 'mercy' })).toBe(true);
    expect(mayGive(['mercy'], { site: 'general' })).toBe(false);
    expect(mayGive(['mercy', EVERY_SITE], { site: EVERY_SITE })).toBe(false);
    expect(mayGive([], { site: 'mercy' })).toBe(false);
  });

  it('an account that an admin may change has no role that the admin could not give', () => {
    fc.assert(
      fc.property(aScope, fc.array(aGrant), (scope, grants) => {
        if (isManaged(scope, grants)) expect(grants.every((grant) => mayGive(scope, grant))).toBe(true);
        if (isManaged(scope, grants)) expect(isSeen(scope, grants)).toBe(true);
        if (scope !== 'all' && grants.length === 0) expect(isSeen(scope, grants)).toBe(false);
      }),
    );
  });

  it('an entry of the trail names a site only if all of it is there', () => {
    const [one, other] = [
      { role: 'viewer', site: 'mercy' },
      { role: 'viewer', site: 'general' },
    ] as const;
    expect(siteOf([one, { ...one, role: 'auditor' }])).toEqual({ site: 'mercy' });
    expect(siteOf([one, other])).toEqual({});
    expect(siteOf([{ ...one, site: EVERY_SITE }])).toEqual({});
    expect(siteOf([])).toEqual({});
  });
});
