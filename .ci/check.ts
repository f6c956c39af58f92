// `npm run check`: format, lint, types, import rules, dead code, generated documents. Runs all, then says what failed.
import { spawnSync } from 'node:child_process';

/** The places whose words are checked. The remaining guides and tests still have to be reworded. */
const REWORDED: readonly string[] = [
  ...['src', 'mappings', 'knowledge', 'docker', '.ci', '.github'],
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...['operations', 'configuration', 'service-interface', 'rest', 'write-chart', 'sandbox'].map(
    (page) => `docs/${page}.md`,
  ),
  ...['ci', 'composition', 'contracts', 'domain', 'eval', 'fakes', 'flows', 'inbound', 'mapping', 'mappings'].map(
    (room) => `test/${room}`,
  ),
  ...['platform', 'rules', 'clinical-text', 'sandbox', 'validation', 'wire'].map((room) => `test/${room}`),
];

const STEPS: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ['format and lint', 'biome', 'check', '--error-on-warnings', '.'],
  ['types', 'tsc', '-p', '.'],
  ['import rules', 'node', '.ci/import-rules.ts'],
  ['plain words', 'node', '.ci/plain-words.ts', ...REWORDED],
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
