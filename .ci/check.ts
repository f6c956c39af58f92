// `npm run check`: format, lint, types, import rules, dead code, generated documents. Runs all, then says what failed.
import { spawnSync } from 'node:child_process';

const STEPS: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ['format and lint', 'biome', 'check', '--error-on-warnings', '.'],
  ['types', 'tsc', '-p', '.'],
  ['import rules', 'node', '.ci/import-rules.ts'],
  ['plain words', 'node', '.ci/plain-words.ts'],
  ['dead code', 'knip', '--config', '.ci/knip.json'],
  ['generated documents', 'node', '.ci/generated-docs.ts'],
  ['FHIR definitions', 'node', '.ci/fhir-definitions.ts'],
];

const failed = STEPS.filter(([name, command, ...args]) => {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
  return status !== 0;
});
process.exitCode = failed.length === 0 ? 0 : 1;
