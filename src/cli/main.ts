// The command line: `npm run cli -- …`. Results on stdout, what went wrong on stderr with exit code 1.
import { existsSync } from 'node:fs';
import { makeProgram } from './program.ts';
import { CliError } from './shared/cli-error.ts';
import { makeTerminal } from './shared/terminal.ts';

// Whoever reads may have enough after the first lines (`| head`).
process.stdout.on('error', () => process.exit(0));

// The engine reads the same file. What the environment says goes before it.
if (existsSync('.env')) process.loadEnvFile('.env');

const program = makeProgram({
  environment: process.env,
  print: (text) => process.stdout.write(text),
  warn: (text) => process.stderr.write(text),
  terminal: makeTerminal(process, process.env),
  now: () => new Date(),
});
try {
  await program.parseAsync();
} catch (thrown) {
  if (!(thrown instanceof CliError)) throw thrown;
  process.stderr.write(`${thrown.message}\n`);
  process.exitCode = 1;
}
