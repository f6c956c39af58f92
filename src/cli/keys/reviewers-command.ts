// reviewers: the accounts of clinicians who decide about drafts: each for one site, and bound to a Practitioner of its EHR.
import type { Command } from 'commander';
import type { IssuedReviewerAnswer, ReviewerAnswer, ReviewerListAnswer } from '../../wire/reviewers.ts';
import { type CommandParts, examples, json, LONG_PATIENCE, whileTelling } from '../shared/command-parts.ts';
import { REVIEWER_KEY } from '../shared/settings.ts';
import { printable, readableTime, renderTable } from '../shared/tables.ts';

const FIRST_REVIEWER =
  "npm run cli -- reviewers create --site mercy --practitioner Practitioner/7 --name 'Dr. Example'";

export function addReviewersCommand(program: Command, parts: CommandParts): void {
  const reviewers = program.command('reviewers').description('make, list and revoke accounts of clinicians who review');
  addCreate(reviewers, parts);
  addList(reviewers, parts);
  addRevoke(reviewers, parts);
}

type CreateOptions = { readonly site: string; readonly practitioner: string; readonly name: string };

function addCreate(reviewers: Command, parts: CommandParts): void {
  const { connect, print, wantsJson } = parts;
  reviewers
    .command('create')
    .description('make an account and show its key, this once')
    .requiredOption('--site <name>', 'whose drafts it decides about')
    .requiredOption(
      '--practitioner <reference>',
      'who it is in the EHR of the site: Practitioner/7 or PractitionerRole/7',
    )
    .requiredOption('--name <name>', 'as it stands in the chart')
    .addHelpText(
      'after',
      `${examples(FIRST_REVIEWER)}
What is approved with its key is signed in the chart by this Practitioner. The EHR is asked whether there is
such a one. One account for one person.`,
    )
    .action(async ({ site, practitioner, name }: CreateOptions) => {
      const request = { method: 'POST', path: '/reviewers', body: { site, practitioner, name } } as const;
      const issued = await whileTelling(parts, 'The EHR is asked …', () =>
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
  return `The EHR could not be asked whether there is a ${practitioner}: look there before you hand out the key.`;
}

function addList(reviewers: Command, { connect, print, wantsJson }: CommandParts): void {
  reviewers
    .command('list')
    .description('list the accounts, never their keys')
    .option('--site <name>', 'only of this site')
    .addHelpText(
      'after',
      examples('npm run cli -- reviewers list --site mercy', 'npm run --silent cli -- --json reviewers list'),
    )
    .action(async ({ site }: { readonly site?: string }) => {
      const request = { method: 'GET', path: '/reviewers', query: { site } } as const;
      const answer = await connect().ask<ReviewerListAnswer>(request);
      if (wantsJson()) return print(json(answer));
      const none = `No reviewers yet. Make one: ${FIRST_REVIEWER}\n`;
      print(answer.reviewers.length === 0 ? none : reviewerTable(answer.reviewers));
    });
}

function reviewerTable(reviewers: readonly ReviewerAnswer[]): string {
  return renderTable(
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'SITE', value: ({ site }) => site },
      { title: 'PRACTITIONER', value: ({ practitioner }) => practitioner },
      { title: 'CREATED (UTC)', value: ({ createdAt }) => readableTime(createdAt) },
      { title: 'REVOKED', value: ({ revokedAt }) => readableTime(revokedAt) },
      { title: 'NAME', value: ({ name }) => name },
    ],
    reviewers,
  );
}

function addRevoke(reviewers: Command, { connect, print, wantsJson }: CommandParts): void {
  reviewers
    .command('revoke <id>')
    .description('end an account: its key is not taken any more; what it decided stays')
    .addHelpText('after', examples('npm run cli -- reviewers revoke 5f0c2a9b7d3e4816'))
    .action(async (given: string) => {
      const id = given.replace(/^Reviewer\//, '');
      await connect().ask<undefined>({ method: 'DELETE', path: `/reviewers/${encodeURIComponent(id)}` });
      print(wantsJson() ? json({ id, revoked: true }) : `The reviewer ${printable(id)} is revoked.\n`);
    });
}
