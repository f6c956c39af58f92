// `npm run eval`: how good a reasoner and note writer is, by made-up cases, and whether the floors are kept.
import { existsSync, writeFileSync } from 'node:fs';
import { type Chosen, chooseReasoner } from './choose-reasoner.ts';
import { evaluate } from './evaluate.ts';
import { type Floor, judgeFloors } from './judge-floors.ts';
import { HELP, type Options, readOptions } from './options.ts';
import { makeProgress } from './progress.ts';
import { type Cases, readCases } from './sets.ts';
import { type Summary, summarise } from './summary.ts';
import { allTables } from './tables.ts';
import { PAGE, pageWith } from './write-page.ts';

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) console.log(HELP);
  else await run(options);
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  process.exitCode = 1;
}

async function run(options: Options): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const chosen = chooseReasoner(options.reasoner, process.env);
  const cases = await readCases(options.groups);
  announce(chosen, cases);
  const summary = summarise(
    await evaluate({ ...chosen, cases, signal: new AbortController().signal, onDone: progress() }),
  );
  const floors = judgeFloors(summary);
  if (options.write) writeFileSync(PAGE, pageWith(chosen.reasoner, summary, floors));
  if (options.json) printJson(chosen, summary, floors);
  else printTables(chosen, summary, floors);
  if (chosen.isBuiltin && floors.some(({ isKept }) => !isKept)) process.exitCode = 1;
}

function announce({ reasoner, isBuiltin, atOnce }: Chosen, { vignettes, talks }: Cases): void {
  if (isBuiltin) return;
  const calls = vignettes.length + talks.length;
  console.error(`${reasoner.engine} is asked ${calls} times (and again where an answer fails), ${atOnce} at once.`);
}

function progress() {
  const { stderr } = process;
  return makeProgress({ isTerminal: stderr.isTTY === true, write: (text) => void stderr.write(text) });
}

function printJson({ reasoner }: Chosen, summary: Summary, floors: readonly Floor[]): void {
  const { engine, prompt } = reasoner;
  console.log(JSON.stringify({ engine, prompt, ...summary, floors }, undefined, 2));
}

function printTables({ reasoner }: Chosen, summary: Summary, floors: readonly Floor[]): void {
  console.log(`${reasoner.engine}, prompt or knowledge ${reasoner.prompt}\n\n${allTables(summary, floors)}`);
  const errors = Object.entries(summary.errors).map(([code, count]) => `${code} ${count}`);
  if (errors.length > 0) console.log(`\nNo answer: ${errors.join(', ')}`);
}
