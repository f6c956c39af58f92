// The command `runs review` records a clinician's decision about a draft, with the key of a reviewer.
import { readFile } from 'node:fs/promises';
import { type DraftDecisionKind, REJECT_CATEGORIES } from '../../domain/run/draft-decision.ts';
import type { RunAnswer } from '../../wire/run.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { CliError } from '../shared/cli-error.ts';
import { type CommandParts, json, toNumber } from '../shared/command-parts.ts';
import { REVIEWER_KEY } from '../shared/settings.ts';
import { printable } from '../shared/tables.ts';
import { findRunId } from './runs-find.ts';
import { stateLines } from './runs-report.ts';
import { nameOfRun } from './runs-words.ts';

type ReviewOptions = {
  readonly approve?: boolean;
  readonly reject?: string;
  readonly edit?: readonly string[];
  readonly correct?: string;
  readonly category?: string;
  readonly takeOver?: boolean;
  readonly revision?: string;
};

export function addReview(runs: CliCommand, { connect, print, wantsJson, environment }: CommandParts): void {
  runs
    .command('review <id>')
    .description('approve, edit, reject or send back a draft')
    .option('--approve', 'approve the draft as it is')
    .option('--edit <section=text...>', 'approve with this text; section=@file reads it from a file')
    .option('--reject <reason>', 'reject the draft: its documents in the chart are retracted, with this reason')
    .option('--correct <instruction>', 'have the model write the note anew, with this instruction')
    .option('--category <code>', `with --reject or --correct: ${REJECT_CATEGORIES.join(', ')}`)
    .option('--take-over', 'decide also if another person has claimed the draft')
    .option('--revision <number>', 'the revision you saw; required if there were several')
    .examples(
      'npm run cli -- runs review 0198c5b2 --approve',
      'npm run cli -- runs review 0198c5b2 --edit PLAN=@plan.txt --revision 2',
      "npm run cli -- runs review 0198c5b2 --reject 'It is about another visit.' --category wrong-encounter",
      "npm run cli -- runs review 0198c5b2 --correct 'Leave out the family history.'",
    )
    .remarks(`It takes the key of a reviewer of the site in ${REVIEWER_KEY} (npm run cli -- reviewers create makes one);
without it the operator's, which is good for the site sandbox only, where its ehr.baseUrl is on this machine.
Look at the draft first: npm run cli -- runs show <id> --patient-data.`)
    .action(async (given: string, options: ReviewOptions) => {
      const body = await orderOf(options);
      const isReviewer = (environment[REVIEWER_KEY] ?? '').trim() !== '';
      const id = await findRunId({ ask: (request) => findAsOperator(request, isReviewer) }, given);
      const request = { method: 'POST', path: `/runs/${id}/review`, body } as const;
      const run = await connect({ asReviewer: true }).ask<RunAnswer>(request);
      print(wantsJson() ? json(run) : describeDecision(body.decision, run));
    });

  /** A reviewer's key can read one run at a time; searching needs the operator's key. */
  async function findAsOperator<Answer>(
    request: Parameters<ReturnType<CommandParts['connect']>['ask']>[0],
    isReviewer: boolean,
  ): Promise<Answer> {
    try {
      return await connect().ask<Answer>(request);
    } catch (thrown) {
      if (!isReviewer || !(thrown instanceof CliError)) throw thrown;
      throw new CliError(`A reviewer’s key alone needs the complete id of the run. ${thrown.message}`);
    }
  }
}

type Order = {
  readonly decision: DraftDecisionKind;
  readonly sections?: Readonly<Record<string, string>>;
  readonly reason?: string;
  readonly category?: string;
  readonly takeOver?: true;
  readonly revision?: number | string;
};

async function orderOf(options: ReviewOptions): Promise<Order> {
  const { approve = false, reject, edit, correct, category, takeOver = false, revision } = options;
  const given = [approve, reject !== undefined, edit !== undefined, correct !== undefined].filter(Boolean).length;
  if (given !== 1)
    throw new CliError(
      'Give exactly one of --approve, --edit SECTION=@file, --reject "reason" and --correct "instruction".',
    );
  const rest = {
    ...(revision !== undefined && { revision: toNumber(revision) }),
    ...(category !== undefined && { category }),
    ...(takeOver && { takeOver }),
  };
  if (reject !== undefined) {
    if (reject.trim() === '')
      throw new CliError('--reject needs a reason: it is written into the chart with the retraction.');
    return { decision: 'reject', reason: reject, ...rest };
  }
  if (correct !== undefined) {
    if (correct.trim() === '') throw new CliError('--correct needs an instruction: what the model is to do otherwise.');
    return { decision: 'correct', reason: correct, ...rest };
  }
  if (edit === undefined) return { decision: 'approve', ...rest };
  return { decision: 'edit', sections: await readSections(edit), ...rest };
}

async function readSections(edits: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const sections = new Map<string, string>();
  for (const edit of edits) {
    const [, key = '', words = ''] = /^([^=]+)=(.*)$/s.exec(edit) ?? [];
    if (key === '')
      throw new CliError('--edit takes SECTION=@file or SECTION=text, with the key of the section: PLAN=@plan.txt.');
    if (sections.has(key)) throw new CliError(`--edit names the section ${printable(key)} twice.`);
    sections.set(key, words.startsWith('@') ? await readText(words.slice(1)) : words);
  }
  return Object.fromEntries(sections);
}

/** No message repeats the content, because it is patient data. */
async function readText(file: string): Promise<string> {
  const shown = printable(file);
  const bytes = await readFile(file).catch((thrown: unknown) => {
    throw new CliError(`The file ${shown} cannot be read${codeOf(thrown)}.`, { cause: thrown });
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).trimEnd();
  } catch {
    throw new CliError(`The file ${shown} is not UTF-8 text. Save it as UTF-8 and try again.`);
  }
}

function codeOf(thrown: unknown): string {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : '';
  return /^E[A-Z]{2,20}$/.test(code) ? ` (${code})` : '';
}

const DONE: Readonly<Record<Order['decision'], string>> = {
  approve: 'Approved.',
  edit: 'Edited and approved.',
  reject: 'Rejected.',
  correct: 'Another draft is being made, by this run:',
};

function describeDecision(decision: Order['decision'], run: RunAnswer): string {
  return [DONE[decision], printable(nameOfRun(run)), ...stateLines(run)].map((line) => `${line}\n`).join('');
}
