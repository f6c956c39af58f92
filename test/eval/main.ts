// `npm run eval`: how good a reasoner and note writer is, by made-up cases, and whether the floors are kept.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { makeUrgencyFile, URGENCY_PATH } from '../../src/rules/training/urgency-file.ts';
import { type ChosenReasoner, chooseReasoner, chooseVerifier } from './choose-reasoner.ts';
import { runClaims } from './claims/run-claims.ts';
import { evaluate } from './evaluate.ts';
import { evaluateSandbox, vendorsOf } from './evaluate-sandbox.ts';
import { type ExtractReport, extractTables, reportExtracts, withExtracts } from './extract-report.ts';
import { runInventions } from './inventions/run-inventions.ts';
import { type Floor, judgeFloors } from './judge-floors.ts';
import { HELP, type Options, readOptions } from './options.ts';
import { makeProgress } from './progress.ts';
import { sandboxFloors } from './sandbox-floors.ts';
import type { SandboxReport } from './sandbox-summary.ts';
import { sandboxTables } from './sandbox-tables.ts';
import { type Cases, readCases } from './sets.ts';
import { type Summary, summarise } from './summary.ts';
import { allTables } from './tables.ts';
import { PAGE, pageWith } from './write-page.ts';

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) console.log(HELP);
  else if (options.suite === 'inventions') {
    const isKept = await runInventions({ ...options, onDone: progress('inventions') });
    if (!isKept) process.exitCode = 1;
  } else if (options.suite === 'claims') {
    if (existsSync('.env')) process.loadEnvFile('.env');
    const verifier = await chooseVerifier(options.reasoner, process.env);
    const isKept = await runClaims({ ...options, verifier, onDone: progress('claims') });
    if (!isKept) process.exitCode = 1;
  } else await run(options);
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  process.exitCode = 1;
}

async function run(options: Options): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  if (options.write) await writeTone();
  const chosen = await chooseReasoner(options.reasoner, process.env);
  const cases = await readCases(options.groups);
  announce(chosen, cases);
  const summary = summarise(
    await evaluate({ ...chosen, cases, signal: new AbortController().signal, onDone: progress() }),
  );
  const extracts =
    chosen.isBuiltin && options.groups.includes('notes') ? await reportExtracts(chosen.reasoner) : undefined;
  const sandbox = options.groups.includes('sandbox') ? await playVisits(options, chosen) : undefined;
  const floors = [...judgeFloors(summary), ...(sandbox === undefined ? [] : sandboxFloors(sandbox))];
  if (options.write) writeFileSync(PAGE, pageWith(chosen.reasoner, summary, floors, sandbox));
  if (options.write && extracts) writeFileSync(PAGE, withExtracts(readFileSync(PAGE, 'utf8'), extracts));
  if (options.json) printJson(chosen, summary, floors, sandbox, extracts);
  else printTables(chosen, summary, floors, sandbox, extracts);
  const all = [...floors, ...(extracts?.floors ?? [])];
  if (chosen.isBuiltin && all.some(({ isKept, isKnown }) => !isKept && isKnown !== true)) process.exitCode = 1;
}

/** Runs before anything is scored, because the rules read it at their start. */
async function writeTone(): Promise<void> {
  const { vignettes } = await readCases(['seen']);
  writeFileSync(URGENCY_PATH, makeUrgencyFile(vignettes));
}

function announce({ reasoner, isBuiltin, atOnce }: ChosenReasoner, { vignettes, talks }: Cases): void {
  if (isBuiltin) return;
  const calls = vignettes.length + talks.length;
  console.error(`${reasoner.engine} is asked ${calls} times (and again where an answer fails), ${atOnce} at once.`);
}

/** In an engine of its own: with the built-in engines, or with all vendors that are set here. */
function playVisits({ reasoner: asked }: Options, { isBuiltin, reasoner }: ChosenReasoner): Promise<SandboxReport> {
  const environment = asked === 'builtin' ? {} : vendorsOf(process.env);
  if (!isBuiltin)
    console.error(`${reasoner.engine} is asked for a note and a diagnosis of each of the sandbox's talks.`);
  return evaluateSandbox({ environment, onDone: progress('sandbox') });
}

function progress(what?: string) {
  const { stderr } = process;
  const write = (text: string) => void stderr.write(text);
  return makeProgress({ isTerminal: stderr.isTTY === true, write, ...(what !== undefined && { what }) });
}

type Printed = readonly [
  chosen: ChosenReasoner,
  summary: Summary,
  floors: readonly Floor[],
  sandbox: SandboxReport | undefined,
  extracts: ExtractReport | undefined,
];

function printJson(...[{ reasoner }, summary, floors, sandbox, extracts]: Printed): void {
  const { engine, prompt } = reasoner;
  console.log(
    JSON.stringify(
      { engine, prompt, ...summary, floors, ...(sandbox && { sandbox }), ...(extracts && { extracts }) },
      undefined,
      2,
    ),
  );
}

function printTables(...[{ reasoner }, summary, floors, sandbox, extracts]: Printed): void {
  const parts = [
    allTables(summary, floors),
    ...(extracts === undefined ? [] : [extractTables(extracts)]),
    ...(sandbox === undefined ? [] : [sandboxTables(sandbox)]),
  ];
  const tables = parts.filter((part) => part !== '').join('\n\n');
  console.log(`${reasoner.engine}, prompt or knowledge ${reasoner.prompt}\n\n${tables}`);
  const errors = Object.entries(summary.errors).map(([code, count]) => `${code} ${count}`);
  if (errors.length > 0) console.log(`\nNo answer: ${errors.join(', ')}`);
}
