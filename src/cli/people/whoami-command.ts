// The commands `whoami`, `purpose` and `roles`: who is signed in, why patient data is read, and what each role may do.
import { WITHOUT_PATIENT_DATA } from '../../domain/people/permissions.ts';
import type { Purpose } from '../../domain/people/purpose.ts';
import type { MeAnswer } from '../../wire/me.ts';
import type { RoleListAnswer } from '../../wire/people.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { CliError } from '../shared/cli-error.ts';
import { type CommandParts, json } from '../shared/command-parts.ts';
import { printable, readableTime } from '../shared/tables.ts';
import { renderWrapped } from '../shared/wrapped-table.ts';
import { rolesText } from './role-words.ts';

const PURPOSES: Readonly<Record<string, Purpose>> = {
  treatment: 'TREAT',
  emergency: 'ETREAT',
  operations: 'HOPERAT',
  payment: 'HPAYMT',
};
const WORDS = Object.keys(PURPOSES);

export function addWhoamiCommands(program: CliCommand, parts: CommandParts): void {
  addWhoami(program, parts);
  addPurpose(program, parts);
  addRoles(program, parts);
}

function addWhoami(program: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  program
    .command('whoami')
    .description('show as whom the commands work: name, roles, purpose and session')
    .examples('npm run cli -- whoami', 'npm run --silent cli -- --json whoami')
    .action(async () => {
      const { ask, baseUrl } = connect();
      const me = await ask<MeAnswer>({ method: 'GET', path: '/me' });
      print(wantsJson() ? json(me) : describeMe(me, baseUrl));
    });
}

function describeMe(me: MeAnswer, baseUrl: string): string {
  const { name, actor, roles, session } = me;
  const how =
    session &&
    `Session: ${session.way}, from ${printable(session.address)}, until ${readableTime(session.endsAt)} UTC\n`;
  return `${printable(name)} (${printable(actor)}) at ${baseUrl}
Roles:   ${printable(rolesText(roles))}
Purpose: ${purposeWords(me)}
${how ?? ''}`;
}

function purposeWords({ kind, purpose, roles }: MeAnswer): string {
  if (purpose !== undefined) return wordOf(purpose);
  if (kind === 'bootstrap' || kind === 'reviewer-key') return 'not asked of this key';
  if (!readsPatientData(roles)) return 'none is needed: these roles read no patient data';
  return kind === 'token'
    ? 'none, so no patient data is shown (a token gets one when it is made)'
    : 'none, so no patient data is shown (npm run cli -- purpose treatment)';
}

/** Whether one of the roles may, once there is a purpose. */
export function readsPatientData(roles: MeAnswer['roles']): boolean {
  return roles.some(({ role }) => !WITHOUT_PATIENT_DATA.has(role));
}

/** Throws a CliError for another word. */
export function purposeOf(word: string): Purpose {
  const purpose = Object.hasOwn(PURPOSES, word) ? PURPOSES[word] : undefined;
  if (purpose !== undefined) return purpose;
  throw new CliError(`${printable(word)} is no purpose: say one of ${WORDS.join(', ')}.`);
}

export function wordOf(purpose: Purpose): string {
  return WORDS.find((word) => PURPOSES[word] === purpose) ?? purpose;
}

function addPurpose(program: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  program
    .command('purpose <why>')
    .description('say why you read patient data: treatment, emergency, operations or payment')
    .examples('npm run cli -- purpose treatment')
    .remarks('It is remembered until the session ends, and is recorded in the audit trail with each read.\n')
    .action(async (word: string) => {
      const purpose = purposeOf(word);
      await connect().ask<unknown>({ method: 'PUT', path: '/me/purpose', body: { purpose } });
      print(wantsJson() ? json({ purpose }) : `You read patient data for ${word} until the session ends.\n`);
    });
}

function addRoles(program: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  program
    .command('roles [role]')
    .description('list the roles, or what one of them may do')
    .examples('npm run cli -- roles', 'npm run cli -- roles operator')
    .action(async (name?: string) => {
      const { roles } = await connect().ask<RoleListAnswer>({ method: 'GET', path: '/roles' });
      const shown = name === undefined ? roles : roles.filter(({ role }) => role === name);
      if (shown.length === 0) {
        throw new CliError(
          `There is no role ${printable(name ?? '')}: say one of ${roles.map(({ role }) => role).join(', ')}.`,
        );
      }
      if (wantsJson()) return print(json({ roles: shown }));
      print(name === undefined ? roleTable(shown) : shown.map(describeRole).join(''));
    });
}

function roleTable(roles: RoleListAnswer['roles']): string {
  return renderWrapped(roles, {
    ROLE: ({ role }) => role,
    'PATIENT DATA': ({ readsPatientData }) => (readsPatientData ? 'yes' : 'no'),
    'WHAT IT IS FOR': ({ purpose }) => purpose,
  });
}

function describeRole({ role, purpose, may }: RoleListAnswer['roles'][number]): string {
  return `${role}: ${printable(purpose)}\n${may.map((endpoint) => `  ${printable(endpoint)}\n`).join('')}`;
}
