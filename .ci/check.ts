// `npm run check`: format, lint, types, import rules, dead code, generated documents. Runs all, as many at once as there are cores, then says
// what failed.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

type Step = readonly [name: string, command: string, ...args: string[]];

/** The longest begin first. */
const STEPS: readonly Step[] = [
  ['types', 'tsc', '-p', '.'],
  ['dead code', 'knip', '--config', '.ci/knip.json'],
  ['format and lint', 'biome', 'check', '--error-on-warnings', '.'],
  ['FHIR definitions', 'node', '.ci/fhir-definitions.ts'],
  ['generated documents', 'node', '.ci/generated-docs.ts'],
  ['import rules', 'node', '.ci/import-rules.ts'],
  ['plain words', 'node', '.ci/plain-words.ts'],
];

const waiting = [...STEPS];
const results = await Promise.all(Array.from({ length: availableParallelism() }, runSteps));
process.exitCode = results.every((areOk) => areOk) ? 0 : 1;

/** Takes one step after the other, until none is left. */
async function runSteps(): Promise<boolean> {
  let areOk = true;
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) areOk = (await isOk(step)) && areOk;
  return areOk;
}

/** The output of a step appears in one piece, when it has ended. */
async function isOk([name, command, ...args]: Step): Promise<boolean> {
  const child = spawn(command, args, { stdio: ['inherit', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => output.push(bytes));
  const status = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
  process.stdout.write(Buffer.concat(output));
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
  return status === 0;
}
