// The command `sessions` lists and ends sessions: one's own, and for admins those of the people of their sites.
import type { EndedSessionsAnswer, SessionAnswer, SessionListAnswer } from '../../wire/me.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { CliError } from '../shared/cli-error.ts';
import { type CommandParts, json, type TextOptions } from '../shared/command-parts.ts';
import { readableTime, renderTable } from '../shared/tables.ts';
import { personPath } from './people-command.ts';

export function addSessionsCommand(program: CliCommand, parts: CommandParts): void {
  const sessions = program.command('sessions').description('list and end sessions of people');
  addList(sessions, parts);
  addEnd(sessions, parts);
}

type ListOptions = { readonly mine?: boolean } & TextOptions<'person'>;

function addList(sessions: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  sessions
    .command('list')
    .description('list open sessions, newest first')
    .option('--mine', 'only your own; every role may')
    .option('--person <id>', 'only those of this person')
    .examples('npm run cli -- sessions list --mine', 'npm run cli -- sessions list --person 7c1e0b5a9d3f2468')
    .action(async ({ mine = false, person }: ListOptions) => {
      const ofOne = person === undefined ? '/sessions' : `${personPath(person)}/sessions`;
      const answer = await connect().ask<SessionListAnswer>({ method: 'GET', path: mine ? '/me/sessions' : ofOne });
      if (wantsJson()) return print(json(answer));
      print(answer.sessions.length === 0 ? 'No session is open.\n' : sessionTable(answer.sessions));
    });
}

function sessionTable(sessions: readonly SessionAnswer[]): string {
  return renderTable(sessions, {
    ID: ({ id }) => id,
    PERSON: ({ person }) => person,
    KIND: ({ kind }) => kind,
    BY: ({ way }) => way,
    FROM: ({ address }) => address,
    'LAST USED (UTC)': ({ lastUsedAt }) => readableTime(lastUsedAt),
    ENDS: ({ endsAt }) => readableTime(endsAt),
  });
}

function addEnd(sessions: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  sessions
    .command('end [id]')
    .description('end a session, or all of a person; your own end with logout')
    .option('--person <id>', 'end all sessions of this person')
    .examples('npm run cli -- sessions end 2b9d4f6081a3c5e7', 'npm run cli -- sessions end --person 7c1e0b5a9d3f2468')
    .action(async (given: string | undefined, { person }: TextOptions<'person'>) => {
      if ((given === undefined) === (person === undefined))
        throw new CliError('Name a session, or a person with --person.');
      if (person !== undefined) {
        const request = { method: 'DELETE', path: `${personPath(person)}/sessions` } as const;
        const answer = await connect().ask<EndedSessionsAnswer>(request);
        return print(wantsJson() ? json(answer) : `Sessions ended: ${answer.ended.length}.\n`);
      }
      const id = (given ?? '').replace(/^Session\//, '');
      await connect().ask<undefined>({ method: 'DELETE', path: `/sessions/${encodeURIComponent(id)}` });
      print(wantsJson() ? json({ ended: [id] }) : 'The session ended.\n');
    });
}
