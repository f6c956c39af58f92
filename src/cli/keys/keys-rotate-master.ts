// The command `keys rotate-master` replaces the master key of the database while engines work.
import type { MasterKeyAnswer } from '../../wire/master-key.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { type CommandParts, json } from '../shared/command-parts.ts';
import { readableTime } from '../shared/tables.ts';

const WHOLE = new Intl.NumberFormat('en');

export function addRotateMaster(keys: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  keys
    .command('rotate-master')
    .description('replace the master key; stored values are sealed anew in the background')
    .option('--status', 'only show how far the last replacement is')
    .examples('npm run cli -- keys rotate-master', 'npm run cli -- keys rotate-master --status')
    .action(async ({ status: isOnlyShown = false }: { readonly status?: boolean }) => {
      const { ask } = connect();
      const answer = isOnlyShown
        ? await ask<MasterKeyAnswer>({ method: 'GET', path: '/master-key' })
        : await ask<MasterKeyAnswer>({ method: 'POST', path: '/master-key/rotate' });
      print(wantsJson() ? json(answer) : describe(answer));
    });
}

function describe({ replacedAt, values = 0, sealed = 0, endedAt, remains }: MasterKeyAnswer): string {
  if (replacedAt === undefined) return 'The master key was never replaced.\n';
  const progress =
    endedAt === undefined
      ? `Sealing stored values anew: ${WHOLE.format(sealed)} of ${WHOLE.format(values)} (npm run cli -- keys rotate-master --status).`
      : `All stored values are sealed anew since ${readableTime(endedAt)} UTC.`;
  const lines = [
    `The master key was replaced at ${readableTime(replacedAt)} UTC. The old one opens nothing that is stored under the new one.`,
    progress,
    ...(remains === undefined ? [] : [remains]),
    'Keep the old key with the backups from before: they cannot be read without it.',
  ];
  return `${lines.join('\n')}\n`;
}
