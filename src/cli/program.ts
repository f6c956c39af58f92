// All commands put together. Knows neither the process nor its streams: main.ts hands them in, tests hand in others.
import { Command } from 'commander';
import type { CommandParts } from './command-parts.ts';
import { examples } from './command-parts.ts';
import { addKeysCommand } from './keys-command.ts';
import { addMappingsCommand } from './mappings-command.ts';
import { makeOpsClient } from './ops-client.ts';
import { addPlansCommand } from './plans-command.ts';
import { readSettings } from './settings.ts';
import { addSitesCommand } from './sites-command.ts';
import { addUsageCommand } from './usage-command.ts';

type ProgramParts = Pick<CommandParts, 'environment' | 'print' | 'warn' | 'terminal'>;

export function makeProgram(given: ProgramParts): Command {
  const program = new Command('cli')
    .usage('[options] <command>')
    .description('Operate a Chartwright engine. Run as: npm run cli -- <command>')
    .option('--json', 'for programs: the result alone, as JSON, on stdout')
    .showHelpAfterError('(add --help to see what a command takes)')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText(
      'after',
      `${examples(
        'npm run cli -- keys create --organization my-clinic',
        'npm run cli -- plans list',
        'npm run --silent cli -- --json usage',
        'npm run cli -- sites probe mercy',
        'npm run cli -- mappings check',
      )}
The engine is found by CHARTWRIGHT_URL, else by HOST and PORT; the operator's key in OPERATOR_KEY, else in
DATA_DIR/operator.key. The mappings commands need no engine: they work on the files of MAPPINGS_DIR.`,
    );
  const parts: CommandParts = {
    ...given,
    connect: (patience) => makeOpsClient({ settings: readSettings(given.environment), ...patience }),
    wantsJson: () => program.opts()['json'] === true,
  };
  addKeysCommand(program, parts);
  addPlansCommand(program, parts);
  addUsageCommand(program, parts);
  addSitesCommand(program, parts);
  addMappingsCommand(program, parts);
  return program;
}
