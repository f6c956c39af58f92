// The command `tokens` makes, lists and revokes tokens for scripts.
import type { MadeTokenAnswer, TokenAnswer, TokenListAnswer } from '../../wire/tokens.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { type CommandParts, json, type TextOptions } from '../shared/command-parts.ts';
import { SERVICE_TOKEN } from '../shared/settings.ts';
import { printable, readableTime, renderTable } from '../shared/tables.ts';
import { ROLE_HELP, readRole, rolesText } from './role-words.ts';
import { purposeOf, wordOf } from './whoami-command.ts';

const FIRST_TOKEN = "npm run cli -- tokens create --label 'nightly report' --role viewer@mercy";

export function addTokensCommand(program: CliCommand, parts: CommandParts): void {
  const tokens = program.command('tokens').description('make, list and revoke tokens for scripts');
  addCreate(tokens, parts);
  addList(tokens, parts);
  addRevoke(tokens, parts);
}

type CreateOptions = { readonly label: string; readonly role: readonly string[] } & TextOptions<'purpose' | 'expires'>;

function addCreate(tokens: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  tokens
    .command('create')
    .description('make a token and show it once')
    .requiredOption('--label <text>', 'what the token is for')
    .requiredOption('--role <role@site...>', ROLE_HELP)
    .option(
      '--purpose <why>',
      'why it reads patient data: treatment, emergency, operations, payment (default: reads none)',
    )
    .option('--expires <date>', 'when it ends, within a year: a day (00:00 UTC) or a time (default: in 90 days)')
    .examples(
      FIRST_TOKEN,
      'npm run cli -- tokens create --label transfer --role operator@mercy --purpose operations --expires 2027-01-31',
    )
    .remarks(
      'It never has a role that you could not give, and is never a reviewer. Disabling you does not revoke it.\n',
    )
    .action(async ({ label, role, purpose, expires }: CreateOptions) => {
      const why = purpose === undefined ? undefined : purposeOf(purpose);
      const body = { label, roles: role.map(readRole), purpose: why, expiresAt: expires };
      const made = await connect().ask<MadeTokenAnswer>({ method: 'POST', path: '/tokens', body });
      print(wantsJson() ? json(made) : describeMade(made));
    });
}

function describeMade({ id, label, roles, expiresAt, token }: MadeTokenAnswer): string {
  return `Token ${id} (${printable(label)}) with the roles ${printable(rolesText(roles))}, until ${readableTime(expiresAt)} UTC. It is shown only now:

  ${printable(token)}

A script uses it so:

  ${SERVICE_TOKEN}=<token> npm run --silent cli -- --json runs list

`;
}

function addList(tokens: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  tokens
    .command('list')
    .description('list the tokens of your sites, without their text, newest first')
    .examples('npm run cli -- tokens list', 'npm run --silent cli -- --json tokens list')
    .action(async () => {
      const answer = await connect().ask<TokenListAnswer>({ method: 'GET', path: '/tokens' });
      if (wantsJson()) return print(json(answer));
      print(answer.tokens.length === 0 ? `No tokens yet. Make one: ${FIRST_TOKEN}\n` : tokenTable(answer.tokens));
    });
}

function tokenTable(tokens: readonly TokenAnswer[]): string {
  return renderTable(tokens, {
    ID: ({ id }) => id,
    LABEL: ({ label }) => label,
    ENDS: ({ expiresAt, revokedAt }) => (revokedAt === undefined ? readableTime(expiresAt) : 'revoked'),
    'LAST USED': ({ lastUsedAt }) => readableTime(lastUsedAt),
    PURPOSE: ({ purpose }) => purpose && wordOf(purpose),
    ROLES: ({ roles }) => rolesText(roles),
  });
}

function addRevoke(tokens: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  tokens
    .command('revoke <id>')
    .description('revoke a token: it is refused from now on')
    .examples('npm run cli -- tokens revoke 94a6c8e0b2d4f613')
    .action(async (given: string) => {
      const id = given.replace(/^Token\//, '');
      await connect().ask<undefined>({ method: 'DELETE', path: `/tokens/${encodeURIComponent(id)}` });
      print(wantsJson() ? json({ id, revoked: true }) : `The token ${printable(id)} is revoked.\n`);
    });
}
