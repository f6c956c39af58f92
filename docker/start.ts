// What runs in the container: `start.ts` the engine, `start.ts cli …` its command line. Both with the secrets that lie in files, and
// in this process: so signals reach it, and no secret stands in the environment that it was started with.
import { fileURLToPath } from 'node:url';
import { readSecretVariables } from './secret-variables.ts';

const isCommand = process.argv[2] === 'cli';
const program = new URL(isCommand ? '../src/cli/main.ts' : '../src/main.ts', import.meta.url);
if (takeSecrets()) {
  // As if Node had been started with it.
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
