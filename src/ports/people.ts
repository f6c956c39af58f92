// The people with accounts, their roles, and how they are recognized.
import type { GrantOrigin, Identity, Person, PersonGrant, PersonOrigin } from '../domain/people/person.ts';
import type { Grant, SiteScope } from '../domain/people/role.ts';

export type NewPerson = {
  readonly id: string;
  readonly name: string;
  readonly email?: string;
  readonly origin: PersonOrigin;
  readonly grants: readonly PersonGrant[];
  /** The actor who gave the grants; absent: the engine itself, at a first sign-in. */
  readonly by?: string;
  readonly identity?: Identity;
};

/** Throws `overloaded` if the database cannot be reached. */
export type People = {
  /** Throws `conflict` if the id, the identity, or the Practitioner of a site, belongs to another person. */
  readonly create: (person: NewPerson) => Promise<Person>;
  readonly find: (id: string) => Promise<Person | undefined>;
  readonly findByIdentity: (identity: Identity) => Promise<Person | undefined>;
  /** The person who signs as this Practitioner, also if the account is disabled. */
  readonly findByPractitioner: (site: string, practitioner: string) => Promise<Person | undefined>;
  /**
   * People with a grant in the scope, the newest first; with `all` also those without any grant. Only their grants in the scope are shown: an
   * admin of one site does not learn where else a person works.
   */
  readonly list: (query: {
    readonly scope: SiteScope;
    readonly limit: number;
    readonly cursor?: string;
  }) => Promise<{ readonly people: readonly Person[]; readonly next?: string }>;
  /** Binds an identity to a person. Throws `conflict` if it is another one's. */
  readonly addIdentity: (id: string, identity: Identity) => Promise<void>;
  readonly rename: (id: string, change: { readonly name?: string; readonly email?: string }) => Promise<void>;
  /**
   * Replaces the grants of this origin at the sites in the scope (absent: at all sites); the others stay. Throws `notFound` if there is no such
   * person, `forbidden` if a grant is out of the scope, `conflict` if a Practitioner of a site is another person's.
   */
  readonly setGrants: (order: {
    readonly id: string;
    readonly origin: GrantOrigin;
    readonly grants: readonly Grant[];
    readonly by: string;
    readonly scope?: SiteScope;
  }) => Promise<void>;
  /** False if there is no such person. Disabling ends all sessions of the person in the same transaction. */
  readonly disable: (id: string) => Promise<boolean>;
  readonly enable: (id: string) => Promise<boolean>;
  /** Whether there has ever been an admin of every site: who disables the last one does not get the rights of the operator key back. */
  readonly hasAdmin: () => Promise<boolean>;
};
