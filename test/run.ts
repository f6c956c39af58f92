// `npm test`: finds or installs what the tests need, runs them all, and closes with one line "N passed, N failed".
// Arguments go on to Jest: `npm test -- test/domain`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findChromium } from './support/chromium.ts';
import { hasDocker, hasLocalRabbitmq } from './support/rabbit-server.ts';

type JestSummary = {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numRuntimeErrorTestSuites: number;
};

/** Many times what a run takes: one that hangs is a failure, not a wait. */
const RUN_TIMEOUT_MS = 40 * 60_000;

ensureChromium();
ensureRabbitmq();
const folder = mkdtempSync(path.join(tmpdir(), 'chartwright-tests-'));
const summaryFile = path.join(folder, 'summary.json');
const { status } = spawnSync(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--no-warnings',
    path.join(path.dirname(createRequire(import.meta.url).resolve('jest/package.json')), 'bin/jest.js'),
    '--config',
    path.join(import.meta.dirname, 'jest/config.json'),
    '--json',
    `--outputFile=${summaryFile}`,
    ...process.argv.slice(2),
  ],
  // The JSON goes to its file; what Jest says to people goes to stderr, and from there to our stdout.
  { stdio: ['ignore', 'ignore', 'inherit'], timeout: RUN_TIMEOUT_MS, killSignal: 'SIGKILL' },
);
const summary = readSummary();
rmSync(folder, { recursive: true, force: true });
const failed = summary.numFailedTests + summary.numRuntimeErrorTestSuites;
const skipped = summary.numPendingTests > 0 ? `, ${summary.numPendingTests} skipped` : '';
console.log(`${summary.numPassedTests} passed, ${failed} failed${skipped}`);
process.exitCode = status === 0 && failed === 0 && summary.numPassedTests > 0 ? 0 : 1;

function readSummary(): JestSummary {
  try {
    return JSON.parse(readFileSync(summaryFile, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numRuntimeErrorTestSuites: 1 };
  }
}

/** The browser tests drive the system's Chromium. */
function ensureChromium(): void {
  if (findChromium() !== undefined) return;
  if (canInstall()) install('chromium', 'for the browser tests (once, about a minute)');
  else
    console.log(
      'No Chromium here. Install it (Debian: apt-get install chromium), or name one in CHROMIUM; the browser tests fail without.',
    );
}

/** The tests start brokers of their own; nothing has to run. */
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
