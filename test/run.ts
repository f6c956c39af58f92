// `npm test` finds or installs what the tests need, runs them all, and ends with one line "N passed, N failed".
// `npm run test:quick` (`--quick`) runs the tests that need no database, broker or browser. Other arguments are passed to
// Jest: `npm test -- test/domain`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { findChromium } from './support/chromium.ts';
import { openMemoryFolder } from './support/memory-folder.ts';
import { hasDocker, hasLocalRabbitmq } from './support/rabbit-server.ts';

type JestSummary = {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numRuntimeErrorTestSuites: number;
};

/** The limit is many times the duration of a run, so that a run that hangs fails. */
const RUN_TIMEOUT_MS = 40 * 60_000;

/** V8's cache of compiled code holds all modules of all earlier test files, and each collection of garbage has to visit them. */
const NODE_FLAGS = ['--experimental-vm-modules', '--no-warnings', '--no-compilation-cache'];

/** Folders whose tests are pure, or need only the disk. */
const QUICK = ['ci', 'clinical-text', 'domain', 'flows', 'mapping', 'mappings', 'validation', 'wire'];
/** Suites of these folders that take long: properties over thousands of cases, and crashes at every await. */
const SLOW = ['run-crashes', 'run-model', 'run-safety', 'property', 'any-mapping', 'fhir-checkers', 'import-rules'];

const rest = process.argv.slice(2).filter((word) => word !== '--quick');
const isQuick = rest.length < process.argv.length - 2;
if (!isQuick) {
  ensureChromium();
  ensureRabbitmq();
}
const folder = mkdtempSync(path.join(tmpdir(), 'chartwright-tests-'));
const summaryFile = path.join(folder, 'summary.json');
const { status } = spawnSync(
  process.execPath,
  [
    ...NODE_FLAGS,
    path.join(path.dirname(createRequire(import.meta.url).resolve('jest/package.json')), 'bin/jest.js'),
    '--config',
    JSON.stringify(jestConfig()),
    ...workerCount(),
    '--json',
    `--outputFile=${summaryFile}`,
    ...rest,
  ],
  // Jest writes its JSON to a file, and its report to stderr, which goes to our stdout.
  { stdio: ['ignore', 'ignore', 'inherit'], env: environment(), timeout: RUN_TIMEOUT_MS, killSignal: 'SIGKILL' },
);
const summary = readSummary();
rmSync(folder, { recursive: true, force: true });
const failed = summary.numFailedTests + summary.numRuntimeErrorTestSuites;
const skipped = summary.numPendingTests > 0 ? `, ${summary.numPendingTests} skipped` : '';
console.log(`${summary.numPassedTests} passed, ${failed} failed${skipped}`);
process.exitCode = status === 0 && failed === 0 && summary.numPassedTests > 0 ? 0 : 1;

function environment(): NodeJS.ProcessEnv {
  const memory = openMemoryFolder();
  return memory === undefined ? process.env : { ...process.env, TMPDIR: memory };
}

function jestConfig(): Readonly<Record<string, unknown>> {
  const rootDir = path.join(import.meta.dirname, '..');
  const config = JSON.parse(readFileSync(path.join(import.meta.dirname, 'jest/config.json'), 'utf8'));
  if (!isQuick) return { ...config, rootDir };
  const { globalSetup: _, globalTeardown: __, ...withoutDatabase } = config;
  return {
    ...withoutDatabase,
    rootDir,
    roots: QUICK.map((folder) => path.join(import.meta.dirname, folder)).filter(existsSync),
    testPathIgnorePatterns: SLOW.map((name) => `[/.-]${name}[.-]`),
  };
}

/** Journeys mostly wait for engines, so two workers more than there are cores keep the cores busy. The caller may name another number. */
function workerCount(): readonly string[] {
  const isGiven = rest.some((word) => /^(-w|--maxWorkers|--runInBand|-i)\b/.test(word));
  return isGiven ? [] : [`--maxWorkers=${availableParallelism() + (isQuick ? 0 : 2)}`];
}

function readSummary(): JestSummary {
  try {
    return JSON.parse(readFileSync(summaryFile, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numRuntimeErrorTestSuites: 1 };
  }
}

/** The browser tests use the system's Chromium. */
function ensureChromium(): void {
  if (findChromium() !== undefined) return;
  if (canInstall()) install('chromium', 'for the browser tests (once, about a minute)');
  else
    console.log(
      'No Chromium here. Install it (Debian: apt-get install chromium), or name one in CHROMIUM; the browser tests fail without.',
    );
}

/** The tests start brokers of their own, so no service has to run. */
function ensureRabbitmq(): void {
  if (hasLocalRabbitmq()) return;
  if (canInstall()) install('rabbitmq-server', 'for the tests at the broker (once, about a minute)');
  else if (hasDocker()) console.log("No RabbitMQ here: the tests at the broker use Docker's.");
  else
    console.log(
      'No RabbitMQ here. Install it (Debian: apt-get install rabbitmq-server), or start Docker; the tests at the broker fail without.',
    );
}

function canInstall(): boolean {
  return process.getuid?.() === 0 && spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0;
}

function install(name: string, purpose: string): void {
  console.log(`Installing ${name} from Debian's packages ${purpose} …`);
  // In runlevel 1 a package that brings a service does not start it.
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', name],
  ]) {
    const { status: code } = spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env: environment });
    if (code !== 0) console.log(`apt-get ${args[0]} failed (exit ${code})`);
  }
}
