// `reviews next`, `claim`, `unclaim` and `delegate`: who works on which draft.
import type { ClaimAnswer, NextDraftAnswer, ReleasedAnswer } from '../../wire/drafts.ts';
import { nameOfRun } from '../runs/runs-words.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { type CommandParts, json } from '../shared/command-parts.ts';
import { printable, readableTime } from '../shared/tables.ts';
import { findDraftId } from './find-draft.ts';

type NextOptions = { readonly site?: string; readonly reason?: string; readonly urgent?: boolean };

export function addNext(reviews: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  reviews
    .command('next')
    .description('claim the first draft that is free')
    .option('--site <name>', 'only a draft of this site')
    .option('--reason <code>', 'only a draft that is held for this reason')
    .option('--urgent', 'only a draft with a RED triage, or of an urgent encounter')
    .examples('npm run cli -- reviews next', 'npm run cli -- reviews next --site mercy --urgent')
    .remarks('The claim ends with your decision, by reviews unclaim, or 30 minutes after you last read the draft.')
    .action(async (body: NextOptions) => {
      const request = { method: 'POST', path: '/reviews/next', body } as const;
      const answer = await connect({ asReviewer: true }).ask<NextDraftAnswer>(request);
      print(wantsJson() ? json(answer) : describeNext(answer));
    });
}

function describeNext({ run }: NextDraftAnswer): string {
  if (run === undefined) return 'No draft is free.\n';
  const { triage, claim } = run.draft;
  const lines = [
    printable(nameOfRun(run)),
    ...(triage === undefined ? [] : [`Triage: ${triage}`]),
    ...(claim === undefined ? [] : [`Yours until ${readableTime(claim.until)} UTC.`]),
    '',
    `Next: npm run cli -- runs show ${run.id} --as-reviewer --patient-data`,
    `Then: npm run cli -- runs review ${run.id} --revision ${run.revision}`,
  ];
  return `${lines.join('\n')}\n`;
}

type TakeOver = { readonly takeOver?: boolean };
const TAKE_OVER = ['--take-over', 'also if another person has claimed it'] as const;

export function addClaim(reviews: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  reviews
    .command('claim <id>')
    .description('claim a draft, or let your claim last 30 minutes from now on')
    .option(...TAKE_OVER)
    .examples('npm run cli -- reviews claim 0198c5b2', 'npm run cli -- reviews claim 0198c5b2 --take-over')
    .action(async (given: string, { takeOver = false }: TakeOver) => {
      const client = connect({ asReviewer: true });
      const id = await findDraftId(client, given);
      const request = { method: 'POST', path: `/runs/${id}/claim`, body: { takeOver } } as const;
      const answer = await client.ask<ClaimAnswer>(request);
      print(wantsJson() ? json(answer) : `Yours until ${readableTime(answer.claim.until)} UTC.\n`);
    });
}

export function addUnclaim(reviews: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  reviews
    .command('unclaim <id>')
    .description('release a draft that you have claimed')
    .examples('npm run cli -- reviews unclaim 0198c5b2')
    .action(async (given: string) => {
      const client = connect({ asReviewer: true });
      const id = await findDraftId(client, given);
      const answer = await client.ask<ReleasedAnswer>({ method: 'POST', path: `/runs/${id}/unclaim` });
      const words = answer.released ? 'Released.' : 'You had not claimed it.';
      print(wantsJson() ? json(answer) : `${words}\n`);
    });
}

export function addDelegate(reviews: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  reviews
    .command('delegate <id>')
    .description('hand a draft to another reviewer of its site')
    .requiredOption('--to <reviewer>', 'the id of a person, or Practitioner/<id>')
    .option(...TAKE_OVER)
    .examples('npm run cli -- reviews delegate 0198c5b2 --to Practitioner/8')
    .remarks('The other reviewer has it for 12 hours, and gets a mail if the engine has a mail server (SMTP_URL).')
    .action(async (given: string, { to, takeOver = false }: TakeOver & { readonly to: string }) => {
      const client = connect({ asReviewer: true });
      const id = await findDraftId(client, given);
      const request = { method: 'POST', path: `/runs/${id}/delegate`, body: { to, takeOver } } as const;
      const answer = await client.ask<ClaimAnswer>(request);
      const { by, until } = answer.claim;
      print(wantsJson() ? json(answer) : `${printable(`${by} has it until ${readableTime(until)} UTC.`)}\n`);
    });
}
