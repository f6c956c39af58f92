// Makes accounts, changes their names, disables and enables them, and makes their one-time links. An admin of some sites sees and changes only
// people of these sites. The trail has ids, roles and sites, and no names.
import { AppError } from '../../domain/errors.ts';
import type { Access } from '../../domain/people/caller.ts';
import { grantText, siteOf } from '../../domain/people/giving.ts';
import type { Person } from '../../domain/people/person.ts';
import { EVERY_SITE, type Grant } from '../../domain/people/role.ts';
import { present } from '../../domain/present.ts';
import type { Audit } from '../../ports/audit.ts';
import type { People } from '../../ports/people.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { randomId } from '../random-names.ts';
import type { CheckGrants } from './check-grants.ts';
import { asSeen, findManaged, findPerson, findSeen } from './find-person.ts';
import { keepAnAdmin } from './last-admin.ts';
import type { MadeLink, MakeLink } from './make-link.ts';

export type PersonOrder = { readonly name: string; readonly email?: string; readonly grants: readonly Grant[] };

export type MadePerson = {
  readonly person: Person;
  readonly link: MadeLink;
  /** Practitioners that the EHR could not confirm because it was away. */
  readonly unconfirmed: readonly string[];
};

/** Each throws `notFound` for a person whom the admin does not see, and `forbidden` for one who has roles at other sites too. */
export type ManagePeople = {
  /** Throws `invalidRequest`, `forbidden`, `notFound` for a site, `conflict` as for any roles. */
  readonly create: (order: PersonOrder, access: Access, signal: AbortSignal) => Promise<MadePerson>;
  readonly list: (
    query: { readonly limit: number; readonly cursor?: string },
    access: Access,
  ) => ReturnType<People['list']>;
  readonly show: (id: string, access: Access) => Promise<Person>;
  readonly change: (
    id: string,
    change: { readonly name?: string; readonly email?: string },
    access: Access,
  ) => Promise<Person>;
  /** It ends the person's sessions. Throws `conflict` for the last admin of every site. */
  readonly disable: (id: string, access: Access) => Promise<Person>;
  readonly enable: (id: string, access: Access) => Promise<Person>;
  /** Throws `conflict` for a person who is disabled, or whom the identity provider names. */
  readonly link: (id: string, access: Access) => Promise<MadeLink>;
};

export type ManagePeopleParts = {
  readonly people: People;
  readonly audit: Pick<Audit, 'append'>;
  readonly checkGrants: CheckGrants;
  readonly makeLink: MakeLink;
  readonly runtime: Pick<Runtime, 'makeSecret'>;
};

export function makeManagePeople(parts: ManagePeopleParts): ManagePeople {
  const { people, audit, makeLink } = parts;
  const note = (action: 'person.change' | 'person.disable' | 'person.enable' | 'person.link', person: Person) => ({
    by: ({ caller }: Access, details: Readonly<Record<string, string | readonly string[]>> = {}) =>
      audit.append({
        action,
        actor: caller.actor,
        ...siteOf(person.grants),
        details: { person: person.id, ...details },
      }),
  });

  return {
    create: (order, access, signal) => createPerson(parts, order, access, signal),
    list: (query, { scope }) => people.list({ ...query, scope }),
    show: async (id, access) => asSeen(await findSeen(people, id, access), access),

    async change(id, change, access) {
      const person = await findManaged(people, id, access);
      await note('person.change', person).by(access, { changed: Object.keys(change) });
      await people.rename(id, change);
      return findPerson(people, id);
    },

    async disable(id, access) {
      const person = await findManaged(people, id, access);
      await keepAnAdmin(people, {
        person,
        act: async () => {
          await note('person.disable', person).by(access);
          await people.disable(id);
        },
        undo: async () => void (await people.enable(id)),
      });
      return findPerson(people, id);
    },

    async enable(id, access) {
      const person = await findManaged(people, id, access);
      await note('person.enable', person).by(access);
      await people.enable(id);
      return findPerson(people, id);
    },

    async link(id, access) {
      const person = await findManaged(people, id, access);
      if (person.disabledAt !== undefined) throw new AppError('conflict', 'This person is disabled: enable them first');
      // The holder of a link signs in as the person. Where the identity provider says who a person is, no admin does.
      if (person.origin === 'oidc') throw new AppError('conflict', 'This person signs in with the identity provider');
      await note('person.link', person).by(access);
      return makeLink({ person: id, madeBy: access.caller.actor });
    },
  };
}

async function createPerson(
  { people, audit, checkGrants, makeLink, runtime }: ManagePeopleParts,
  { name, email, grants }: PersonOrder,
  { caller, scope }: Access,
  signal: AbortSignal,
): Promise<MadePerson> {
  if (caller.kind === 'lone-key') requireAdmin(grants);
  if (scope !== 'all' && grants.length === 0) {
    throw new AppError('invalidRequest', 'roles must hold at least one at your sites');
  }
  const unconfirmed = await checkGrants({ grants, known: [], scope, signal });
  const id = randomId(runtime);
  const details = { person: id, roles: grants.map(grantText) };
  await audit.append({ action: 'person.create', actor: caller.actor, ...siteOf(grants), details });
  const given = grants.map((grant) => ({ ...grant, origin: 'admin' }) as const);
  const by = caller.actor;
  const person = await people.create(present({ id, name, email, origin: 'local', grants: given, by } as const));
  return { person, link: await makeLink({ person: id, madeBy: caller.actor }), unconfirmed };
}

/** Throws `forbidden`. */
function requireAdmin(grants: readonly Grant[]): void {
  const isAdmin = ({ role, site }: Grant) => role === 'admin' && site === EVERY_SITE;
  if (grants.length === 1 && grants.every(isAdmin)) return;
  throw new AppError(
    'forbidden',
    'There is an admin now, so the operator key only makes admins of every site: sign in',
  );
}
