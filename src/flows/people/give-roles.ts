// Replaces the roles that an admin gave to a person. Roles from an identity provider or an EHR stay, and so do those at sites of other admins.
import { AppError } from '../../domain/errors.ts';
import type { Access } from '../../domain/people/caller.ts';
import { grantText, isAdminOfAll, isSameGrant, mayGive, siteOf } from '../../domain/people/giving.ts';
import type { Person } from '../../domain/people/person.ts';
import type { Grant } from '../../domain/people/role.ts';
import type { Audit } from '../../ports/audit.ts';
import type { People } from '../../ports/people.ts';
import type { CheckGrants } from './check-grants.ts';
import { findSeen } from './find-person.ts';
import { keepAnAdmin } from './last-admin.ts';

export type GiveRolesOrder = {
  readonly id: string;
  /** All roles that the person has from now on at the admin's sites. */
  readonly grants: readonly Grant[];
  readonly access: Access;
};

/** `unconfirmed`: Practitioners that the EHR could not confirm because it was away. */
export type GivenRoles = { readonly person: Person; readonly unconfirmed: readonly string[] };

/** Throws `notFound`, `forbidden`, `invalidRequest`, `conflict`. */
export type GiveRoles = (order: GiveRolesOrder, signal: AbortSignal) => Promise<GivenRoles>;

export type GiveRolesParts = {
  readonly people: Pick<People, 'find' | 'list' | 'setGrants' | 'hasAdmin'>;
  readonly audit: Pick<Audit, 'append'>;
  readonly checkGrants: CheckGrants;
};

export function makeGiveRoles({ people, audit, checkGrants }: GiveRolesParts): GiveRoles {
  return async ({ id, grants, access }, signal) => {
    const { caller, scope } = access;
    const person = await findSeen(people, id, access);
    requireNoRaise(person, grants, access);
    const unconfirmed = await checkGrants({ grants, known: person.grants, scope, signal });
    const given = person.grants.filter(({ origin }) => origin === 'admin');
    const kept = given.filter((grant) => !mayGive(scope, grant));
    const [added, taken] = [without(grants, given), without(without(given, kept), grants)];
    const changes = { person: id, added: added.map(grantText), taken: taken.map(grantText) };
    await audit.append({
      action: 'person.change',
      actor: caller.actor,
      ...siteOf([...added, ...taken]),
      details: changes,
    });
    const set = (wanted: readonly Grant[]) =>
      people.setGrants({ id, origin: 'admin', grants: wanted, by: caller.actor });
    const all = [...kept, ...grants];
    const others = person.grants.filter(({ origin }) => origin !== 'admin');
    const staysAdmin = isAdminOfAll({ ...person, grants: [...others, ...all.map(asGiven)] });
    if (staysAdmin) await set(all);
    else await keepAnAdmin(people, { person, act: () => set(all), undo: () => set(given) });
    return { person: await findSeen(people, id, { ...access, scope: 'all' }), unconfirmed };
  };
}

/** Throws `forbidden`: only an admin of every site could give a role to himself that he does not have. */
function requireNoRaise(person: Person, grants: readonly Grant[], { caller, scope }: Access): void {
  if (scope === 'all' || caller.person !== person.id || without(grants, person.grants).length === 0) return;
  throw new AppError('forbidden', 'Nobody gives roles to themselves: ask another admin');
}

function without(grants: readonly Grant[], others: readonly Grant[]): readonly Grant[] {
  return grants.filter((grant) => !others.some((other) => isSameGrant(grant, other)));
}

function asGiven(grant: Grant) {
  return { ...grant, origin: 'admin' } as const;
}
