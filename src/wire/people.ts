// What /ops/people and /ops/roles take and answer.
import { z } from 'zod';
import { EVERY_SITE, ROLES } from '../domain/people/role.ts';
import {
  type Answer,
  emptyAsAbsent,
  lineOfText,
  nextCursor,
  ONCE_RULE,
  pageFields,
  required,
  timestamp,
} from './fields.ts';
import { PRACTITIONER_RULE } from './reviewers.ts';

export const personId = z
  .string({ error: ONCE_RULE })
  .transform((value) => value.replace(/^Person\//, ''))
  .refine((value) => /^[0-9a-f]{16}$/.test(value), { error: 'must be the id of a person' })
  .meta({ description: 'Id of a person, bare or as `Person/<id>`.', examples: ['7c1e0b5a9d3f2468'] });

export const personPath = z.object({ id: personId });

const ROLE_RULE = `must be one of ${ROLES.join(', ')}`;
const role = z.enum(ROLES, { error: required(ROLE_RULE) });
const SITE_RULE = 'must be the name of a site, or * for every site';
const siteOrAll = z
  .string({ error: required(SITE_RULE) })
  .transform((value) => value.replace(/^Site\//, ''))
  .refine((value) => value === EVERY_SITE || /^[\w.-]{1,64}$/.test(value), { error: SITE_RULE })
  .meta({ description: 'Name of a site, bare or as `Site/<name>`; `*` for every site.', examples: ['mercy'] });

const practitioner = z
  .string({ error: PRACTITIONER_RULE })
  .regex(/^Practitioner(?:Role)?\/[A-Za-z0-9.-]{1,64}$/, { error: PRACTITIONER_RULE })
  .meta({ description: 'Only of a reviewer: who signs in the EHR of the site.', examples: ['Practitioner/7'] });

const roleBody = z.strictObject({ role, site: siteOrAll, practitioner: emptyAsAbsent(practitioner.optional()) });
export const rolesField = z.array(roleBody, { error: required('must be a list of roles') }).max(200);

const email = z
  .email({ error: 'must be an e-mail address' })
  .max(200)
  .meta({ description: 'For notices only; no person is recognized by it.', examples: ['sam@example.org'] });

export const newPersonBody = z
  .strictObject({
    name: lineOfText('The name that others see, and that a signature has.').meta({ examples: ['Sam Example'] }),
    email: emptyAsAbsent(email.optional()),
    roles: rolesField,
  })
  .meta({ id: 'NewPerson' });

export const personChangeBody = z
  .strictObject({
    name: emptyAsAbsent(lineOfText('The new name.').optional()),
    email: emptyAsAbsent(email.optional()),
  })
  .refine(({ name, email: given }) => name !== undefined || given !== undefined, { error: 'name or email is required' })
  .meta({ id: 'PersonChange' });

export const rolesBody = z
  .strictObject({ roles: rolesField.meta({ description: 'All roles that the person has from now on at your sites.' }) })
  .meta({ id: 'PersonRoles' });

export const peopleQuery = z.strictObject(pageFields);

const shownRole = z.object({
  role: z.enum(ROLES),
  site: z.string().meta({ description: '`*`: every site.' }),
  practitioner: z.string().optional(),
});

const personFields = {
  id: z.string(),
  name: z.string(),
  email: z.string().optional(),
  origin: z.enum(['local', 'oidc', 'launch']).meta({
    description: 'Made by an admin, named by the identity provider, or opened by an EHR.',
  }),
  roles: z.array(
    shownRole.extend({
      origin: z.enum(['admin', 'claims', 'launch']).meta({
        description: 'Given by an admin, by the claims of the identity provider at each sign-in, or by a launch.',
      }),
    }),
  ),
  createdAt: timestamp('When the account was made.'),
  lastSeenAt: timestamp('The last sign-in.').optional(),
  disabledAt: timestamp('When it was disabled.').optional(),
};

const linkFields = {
  link: z.string().meta({ description: 'Signs the person in once. It is shown only here.' }),
  linkExpiresAt: timestamp('The link is good until then, if it is not used or replaced before.'),
};

const unconfirmed = z
  .array(z.string())
  .meta({ description: 'Practitioners that the EHR could not confirm because it could not be reached.' });

const examplePerson = {
  id: '7c1e0b5a9d3f2468',
  name: 'Sam Example',
  origin: 'local',
  roles: [{ role: 'operator', site: 'mercy', origin: 'admin' }],
  createdAt: '2026-11-21T08:00:00.000Z',
};

const exampleLink = {
  link: 'https://charts.example.org/sign-in/link/EXAMPLE-NOT-A-LINK',
  linkExpiresAt: '2026-11-24T08:00:00.000Z',
};

export const personResponse = z.object(personFields).meta({ id: 'Person', examples: [examplePerson] });

export const madePersonResponse = z
  .object({ ...personFields, ...linkFields, unconfirmed })
  .meta({ id: 'MadePerson', examples: [{ ...examplePerson, ...exampleLink, unconfirmed: [] }] });

export const personRolesResponse = z
  .object({ ...personFields, unconfirmed })
  .meta({ id: 'PersonWithRoles', examples: [{ ...examplePerson, unconfirmed: [] }] });

export const personLinkResponse = z.object(linkFields).meta({ id: 'PersonLink', examples: [exampleLink] });

export const peopleResponse = z
  .object({ people: z.array(z.object(personFields)).meta({ description: 'Newest first.' }), next: nextCursor })
  .meta({ id: 'PersonList', examples: [{ people: [examplePerson] }] });

export const roleListResponse = z
  .object({
    roles: z.array(
      z.object({
        role: z.enum(ROLES),
        purpose: z.string().meta({ description: 'What the role is for.' }),
        readsPatientData: z.boolean(),
        may: z.array(z.string()).meta({ description: 'The endpoints, by method and path.' }),
      }),
    ),
  })
  .meta({
    id: 'RoleList',
    examples: [
      {
        roles: [
          {
            role: 'auditor',
            purpose: 'Reads and verifies the audit trail and the usage, without patient data.',
            readsPatientData: false,
            may: ['GET /ops/audit', 'POST /ops/audit/verify'],
          },
        ],
      },
    ],
  });

export type PersonAnswer = Answer<typeof personResponse>;
export type MadePersonAnswer = Answer<typeof madePersonResponse>;
export type PersonRolesAnswer = Answer<typeof personRolesResponse>;
export type PersonLinkAnswer = Answer<typeof personLinkResponse>;
export type PeopleAnswer = Answer<typeof peopleResponse>;
export type RoleListAnswer = Answer<typeof roleListResponse>;
