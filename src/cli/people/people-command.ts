// The command `people` makes accounts and one-time links, gives and takes roles, and disables and enables people.
import type {
  MadePersonAnswer,
  PeopleAnswer,
  PersonAnswer,
  PersonLinkAnswer,
  PersonRolesAnswer,
} from '../../wire/people.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { CliError } from '../shared/cli-error.ts';
import { type CommandParts, json, LONG_PATIENCE, type TextOptions, withProgress } from '../shared/command-parts.ts';
import { askPages } from '../shared/ops-client.ts';
import { printable, readableTime } from '../shared/tables.ts';
import { renderWrapped } from '../shared/wrapped-table.ts';
import { ROLE_HELP, readRole, rolesText } from './role-words.ts';

const FIRST_ADMIN = "npm run cli -- people create --name 'Ada Example' --role 'admin@*'";

export function addPeopleCommand(program: CliCommand, parts: CommandParts): void {
  const people = program
    .command('people')
    .description('make accounts of people and their links, and give and take roles');
  addCreate(people, parts);
  addList(people, parts);
  addShow(people, parts);
  addChange(people, parts);
  addRoles(people, parts);
  addLink(people, parts);
  addSwitch(people, parts, 'disable', 'disable a person: all sessions end, and no sign-in is possible');
  addSwitch(people, parts, 'enable', 'enable a person who was disabled');
}

type CreateOptions = { readonly name: string; readonly role?: readonly string[] } & TextOptions<'email'>;

function addCreate(people: CliCommand, parts: CommandParts): void {
  const { connect, print, wantsJson } = parts;
  people
    .command('create')
    .description('make an account and show its one-time link once')
    .requiredOption('--name <name>', 'the name that others see, and that a signature has')
    .option('--role <role@site...>', ROLE_HELP)
    .option('--email <address>', 'for notices only')
    .examples(
      FIRST_ADMIN,
      "npm run cli -- people create --name 'Sam Example' --role operator@mercy auditor@mercy",
      "npm run cli -- people create --name 'Dr. Example' --role reviewer@mercy=Practitioner/7",
    )
    .remarks(`The person opens the link within 72 hours, or types it: npm run cli -- login --link <link>. The Practitioner of a reviewer
is looked up in the EHR of the site, and is one person only.`)
    .action(async ({ name, email, role = [] }: CreateOptions) => {
      const body = { name, email, roles: role.map(readRole) };
      const made = await withProgress(parts, 'Making the account …', () =>
        connect(LONG_PATIENCE).ask<MadePersonAnswer>({ method: 'POST', path: '/people', body }),
      );
      print(wantsJson() ? json(made) : describeMade(made));
    });
}

function describeMade(made: MadePersonAnswer): string {
  const who = `${printable(made.name)} has the account ${made.id}, with the roles ${printable(rolesText(made.roles))}.\n`;
  return `${who}${doubts(made.unconfirmed)}${describeLink(made)}`;
}

function describeLink({ link, linkExpiresAt }: PersonLinkAnswer): string {
  return `The link signs them in once, until ${readableTime(linkExpiresAt)} UTC. It is shown only now; give it to them only:

  ${printable(link)}

`;
}

function doubts(unconfirmed: readonly string[]): string {
  return unconfirmed
    .map((one) => `The EHR could not confirm that ${printable(one)} exists: check there before they sign anything.\n`)
    .join('');
}

function addList(people: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  people
    .command('list')
    .description('list people with their roles at your sites, newest first')
    .examples('npm run cli -- people list', 'npm run --silent cli -- --json people list')
    .action(async () => {
      const pages = await askPages<PeopleAnswer>(connect().ask, { path: '/people', query: {} });
      const listed = pages.flatMap((page) => page.people);
      if (wantsJson()) print(json({ people: listed }));
      else print(listed.length === 0 ? `No people yet. Make the first admin: ${FIRST_ADMIN}\n` : peopleTable(listed));
    });
}

function peopleTable(people: readonly PersonAnswer[]): string {
  return renderWrapped(people, {
    ID: ({ id }) => id,
    NAME: ({ name }) => name,
    'LAST SIGN-IN': ({ lastSeenAt, disabledAt }) => (disabledAt === undefined ? readableTime(lastSeenAt) : 'disabled'),
    ROLES: ({ roles }) => rolesText(roles),
  });
}

function addShow(people: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  people
    .command('show <id>')
    .description('show a person: roles and where each comes from, and the last sign-in')
    .examples('npm run cli -- people show 7c1e0b5a9d3f2468')
    .action(async (id: string) => {
      const person = await connect().ask<PersonAnswer>({ method: 'GET', path: personPath(id) });
      print(wantsJson() ? json(person) : describePerson(person));
    });
}

function describePerson({ id, name, email, roles, createdAt, lastSeenAt, disabledAt }: PersonAnswer): string {
  const lines = [
    `${printable(name)} (Person/${id})${disabledAt === undefined ? '' : `, disabled since ${readableTime(disabledAt)} UTC`}`,
    ...(email === undefined ? [] : [`E-mail:       ${printable(email)}`]),
    `Made:         ${readableTime(createdAt)} UTC`,
    `Last sign-in: ${lastSeenAt === undefined ? 'never' : `${readableTime(lastSeenAt)} UTC`}`,
    `Roles:        ${roles.length === 0 ? 'none' : ''}`,
    ...roles.map((role) => `  ${printable(rolesText([role]))} (${ORIGINS[role.origin]})`),
  ];
  return `${lines.join('\n')}\n`;
}

const ORIGINS = {
  admin: 'given by an admin',
  claims: 'from the identity provider',
  launch: 'from a launch of the EHR',
} as const;

function addChange(people: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  people
    .command('change <id>')
    .description('change the name or the e-mail address of a person')
    .option('--name <name>', 'the new name')
    .option('--email <address>', 'the new address, for notices only')
    .examples("npm run cli -- people change 7c1e0b5a9d3f2468 --name 'Sam Sample'")
    .action(async (id: string, body: TextOptions<'name' | 'email'>) => {
      const person = await connect().ask<PersonAnswer>({ method: 'PUT', path: personPath(id), body });
      print(wantsJson() ? json(person) : describePerson(person));
    });
}

function addRoles(people: CliCommand, parts: CommandParts): void {
  const { connect, print, wantsJson } = parts;
  people
    .command('roles <id> [role@site...]')
    .description('replace the roles of a person at your sites')
    .option('--none', 'take all roles at your sites')
    .examples(
      'npm run cli -- people roles 7c1e0b5a9d3f2468 operator@mercy auditor@mercy',
      'npm run cli -- people roles 7c1e0b5a9d3f2468 --none',
    )
    .remarks('Roles at other sites stay, and so do those from the identity provider or from a launch of the EHR.\n')
    .action(async (id: string, typed: readonly string[], { none = false }: { readonly none?: boolean }) => {
      if (none === typed.length > 0)
        throw new CliError('Name all roles that the person has from now on, or pass --none.');
      const request = { method: 'PUT', path: `${personPath(id)}/roles`, body: { roles: typed.map(readRole) } } as const;
      const person = await withProgress(parts, 'Giving the roles …', () =>
        connect(LONG_PATIENCE).ask<PersonRolesAnswer>(request),
      );
      print(wantsJson() ? json(person) : `${describePerson(person)}${doubts(person.unconfirmed)}`);
    });
}

function addLink(people: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  people
    .command('link <id>')
    .description('make a new one-time link; the earlier ones end')
    .examples('npm run cli -- people link 7c1e0b5a9d3f2468')
    .action(async (id: string) => {
      const link = await connect().ask<PersonLinkAnswer>({ method: 'POST', path: `${personPath(id)}/link` });
      print(wantsJson() ? json(link) : describeLink(link));
    });
}

function addSwitch(
  people: CliCommand,
  { connect, print, wantsJson }: CommandParts,
  verb: 'disable' | 'enable',
  description: string,
): void {
  people
    .command(`${verb} <id>`)
    .description(description)
    .examples(`npm run cli -- people ${verb} 7c1e0b5a9d3f2468`)
    .action(async (id: string) => {
      const person = await connect().ask<PersonAnswer>({ method: 'POST', path: `${personPath(id)}/${verb}` });
      print(wantsJson() ? json(person) : `${printable(person.name)} is ${verb}d.\n`);
    });
}

/** An id may be bare or `Person/<id>`. */
export function personPath(id: string): string {
  return `/people/${encodeURIComponent(id.replace(/^Person\//, ''))}`;
}
