// The command line (`npm run cli -- …`). Results go to stdout; errors go to stderr with exit code 1.
import { existsSync } from 'node:fs';
import { withCommandName } from '../platform/command-name.ts';
import { makeProgram } from './program.ts';
import { CliError } from './shared/cli-error.ts';
import { makeTerminal } from './shared/terminal.ts';

// The reader may close the pipe early (`| head`).
process.stdout.on('error', () => process.exit(0));

// The engine reads the same file. Variables of the environment take precedence.
if (existsSync('.env')) process.loadEnvFile('.env');

/** Messages and helps name the command as the user runs it. */
const named = (text: string) => withCommandName(text, process.env);

const program = makeProgram({
  environment: process.env,
  print: (text) => process.stdout.write(named(text)),
  warn: (text) => process.stderr.write(named(text)),
  terminal: makeTerminal(process, process.env),
  now: () => new Date(),
});
try {
  await program.parseAsync();
} catch (thrown) {
  if (!(thrown instanceof CliError)) throw thrown;
  process.stderr.write(`${named(thrown.message)}\n`);
  process.exitCode = 1;
}
