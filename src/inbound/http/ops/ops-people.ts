// People with accounts over HTTP. A one-time link is only in the answer that makes it.
import type { Request } from 'express';
import { AppError } from '../../../domain/errors.ts';
import type { Person } from '../../../domain/people/person.ts';
import type { Grant } from '../../../domain/people/role.ts';
import { rightsOfRoles } from '../../../domain/people/role-rights.ts';
import { present } from '../../../domain/present.ts';
import type { GiveRoles } from '../../../flows/people/give-roles.ts';
import type { MadeLink } from '../../../flows/people/make-link.ts';
import type { ManagePeople } from '../../../flows/people/manage-people.ts';
import { PAGE_SIZE } from '../../../wire/fields.ts';
import {
  type MadePersonAnswer,
  newPersonBody,
  type PeopleAnswer,
  type PersonAnswer,
  type PersonLinkAnswer,
  type PersonRolesAnswer,
  peopleQuery,
  personChangeBody,
  personId,
  type RoleListAnswer,
  rolesBody,
} from '../../../wire/people.ts';
import { validate } from '../body/validate.ts';
import { forClient } from '../server/client-signal.ts';
import { readOpsBody } from './ops-body.ts';
import { accessOf } from './ops-caller.ts';
import type { Handlers } from './ops-handlers.ts';

export type PeopleHandlerParts = { readonly managePeople: ManagePeople; readonly giveRoles: GiveRoles };

type Names = 'create' | 'list' | 'show' | 'change' | 'setRoles' | 'link' | 'disable' | 'enable' | 'roles';

export function makePeopleHandlers({ managePeople, giveRoles }: PeopleHandlerParts): Handlers<Names> {
  return {
    async create(req, res) {
      const { roles, ...named } = validate(newPersonBody, await readOpsBody(req, res));
      const order = present({ ...named, grants: roles.map(asGrant) });
      const made = await forClient(req, res, (signal) => managePeople.create(order, accessOf(res), signal));
      const { person, link, unconfirmed } = made;
      const answer: MadePersonAnswer = { ...personAnswer(person), ...linkAnswer(link), unconfirmed };
      res.status(201).json(answer);
    },

    async list(req, res) {
      const { limit = PAGE_SIZE.defaultLimit, cursor } = validate(peopleQuery, { ...req.query });
      const { people, next } = await managePeople.list(present({ limit, cursor }), accessOf(res));
      const answer: PeopleAnswer = present({ people: people.map(personAnswer), next });
      res.json(answer);
    },

    async show(req, res) {
      res.json(personAnswer(await managePeople.show(personOf(req), accessOf(res))));
    },

    async change(req, res) {
      const change = present(validate(personChangeBody, await readOpsBody(req, res)));
      res.json(personAnswer(await managePeople.change(personOf(req), change, accessOf(res))));
    },

    async setRoles(req, res) {
      const { roles } = validate(rolesBody, await readOpsBody(req, res));
      const order = { id: personOf(req), grants: roles.map(asGrant), access: accessOf(res) };
      const { person, unconfirmed } = await forClient(req, res, (signal) => giveRoles(order, signal));
      const answer: PersonRolesAnswer = { ...personAnswer(person), unconfirmed };
      res.json(answer);
    },

    async link(req, res) {
      const answer: PersonLinkAnswer = linkAnswer(await managePeople.link(personOf(req), accessOf(res)));
      res.status(201).json(answer);
    },

    async disable(req, res) {
      res.json(personAnswer(await managePeople.disable(personOf(req), accessOf(res))));
    },

    async enable(req, res) {
      res.json(personAnswer(await managePeople.enable(personOf(req), accessOf(res))));
    },

    async roles(_req, res) {
      const answer: RoleListAnswer = { roles: rightsOfRoles() };
      res.json(answer);
    },
  };
}

/** Throws `notFound` for a text that cannot be an id. */
export function personOf(req: Request): string {
  const { success, data } = personId.safeParse(req.params['id']);
  if (!success) throw new AppError('notFound', 'There is no person with this id');
  return data;
}

export function asGrant({
  role,
  site,
  practitioner,
}: Omit<Grant, 'practitioner'> & { practitioner?: string | undefined }): Grant {
  return present({ role, site, practitioner });
}

function linkAnswer({ address, expiresAt }: MadeLink): PersonLinkAnswer {
  return { link: address, linkExpiresAt: expiresAt.toISOString() };
}

function personAnswer({ id, name, email, origin, grants, createdAt, lastSeenAt, disabledAt }: Person): PersonAnswer {
  const roles = grants.map((grant) => present({ ...asGrant(grant), origin: grant.origin }));
  return present({
    id,
    name,
    email,
    origin,
    roles,
    createdAt: createdAt.toISOString(),
    lastSeenAt: lastSeenAt?.toISOString(),
    disabledAt: disabledAt?.toISOString(),
  });
}
