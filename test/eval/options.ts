// The options of `npm run eval --`.
import { parseArgs } from 'node:util';
import { REASONERS, type ReasonerOption } from './choose-reasoner.ts';
import { GROUPS, type Group } from './sets.ts';

export const HELP = `npm run eval -- [options]: scores a reasoner on made-up cases.

  --reasoner builtin|configured  the reasoner to score; default: the model of the engine's settings (OPENAI_API_KEY or
                                 OPENAI_BASE_URL, in the environment or .env), otherwise the built-in rules
  --only seen|unseen|late|notes|sandbox
                                 a part of the cases; sandbox: its encounters, from the recording to the chart, in a
                                 separate engine, with the configured vendors
  --suite inventions             plays a model that obeys an attacker instead, and prints which of its inventions are held,
                                 marked, taken out or unmarked; --write renews that table of docs/evaluation.md
  --suite claims                 checks made-up sentences of notes against their talks and charts, and prints what is marked
                                 and held; --all adds the sentences of the seen talks that are judged wrongly.
                                 --reasoner configured adds what the configured verifier (VERIFIER_MODEL, otherwise
                                 OPENAI_MODEL) makes of them as the second check
  --json                         prints only the figures, for programs
  --write                        trains the urgency model on the cases for tuning, and writes the tables into
                                 docs/evaluation.md; only for the built-in rules and all cases
  --help                         prints this text

A model is called once per case, for a few cases at a time; your vendor may charge for that.
Exit code 1: the built-in rules are below a floor, or an invention is unmarked. For other reasoners the floors are shown and do not
fail.`;

const SUITES = ['inventions', 'claims'] as const;
export type Suite = (typeof SUITES)[number];

export type Options = {
  readonly reasoner: ReasonerOption | undefined;
  readonly groups: readonly Group[];
  /** Absent: the cases of a reasoner. */
  readonly suite: Suite | undefined;
  readonly json: boolean;
  readonly write: boolean;
  /** Each case that fails, too. */
  readonly all: boolean;
  readonly help: boolean;
};

/** Throws an Error that names the wrong option. */
export function readOptions(given: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...given],
    options: {
      reasoner: { type: 'string' },
      only: { type: 'string' },
      suite: { type: 'string' },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { json, write, all, help } = values;
  const reasoner = oneOf('--reasoner', REASONERS, values.reasoner);
  const only = oneOf('--only', GROUPS, values.only);
  const suite = oneOf('--suite', SUITES, values.suite);
  if (suite !== undefined && only !== undefined) throw new Error('--suite is a set of its own: leave --only away');
  if (suite === 'inventions' && reasoner !== undefined)
    throw new Error('--suite inventions has a model of its own: leave --reasoner away');
  if (all && suite !== 'claims') throw new Error('--all belongs to --suite claims');
  if (write && only !== undefined) throw new Error('--write is about all cases: leave --only away');
  if (write && reasoner === 'configured') throw new Error('--write is about the built-in one');
  // The page is about the rules, whatever reasoner is configured here.
  const groups = only === undefined ? GROUPS : [only];
  return { reasoner: write ? 'builtin' : reasoner, groups, suite, json, write, all, help };
}

function oneOf<T extends string>(name: string, known: readonly T[], given: string | undefined): T | undefined {
  const found = known.find((one) => one === given);
  if (given !== undefined && found === undefined) throw new Error(`${name} is one of ${known.join(', ')}`);
  return found;
}
