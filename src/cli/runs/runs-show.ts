// The command `runs show` shows one run; patient data only on request.

import type { RunViewAnswer } from '../../wire/run-view.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { type CommandParts, json } from '../shared/command-parts.ts';
import { findRunId } from './runs-find.ts';
import { describePatientData } from './runs-patient-data.ts';
import { describeRun } from './runs-report.ts';

type ShowOptions = { readonly patientData?: boolean; readonly asReviewer?: boolean };

export function addShow(runs: CliCommand, { connect, print, warn, wantsJson }: CommandParts): void {
  runs
    .command('show <id>')
    .description('show a run: state and reason, steps, and what was written')
    .option('--patient-data', 'also show transcript, note and diagnosis; recorded in the audit trail')
    .option('--as-reviewer', 'use the key of CHARTWRIGHT_REVIEWER_KEY; needs the complete id')
    .examples(
      'npm run cli -- runs show 0198c5b2',
      'npm run cli -- runs show 0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a77 --patient-data',
      'npm run --silent cli -- --json runs show 0198c5b2',
    )
    .remarks('Without --patient-data nothing is shown that was said in the encounter, and nothing that was made of it.')
    .action(async (given: string, { patientData = false, asReviewer = false }: ShowOptions) => {
      const client = connect({ asReviewer });
      const id = await findRunId(client, given);
      const query = { brief: String(!patientData) };
      const run = await client.ask<RunViewAnswer>({ method: 'GET', path: `/runs/${id}`, query });
      if (patientData) warn('This view of patient data is recorded in the audit trail.\n');
      if (wantsJson()) return print(json(run));
      print(describeRun(run));
      if (patientData) print(`\n${describePatientData(run)}`);
    });
}
