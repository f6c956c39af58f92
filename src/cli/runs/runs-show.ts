// The command `runs show` shows one run; patient data only on request.

import type { EvidenceAnswer } from '../../wire/run-evidence.ts';
import type { RunViewAnswer } from '../../wire/run-view.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { type CommandParts, json } from '../shared/command-parts.ts';
import { describeEvidence } from './runs-evidence.ts';
import { findRunId } from './runs-find.ts';
import { describePatientData } from './runs-patient-data.ts';
import { describeRun } from './runs-report.ts';

const RECORDED = 'This view of patient data is recorded in the audit trail.\n';

type ShowOptions = { readonly patientData?: boolean; readonly evidence?: boolean; readonly asReviewer?: boolean };

export function addShow(runs: CliCommand, { connect, print, warn, wantsJson }: CommandParts): void {
  runs
    .command('show <id>')
    .description('show a run: state and reason, steps, and what was written')
    .option('--patient-data', 'also show transcript, note and diagnosis; recorded in the audit trail')
    .option('--evidence', 'show each statement of the note beside the words on which it rests; recorded as well')
    .option('--as-reviewer', 'use the key of CHARTWRIGHT_REVIEWER_KEY; needs the complete id')
    .examples(
      'npm run cli -- runs show 0198c5b2',
      'npm run cli -- runs show 0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a77 --patient-data',
      'npm run cli -- runs show 0198c5b2 --evidence',
      'npm run --silent cli -- --json runs show 0198c5b2',
    )
    .remarks(
      'Without --patient-data and --evidence nothing is shown that was said in the encounter, and nothing that was made of it.',
    )
    .action(async (given: string, { patientData = false, evidence = false, asReviewer = false }: ShowOptions) => {
      const client = connect({ asReviewer });
      const id = await findRunId(client, given);
      if (evidence) {
        const answer = await client.ask<EvidenceAnswer>({ method: 'GET', path: `/runs/${id}/evidence` });
        warn(RECORDED);
        return print(wantsJson() ? json(answer) : describeEvidence(answer));
      }
      const query = { brief: String(!patientData) };
      const run = await client.ask<RunViewAnswer>({ method: 'GET', path: `/runs/${id}`, query });
      if (patientData) warn(RECORDED);
      if (wantsJson()) return print(json(run));
      print(describeRun(run));
      if (patientData) print(`\n${describePatientData(run)}`);
    });
}
