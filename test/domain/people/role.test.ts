// Sites for which roles are held.
import { describe, expect, it } from '@jest/globals';
import {
  EVERY_SITE,
  type Grant,
  isInScope,
  narrowed,
  ROLE_PURPOSES,
  ROLES,
  scopeOf,
} from '../../../src/domain/people/role.ts';
import { fc } from '../../support/fast-check.ts';

const SITES = ['mercy', 'general', 'st-mary'] as const;
const ALL_SITES: readonly string[] = [...SITES, 'another'];
const grants: fc.Arbitrary<readonly Grant[]> = fc.array(
  fc.record({ role: fc.constantFrom(...ROLES), site: fc.constantFrom(...SITES, EVERY_SITE) }),
  { maxLength: 6 },
);
const roles = fc.uniqueArray(fc.constantFrom(...ROLES), { maxLength: 3 });

describe('the scope of roles', () => {
  it('has exactly the sites for which one of them is held', () => {
    fc.assert(
      fc.property(grants, roles, (held, wanted) => {
        const scope = scopeOf(held, wanted);
        const isHeld = (site: string) =>
          held.some((grant) => wanted.includes(grant.role) && [site, EVERY_SITE].includes(grant.site));
        expect(ALL_SITES.filter((site) => isInScope(scope, site))).toEqual(ALL_SITES.filter(isHeld));
      }),
    );
  });

  it('names each site once, in order', () => {
    const held = ['mercy', 'general', 'mercy'].map((site) => ({ role: 'viewer' as const, site }));
    expect(scopeOf(held, ['viewer'])).toEqual(['general', 'mercy']);
  });

  it('takes * as every site, not as the name of one', () => {
    expect(scopeOf([{ role: 'viewer', site: EVERY_SITE }], ['viewer'])).toBe('all');
    expect(isInScope([EVERY_SITE], 'mercy')).toBe(false);
  });

  it('is never widened by a site that the request names', () => {
    fc.assert(
      fc.property(grants, roles, fc.constantFrom(...SITES, EVERY_SITE, undefined), (held, wanted, named) => {
        const scope = scopeOf(held, wanted);
        const less = narrowed(scope, named);
        const wider = ALL_SITES.filter((site) => isInScope(less, site) && !isInScope(scope, site));
        expect(wider).toEqual([]);
        if (named !== undefined)
          expect(ALL_SITES.filter((site) => isInScope(less, site) && site !== named)).toEqual([]);
      }),
    );
  });
});

describe('each role', () => {
  it('has a purpose in one sentence', () => {
    const sentences = ROLES.map((role) => ROLE_PURPOSES[role]);
    expect(sentences.filter((text) => !/^[A-Z][^.]+\.$/.test(text))).toEqual([]);
    expect(new Set(sentences).size).toBe(ROLES.length);
  });
});
