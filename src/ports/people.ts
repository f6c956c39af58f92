// The people with accounts, their roles, and how they are recognized.
import type { GrantOrigin, Identity, Person, PersonGrant, PersonOrigin } from '../domain/people/person.ts';
import type { Grant, SiteScope } from '../domain/people/role.ts';

export type NewPerson = {
  readonly id: string;
  readonly name: string;
  readonly email?: string;
  readonly origin: PersonOrigin;
  readonly grants: readonly PersonGrant[];
  readonly identity?: Identity;
};

/** Throws `overloaded` if the database cannot be reached. */
export type People = {
  /** Throws `conflict` if the identity, or the Practitioner of a site, belongs to another person. */
  readonly create: (person: NewPerson) => Promise<Person>;
  readonly find: (id: string) => Promise<Person | undefined>;
  readonly findByIdentity: (identity: Identity) => Promise<Person | undefined>;
  /** The reviewer who signs as this Practitioner. */
  readonly findByPractitioner: (site: string, practitioner: string) => Promise<Person | undefined>;
  /** People with a grant in the scope, the newest first; with `all` also those without any grant. */
  readonly list: (query: {
    readonly scope: SiteScope;
    readonly limit: number;
    readonly cursor?: string;
  }) => Promise<{ readonly people: readonly Person[]; readonly next?: string }>;
  /** Binds an identity to a person. Throws `conflict` if it is another one's. */
  readonly addIdentity: (id: string, identity: Identity) => Promise<void>;
  readonly rename: (id: string, change: { readonly name?: string; readonly email?: string }) => Promise<void>;
  /** Replaces the grants of this origin; the others stay. Throws `conflict` if a Practitioner of a site is another person's. */
  readonly setGrants: (order: {
    readonly id: string;
    readonly origin: GrantOrigin;
    readonly grants: readonly Grant[];
    readonly by: string;
  }) => Promise<void>;
  /** False if there is no such person. Disabling ends all sessions of the person in the same transaction. */
  readonly disable: (id: string) => Promise<boolean>;
  readonly enable: (id: string) => Promise<boolean>;
  /** Whether a person who is not disabled is admin of every site. */
  readonly hasAdmin: () => Promise<boolean>;
};
