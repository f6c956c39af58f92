// Assembles all commands. The process and its streams are handed in, by main.ts or by tests.
import { setTimeout as sleep } from 'node:timers/promises';
import { addAuditCommand } from './audit-command.ts';
import { addCodesCommand } from './codes/codes-command.ts';
import { addKeysCommand } from './keys/keys-command.ts';
import { addPlansCommand } from './keys/plans-command.ts';
import { addReviewersCommand } from './keys/reviewers-command.ts';
import { addUsageCommand } from './keys/usage-command.ts';
import { addMappingsCommand } from './mappings/mappings-command.ts';
import { addLoginCommands } from './people/login-command.ts';
import { addPeopleCommand } from './people/people-command.ts';
import { addSessionsCommand } from './people/sessions-command.ts';
import { addTokensCommand } from './people/tokens-command.ts';
import { addWhoamiCommands } from './people/whoami-command.ts';
import { addReviewsCommand } from './reviews/reviews-command.ts';
import { addRunsCommand } from './runs/runs-command.ts';
import { addSandboxCommand } from './sandbox/sandbox-command.ts';
import { CliCommand } from './shared/cli-command.ts';
import type { CommandParts } from './shared/command-parts.ts';
import { makeOpsClient } from './shared/ops-client.ts';
import { readSettings } from './shared/settings.ts';
import { addSitesCommand } from './sites/sites-command.ts';

type ProgramParts = Pick<CommandParts, 'environment' | 'print' | 'warn' | 'terminal' | 'now'> &
  Partial<Pick<CommandParts, 'pause'>>;

export function makeProgram(given: ProgramParts): CliCommand {
  const program = new CliCommand('cli')
    .usage('[options] <command>')
    .description('Operate a Chartwright engine. Run as: npm run cli -- <command>')
    .option('--json', 'print only the result, as JSON, for programs')
    .configureOutput({ writeOut: given.print, writeErr: given.warn })
    .showHelpAfterError('(add --help to see what a command takes)')
    .configureHelp({ showGlobalOptions: true })
    .examples(
      'npm run cli -- keys create --organization my-clinic',
      'npm run cli -- plans list',
      'npm run --silent cli -- --json usage',
      'npm run cli -- sites probe mercy',
      'npm run cli -- runs explain mercy Encounter/123',
      'npm run cli -- runs watch',
      'npm run cli -- login',
      'npm run cli -- mappings check',
      'npm run cli -- sandbox finish en-chest-pressure --watch',
    )
    .remarks(`The address of the engine is CHARTWRIGHT_URL, else http://HOST:PORT. The commands work as the person who has signed
in there (login), or with the token in CHARTWRIGHT_TOKEN; until there is an admin also with the operator's key, which is
OPERATOR_KEY, else in DATA_DIR/operator.key. The mappings commands need no engine: they work on the files of MAPPINGS_DIR.`);
  const parts: CommandParts = {
    pause: (ms) => sleep(ms),
    ...given,
    ...tidy(given),
    connect: (how) => makeOpsClient({ settings: readSettings(given.environment, given.now), ...how }),
    wantsJson: () => program.opts()['json'] === true,
  };
  addKeysCommand(program, parts);
  addPlansCommand(program, parts);
  addUsageCommand(program, parts);
  addSitesCommand(program, parts);
  addRunsCommand(program, parts);
  addReviewsCommand(program, parts);
  addReviewersCommand(program, parts);
  addLoginCommands(program, parts);
  addWhoamiCommands(program, parts);
  addPeopleCommand(program, parts);
  addSessionsCommand(program, parts);
  addTokensCommand(program, parts);
  addSandboxCommand(program, parts);
  addAuditCommand(program, parts);
  addCodesCommand(program, parts);
  addMappingsCommand(program, parts);
  return program;
}

/** Removes a progress message before anything else is printed, because both go to the same screen. */
function tidy({ print, warn, terminal }: ProgramParts): Pick<CommandParts, 'print' | 'warn' | 'terminal'> {
  const { tellProgress } = terminal;
  if (tellProgress === undefined) return { print, warn, terminal };
  let isTelling = false;
  const tell = (text: string) => {
    if (text !== '' || isTelling) tellProgress(text);
    isTelling = text !== '';
  };
  const after = (write: (text: string) => void) => (text: string) => {
    tell('');
    write(text);
  };
  return { print: after(print), warn: after(warn), terminal: { ...terminal, tellProgress: tell } };
}
