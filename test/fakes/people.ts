// People with accounts, in memory. The fakes of sessions and local accounts share them.
import { AppError } from '../../src/domain/errors.ts';
import type { Identity, Person, PersonGrant } from '../../src/domain/people/person.ts';
import { EVERY_SITE, isInScope } from '../../src/domain/people/role.ts';
import { present } from '../../src/domain/present.ts';
import type { People } from '../../src/ports/people.ts';

export type FakePeople = People & {
  /** Called with the id of each person who is disabled. */
  readonly whenDisabled: (end: (person: string) => void) => void;
  readonly noteSeen: (id: string) => void;
};

export function makeFakePeople({ now = () => new Date() }: { readonly now?: () => Date } = {}): FakePeople {
  const stored = new Map<string, Person>();
  const identities = new Map<string, string>();
  const listeners: ((person: string) => void)[] = [];
  let hadAdmin = false;

  const ownerOf = ({ site, practitioner }: Pick<PersonGrant, 'site' | 'practitioner'>) =>
    [...stored.values()].find(({ grants }) =>
      grants.some((grant) => grant.site === site && practitioner !== undefined && grant.practitioner === practitioner),
    );
  const requireFree = (id: string, grants: readonly PersonGrant[]): void => {
    const isTaken = grants.some((grant) => (ownerOf(grant)?.id ?? id) !== id);
    if (isTaken) throw new AppError('conflict', 'Another person signs as this Practitioner already');
  };
  const addIdentity = (id: string, identity: Identity): void => {
    if ((identities.get(keyOf(identity)) ?? id) !== id) {
      throw new AppError('conflict', 'This identity belongs to another person');
    }
    identities.set(keyOf(identity), id);
  };
  const put = (person: Person): Person => {
    hadAdmin ||= person.grants.some(({ role, site }) => role === 'admin' && site === EVERY_SITE);
    stored.set(person.id, person);
    return { ...person };
  };
  const found = (id: string | undefined) => {
    const person = stored.get(id ?? '');
    return person && { ...person };
  };

  return {
    whenDisabled: (end) => void listeners.push(end),
    noteSeen: (id) => {
      const person = stored.get(id);
      if (person) stored.set(id, { ...person, lastSeenAt: now() });
    },
    create: async ({ id, name, email, origin, grants, identity }) => {
      if (stored.has(id)) throw new AppError('conflict', 'There is a person with this id');
      requireFree(id, grants);
      if (identity !== undefined) addIdentity(id, identity);
      return put(present({ id, name, email, origin, grants: inOrder(grants), createdAt: now() }));
    },
    find: async (id) => found(id),
    findByIdentity: async (identity) => found(identities.get(keyOf(identity))),
    findByPractitioner: async (site, practitioner) => found(ownerOf({ site, practitioner })?.id),
    list: async ({ scope, limit, cursor }) => {
      const all = [...stored.values()].map((person, position) => ({ person, position })).toReversed();
      const rows = all
        .map((row) => ({ ...row, grants: row.person.grants.filter(({ site }) => isInScope(scope, site)) }))
        .filter(({ grants }) => scope === 'all' || grants.length > 0)
        .filter(({ position }) => cursor === undefined || position < Number(cursor));
      const people = rows.slice(0, limit).map(({ person, grants }) => ({ ...person, grants }));
      const next = rows.length > limit ? String(rows[limit - 1]?.position) : undefined;
      return present({ people, next });
    },
    addIdentity: async (id, identity) => addIdentity(id, identity),
    rename: async (id, change) => {
      const person = stored.get(id);
      if (person) stored.set(id, { ...person, ...present(change) });
    },
    setGrants: async ({ id, origin, grants, scope = 'all' }) => {
      const person = stored.get(id);
      if (person === undefined) throw new AppError('notFound', 'There is no such person');
      if (grants.some(({ site }) => !isInScope(scope, site))) throw new AppError('forbidden', 'Out of the scope');
      const added = grants.map((grant) => ({ ...grant, origin }));
      requireFree(id, added);
      const kept = person.grants.filter((grant) => grant.origin !== origin || !isInScope(scope, grant.site));
      put({ ...person, grants: inOrder([...kept, ...added]) });
    },
    disable: async (id) => {
      const person = stored.get(id);
      if (person === undefined) return false;
      stored.set(id, { ...person, disabledAt: person.disabledAt ?? now() });
      for (const end of listeners) end(id);
      return true;
    },
    enable: async (id) => {
      const person = stored.get(id);
      if (person === undefined) return false;
      const { disabledAt: _, ...enabled } = person;
      stored.set(id, enabled);
      return true;
    },
    hasAdmin: async () => hadAdmin,
  };
}

function keyOf({ issuer, subject }: Identity): string {
  return JSON.stringify([issuer, subject]);
}

function inOrder(grants: readonly PersonGrant[]): readonly PersonGrant[] {
  const textOf = ({ role, site, origin }: PersonGrant) => `${role} ${site} ${origin}`;
  return structuredClone(grants.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1)));
}
