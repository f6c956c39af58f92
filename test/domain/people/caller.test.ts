// What a caller may do at an endpoint: the decision, before any data is read.
import { describe, expect, it } from '@jest/globals';
import { type AccessDecision, type Caller, decideAccess } from '../../../src/domain/people/caller.ts';
import {
  extensionPermission,
  OWN_PERMISSION,
  PERMISSIONS,
  type Permission,
  WITHOUT_PATIENT_DATA,
} from '../../../src/domain/people/permissions.ts';
import { PURPOSES } from '../../../src/domain/people/purpose.ts';
import { EVERY_SITE, type Grant, isInScope, ROLES } from '../../../src/domain/people/role.ts';
import { fc } from '../../support/fast-check.ts';

const SITES = ['mercy', 'general', 'st-mary'] as const;

function aCaller(parts: Partial<Caller> = {}): Caller {
  return { kind: 'person', actor: 'person/1', name: 'A. Example', grants: [], address: '192.0.2.1', ...parts };
}

function permissionOf(endpoint: string): Permission {
  const permission = PERMISSIONS[endpoint];
  if (permission === undefined) throw new Error(`${endpoint} is not in the table`);
  return permission;
}

const RUN = permissionOf('GET /runs{/Run}/:id');
const REVIEW = permissionOf('POST /runs{/Run}/:id/review');
const RUNS = permissionOf('GET /runs');
const KEYS = permissionOf('GET /keys');

const grant = fc.record({ role: fc.constantFrom(...ROLES), site: fc.constantFrom(...SITES, EVERY_SITE) });
const grants = fc.array(grant, { maxLength: 5 });
const purpose = fc.option(fc.constantFrom(...PURPOSES), { nil: undefined });
const opened = fc.option(
  fc.oneof(
    fc.record({ site: fc.constantFrom(...SITES), encounter: fc.constant('Encounter/1') }),
    fc.record({ site: fc.constantFrom(...SITES) }),
  ),
  { nil: undefined },
);
const caller: fc.Arbitrary<Caller> = fc
  .record({ kind: fc.constantFrom('person' as const, 'token' as const), grants, purpose, opened })
  .map(({ kind, grants: held, purpose: why, opened: one }) =>
    aCaller({
      kind,
      grants: held,
      ...(why !== undefined && { purpose: why }),
      ...(one !== undefined && { opened: one }),
    }),
  );
const permission = fc.constantFrom(
  ...Object.values(PERMISSIONS),
  OWN_PERMISSION,
  extensionPermission('GET', 'mercy'),
  extensionPermission('POST', 'mercy'),
);

function hasPatientData({ patientData }: Permission, isBrief: boolean): boolean {
  return patientData === 'always' || (patientData === 'unless-brief' && !isBrief);
}

/** What must hold for each decision that allows. */
function everyAllowed(check: (asked: Question, access: Allowed['access']) => boolean | undefined) {
  let allowed = 0;
  fc.assert(
    fc.property(caller, permission, fc.boolean(), (who, what, isBrief) => {
      const decision = decideAccess(who, what, isBrief);
      if (decision.kind !== 'allowed') return;
      allowed += 1;
      expect(check({ who, what, isBrief }, decision.access)).not.toBe(false);
    }),
    { numRuns: 2_000 },
  );
  // A property of nothing would hold.
  expect(allowed).toBeGreaterThan(100);
}

type Question = { readonly who: Caller; readonly what: Permission; readonly isBrief: boolean };
type Allowed = Extract<AccessDecision, { readonly kind: 'allowed' }>;

describe('a caller who is admitted', () => {
  it('to patient data has a role that may see patient data, and a purpose', () => {
    everyAllowed(({ who, what, isBrief }, { role }) => {
      if (!hasPatientData(what, isBrief)) return;
      expect([who.purpose === undefined, WITHOUT_PATIENT_DATA.has(role)]).toEqual([false, false]);
    });
  });

  it('is admitted by a role of the table that is held', () => {
    everyAllowed(({ who, what }, { role }) => {
      expect(what.roles).toContain(role);
      expect(who.grants.map((held) => held.role)).toContain(role);
    });
  });

  it('reaches only sites for which one of the roles is held', () => {
    everyAllowed(({ who, what, isBrief }, { scope }) => {
      const may = what.roles.filter((role) => !(hasPatientData(what, isBrief) && WITHOUT_PATIENT_DATA.has(role)));
      const isHeld = (site: string) =>
        who.grants.some((held) => may.includes(held.role) && [site, EVERY_SITE].includes(held.site));
      const reached = [...SITES, 'another'].filter((site) => isInScope(scope, site));
      expect(reached.filter((site) => !isHeld(site))).toEqual([]);
      expect(scope.length).toBeGreaterThan(0);
    });
  });

  it('with every site as the scope holds one of the roles for every site', () => {
    everyAllowed(({ who, what }, { scope }) => {
      if (scope !== 'all') return;
      expect(who.grants.some(({ role, site }) => site === EVERY_SITE && what.roles.includes(role))).toBe(true);
    });
  });

  it('to what belongs to no site has every site as the scope', () => {
    everyAllowed(({ what }, { scope }) => {
      if (what.reach === 'engine') expect(scope).toBe('all');
    });
  });

  it('to what belongs to one site has this site as the scope', () => {
    everyAllowed(({ what }, { scope }) => {
      if (what.site !== undefined) expect(scope).toEqual([what.site]);
    });
  });

  it('from the EHR is there as a reviewer, for the site of that EHR alone, and for the encounter that is open there', () => {
    everyAllowed(({ who }, { role, scope, runs }) => {
      if (who.opened === undefined) return;
      const { site, encounter } = who.opened;
      expect([role, scope]).toEqual(['reviewer', [site]]);
      expect(runs).toEqual({ sites: [site], ...(encounter !== undefined && { encounter }) });
    });
  });

  it('is admitted with any further role as well', () => {
    fc.assert(
      fc.property(caller, permission, fc.boolean(), grant, (who, what, isBrief, more) => {
        const before = decideAccess(who, what, isBrief);
        const after = decideAccess({ ...who, grants: [...who.grants, more] }, what, isBrief);
        if (before.kind === 'allowed') expect(after.kind).toBe('allowed');
      }),
    );
  });
});

describe('the decision about a caller', () => {
  const held = (...of: readonly Grant[]) => aCaller({ grants: of, purpose: 'TREAT' });

  it('without any role is a refusal everywhere', () => {
    const decisions = Object.values(PERMISSIONS).map((what) => decideAccess(aCaller({ purpose: 'TREAT' }), what, true));
    expect(new Set(decisions.map(({ kind }) => kind))).toEqual(new Set(['wrong-role']));
  });

  it('names the roles that could see the patient data', () => {
    expect(decideAccess(held({ role: 'viewer', site: 'mercy' }), RUN, false)).toEqual({
      kind: 'wrong-role',
      roles: ['operator', 'integrator', 'reviewer'],
    });
  });

  it('lets a viewer see a run in brief', () => {
    expect(decideAccess(aCaller({ grants: [{ role: 'viewer', site: 'mercy' }] }), RUN, true)).toMatchObject({
      kind: 'allowed',
      access: { role: 'viewer', scope: ['mercy'] },
    });
  });

  it('joins the sites of all roles that are admitted', () => {
    const who = held(
      { role: 'operator', site: 'mercy' },
      { role: 'viewer', site: 'general' },
      { role: 'auditor', site: 'st-mary' },
    );
    expect(decideAccess(who, RUNS, false)).toMatchObject({ access: { scope: ['general', 'mercy'] } });
    expect(decideAccess(who, RUN, false)).toMatchObject({ access: { role: 'operator', scope: ['mercy'] } });
  });

  it.each(['person', 'token'] as const)('of a %s without a purpose refuses patient data', (kind) => {
    const who = aCaller({ kind, grants: [{ role: 'operator', site: EVERY_SITE }] });
    expect(decideAccess(who, RUN, false)).toEqual({ kind: 'no-purpose' });
    expect(decideAccess(who, RUN, true)).toMatchObject({ kind: 'allowed' });
  });

  it.each(['bootstrap', 'reviewer-key'] as const)('of a %s asks for no purpose', (kind) => {
    const who = aCaller({ kind, grants: [{ role: 'reviewer', site: 'mercy', practitioner: 'Practitioner/7' }] });
    expect(decideAccess(who, REVIEW, false)).toMatchObject({ kind: 'allowed' });
  });

  it('with the operator key beside an admin admits to nothing but what makes admins', () => {
    const who = aCaller({ kind: 'lone-key', grants: ROLES.map((role) => ({ role, site: EVERY_SITE })) });
    const admitted = Object.entries(PERMISSIONS).filter(([, what]) => decideAccess(who, what, true).kind === 'allowed');
    expect(admitted.filter(([endpoint]) => !/^(GET|POST) \/people$/.test(endpoint))).toEqual([]);
    expect(decideAccess(who, { ...KEYS, isForLoneKey: true }, false).kind).toBe('allowed');
  });

  it('refuses what belongs to no site to an admin of one site', () => {
    const one = decideAccess(held({ role: 'admin', site: 'mercy' }), KEYS, false);
    const every = decideAccess(held({ role: 'admin', site: EVERY_SITE }), KEYS, false);
    expect([one.kind, every.kind]).toEqual(['wrong-role', 'allowed']);
  });

  it('takes the role that is held for every site where that is asked', () => {
    const usage = permissionOf('GET /usage');
    const who = held({ role: 'auditor', site: 'mercy' }, { role: 'admin', site: EVERY_SITE });
    expect(decideAccess(who, usage, false)).toMatchObject({ access: { role: 'admin', scope: 'all' } });
  });

  it('lets no token make what would outlive it', () => {
    const give = permissionOf('PUT /people{/Person}/:id/roles');
    const of = (kind: Caller['kind']) =>
      decideAccess({ ...held({ role: 'admin', site: EVERY_SITE }), kind }, give, false);
    expect(of('token')).toEqual({ kind: 'not-by-token' });
    expect(of('person')).toMatchObject({ kind: 'allowed' });
    expect(decideAccess({ ...held({ role: 'viewer', site: 'mercy' }), kind: 'token' }, give, false).kind).toBe(
      'wrong-role',
    );
  });

  it('refuses the routes of an extension to operators of other sites', () => {
    const act = extensionPermission('POST', 'sandbox');
    const of = (site: string) => decideAccess(held({ role: 'operator', site }), act, false).kind;
    expect([of('mercy'), of('sandbox'), of(EVERY_SITE)]).toEqual(['wrong-role', 'allowed', 'allowed']);
  });
});

describe('the table of permissions', () => {
  it('admits a role to each endpoint', () => {
    const nobody = Object.entries(PERMISSIONS).filter(([, { roles, patientData }]) =>
      roles.every((role) => patientData === 'always' && WITHOUT_PATIENT_DATA.has(role)),
    );
    expect(nobody).toEqual([]);
  });

  it('names no role for an endpoint to which it is never admitted', () => {
    const idle = Object.entries(PERMISSIONS).flatMap(([endpoint, { roles, patientData }]) =>
      roles
        .filter((role) => patientData === 'always' && WITHOUT_PATIENT_DATA.has(role))
        .map((role) => [endpoint, role]),
    );
    expect(idle).toEqual([]);
  });

  it('lets viewers and auditors change nothing', () => {
    const acts = Object.entries(PERMISSIONS).filter(([endpoint]) => !endpoint.startsWith('GET '));
    const watching = acts.filter(([, { roles }]) => roles.includes('viewer') || roles.includes('auditor'));
    // Verifying reads the whole trail; the rest is about the caller's own account.
    const others = watching.filter(([endpoint, what]) => endpoint !== 'POST /audit/verify' && what !== OWN_PERMISSION);
    expect(others.map(([endpoint]) => endpoint)).toEqual([]);
  });

  it('gives the operator key beside an admin nothing with patient data', () => {
    const lone = Object.values(PERMISSIONS).filter(({ isForLoneKey }) => isForLoneKey);
    expect(lone.filter(({ patientData }) => patientData !== 'none')).toEqual([]);
  });
});
