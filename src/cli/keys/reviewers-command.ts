// The command `reviewers` manages accounts of clinicians who review drafts: each for one site, bound to a Practitioner of its EHR.

import type { IssuedReviewerAnswer, ReviewerAnswer, ReviewerListAnswer } from '../../wire/reviewers.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { type CommandParts, json, LONG_PATIENCE, withProgress } from '../shared/command-parts.ts';
import { REVIEWER_KEY } from '../shared/settings.ts';
import { printable, readableTime, renderTable } from '../shared/tables.ts';

const FIRST_REVIEWER =
  "npm run cli -- reviewers create --site mercy --practitioner Practitioner/7 --name 'Dr. Example'";

export function addReviewersCommand(program: CliCommand, parts: CommandParts): void {
  const reviewers = program
    .command('reviewers')
    .description('create, list and revoke accounts of clinicians who review drafts');
  addCreate(reviewers, parts);
  addList(reviewers, parts);
  addRevoke(reviewers, parts);
}

type CreateOptions = { readonly site: string; readonly practitioner: string; readonly name: string };

function addCreate(reviewers: CliCommand, parts: CommandParts): void {
  const { connect, print, wantsJson } = parts;
  reviewers
    .command('create')
    .description('create an account and show its key once')
    .requiredOption('--site <name>', 'the site whose drafts the account reviews')
    .requiredOption(
      '--practitioner <reference>',
      'the clinician in the site’s EHR: Practitioner/7 or PractitionerRole/7',
    )
    .requiredOption('--name <name>', 'the name as the chart has it')
    .examples(FIRST_REVIEWER)
    .remarks(`What is approved with its key is signed in the chart by this Practitioner. The EHR is asked whether there is
such a one. One account for one person.`)
    .action(async ({ site, practitioner, name }: CreateOptions) => {
      const request = { method: 'POST', path: '/reviewers', body: { site, practitioner, name } } as const;
      const issued = await withProgress(parts, 'Asking the EHR …', () =>
        connect(LONG_PATIENCE).ask<IssuedReviewerAnswer>(request),
      );
      print(wantsJson() ? json(issued) : describeIssued(issued));
    });
}

function describeIssued({ id, site, practitioner, name, key, isChecked }: IssuedReviewerAnswer): string {
  const who = printable(`Reviewer ${id} of ${site}: ${name} (${practitioner}).`);
  const doubt = isChecked ? '' : `${printable(uncheckedLine(practitioner))}\n`;
  return `${who}
${doubt}The key is shown only now; give it to them and to nobody else:

  ${printable(key)}

They review with it:

  ${REVIEWER_KEY}=<key> npm run cli -- runs review <id> --approve

`;
}

function uncheckedLine(practitioner: string): string {
  return `The EHR could not confirm that ${practitioner} exists: check there before you hand out the key.`;
}

function addList(reviewers: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  reviewers
    .command('list')
    .description('list the accounts, without their keys')
    .option('--site <name>', 'only accounts of this site')
    .examples('npm run cli -- reviewers list --site mercy', 'npm run --silent cli -- --json reviewers list')
    .action(async ({ site }: { readonly site?: string }) => {
      const request = { method: 'GET', path: '/reviewers', query: { site } } as const;
      const answer = await connect().ask<ReviewerListAnswer>(request);
      if (wantsJson()) return print(json(answer));
      const none = `No reviewers yet. Create one: ${FIRST_REVIEWER}\n`;
      print(answer.reviewers.length === 0 ? none : reviewerTable(answer.reviewers));
    });
}

function reviewerTable(reviewers: readonly ReviewerAnswer[]): string {
  return renderTable(reviewers, {
    ID: ({ id }) => id,
    SITE: ({ site }) => site,
    PRACTITIONER: ({ practitioner }) => practitioner,
    'CREATED (UTC)': ({ createdAt }) => readableTime(createdAt),
    REVOKED: ({ revokedAt }) => readableTime(revokedAt),
    NAME: ({ name }) => name,
  });
}

function addRevoke(reviewers: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  reviewers
    .command('revoke <id>')
    .description('revoke an account: its key is refused from now on; its decisions remain')
    .examples('npm run cli -- reviewers revoke 5f0c2a9b7d3e4816')
    .action(async (given: string) => {
      const id = given.replace(/^Reviewer\//, '');
      await connect().ask<undefined>({ method: 'DELETE', path: `/reviewers/${encodeURIComponent(id)}` });
      print(wantsJson() ? json({ id, revoked: true }) : `The reviewer ${printable(id)} is revoked.\n`);
    });
}
