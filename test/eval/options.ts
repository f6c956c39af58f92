// What may be typed behind `npm run eval --`.
import { parseArgs } from 'node:util';
import { REASONERS, type ReasonerOption } from './choose-reasoner.ts';
import { GROUPS, type Group } from './sets.ts';

export const HELP = `npm run eval -- [options]: how good a reasoner is, by made-up cases.

  --reasoner builtin|configured  whom to score; default: whoever the engine's settings choose (OPENAI_API_KEY or
                                 OPENAI_BASE_URL, in the environment or .env), else the built-in one
  --only seen|unseen|late|notes|sandbox
                                 a part of the cases; sandbox: its encounters, from the recording to the chart, in an
                                 engine that is started for it, with the vendors that are set
  --json                         the figures alone, for programs
  --write                        learns anew how emergencies are told, from the cases that were looked at, and writes the
                                 tables into docs/evaluation.md; only for the built-in one and all cases
  --help                         this

A model is asked once a case, a few cases at once; your vendor may charge for that.
Exit code 1: the built-in one falls below a floor. For others the floors are shown and do not fail.`;

export type Options = {
  readonly reasoner: ReasonerOption | undefined;
  readonly groups: readonly Group[];
  readonly json: boolean;
  readonly write: boolean;
  readonly help: boolean;
};

/** Throws with what is wrong. */
export function readOptions(given: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...given],
    options: {
      reasoner: { type: 'string' },
      only: { type: 'string' },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { json, write, help } = values;
  const reasoner = oneOf('--reasoner', REASONERS, values.reasoner);
  const only = oneOf('--only', GROUPS, values.only);
  if (write && only !== undefined) throw new Error('--write is about all cases: leave --only away');
  if (write && reasoner === 'configured') throw new Error('--write is about the built-in one');
  // The page is about the rules, whatever reasoner is configured here.
  return { reasoner: write ? 'builtin' : reasoner, groups: only === undefined ? GROUPS : [only], json, write, help };
}

function oneOf<T extends string>(name: string, known: readonly T[], given: string | undefined): T | undefined {
  const found = known.find((one) => one === given);
  if (given !== undefined && found === undefined) throw new Error(`${name} is one of ${known.join(', ')}`);
  return found;
}
