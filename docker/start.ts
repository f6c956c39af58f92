// The entry point of the container: `start.ts` runs the engine, `start.ts cli …` the command line. Both read the secrets from files and run in
// this process, so that signals reach them and no secret is in the environment of the container.
import { fileURLToPath } from 'node:url';
import { readSecretVariables } from './secret-variables.ts';

const isCommand = process.argv[2] === 'cli';
const program = new URL(isCommand ? '../src/cli/main.ts' : '../src/main.ts', import.meta.url);
if (takeSecrets()) {
  // The program sees the same arguments as if Node had started it.
  process.argv.splice(1, isCommand ? 2 : 1, fileURLToPath(program));
  await import(program.href);
}

function takeSecrets(): boolean {
  try {
    Object.assign(process.env, readSecretVariables(process.env));
    return true;
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : 'The secrets cannot be read.'}\n`);
    process.exitCode = 1;
    return false;
  }
}
