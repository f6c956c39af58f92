// Replaces the roles that an admin gave to a person. Roles from an identity provider or an EHR stay, and so do those at sites of other admins.
import { AppError } from '../../domain/errors.ts';
import type { Access } from '../../domain/people/caller.ts';
import { grantText, isAdminOfAll, isSameGrant, mayGive, siteOf } from '../../domain/people/giving.ts';
import type { Person, PersonGrant } from '../../domain/people/person.ts';
import type { Grant } from '../../domain/people/role.ts';
import type { Audit } from '../../ports/audit.ts';
import type { People } from '../../ports/people.ts';
import type { CheckGrants } from './check-grants.ts';
import { asSeen, findPerson, findSeen } from './find-person.ts';
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
  readonly people: Pick<People, 'find' | 'list' | 'setGrants'>;
  readonly audit: Pick<Audit, 'append'>;
  readonly checkGrants: CheckGrants;
};

export function makeGiveRoles({ people, audit, checkGrants }: GiveRolesParts): GiveRoles {
  return async ({ id, grants, access }, signal) => {
    const { caller, scope } = access;
    const person = await findSeen(people, id, access);
    requireNoRaise(person, grants, access);
    const unconfirmed = await checkGrants({ grants, known: person.grants, scope, signal });
    const [given, kept] = split(person.grants, (grant) => grant.origin === 'admin' && mayGive(scope, grant));
    const [added, taken] = [without(grants, given), without(given, grants)];
    const details = { person: id, added: added.map(grantText), taken: taken.map(grantText) };
    const entry = { action: 'person.change', actor: caller.actor, ...siteOf([...added, ...taken]) } as const;
    await audit.append({ ...entry, details });
    const set = (wanted: readonly Grant[]) =>
      people.setGrants({ id, origin: 'admin', grants: wanted, by: caller.actor, scope });
    const staysAdmin = isAdminOfAll({ ...person, grants: [...kept, ...grants.map(asGiven)] });
    if (staysAdmin) await set(grants);
    else await keepAnAdmin(people, { person, act: () => set(grants), undo: () => set(given) });
    return { person: asSeen(await findPerson(people, id), access), unconfirmed };
  };
}

/** Throws `forbidden`: only an admin of every site could give a role to himself that he does not have. */
function requireNoRaise(person: Person, grants: readonly Grant[], { caller, scope }: Access): void {
  if (scope === 'all' || caller.person !== person.id || without(grants, person.grants).length === 0) return;
  throw new AppError('forbidden', 'An admin gives no role to themselves: ask another admin');
}

function without(grants: readonly Grant[], others: readonly Grant[]): readonly Grant[] {
  return grants.filter((grant) => !others.some((other) => isSameGrant(grant, other)));
}

function split(grants: readonly PersonGrant[], isFirst: (grant: PersonGrant) => boolean) {
  return [grants.filter(isFirst), grants.filter((grant) => !isFirst(grant))] as const;
}

function asGiven(grant: Grant) {
  return { ...grant, origin: 'admin' } as const;
}
