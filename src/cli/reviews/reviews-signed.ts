// `reviews signed` shows what the reviewer has signed.
import type { SignedAnswer } from '../../wire/drafts.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { type CommandParts, json, type TextOptions } from '../shared/command-parts.ts';
import { readableTime, renderTable } from '../shared/tables.ts';

type Signed = SignedAnswer['signed'][number];

export function addSigned(reviews: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  reviews
    .command('signed')
    .description('list the drafts that you have signed, newest first')
    .option('--site <name>', 'only drafts of this site')
    .option('--limit <number>', 'maximum number (default: 50)')
    .option('--cursor <next>', 'the next page')
    .examples('npm run cli -- reviews signed', 'npm run --silent cli -- --json reviews signed --limit 500')
    .action(async (query: TextOptions<'site' | 'limit' | 'cursor'>) => {
      const client = connect({ asReviewer: true });
      const answer = await client.ask<SignedAnswer>({ method: 'GET', path: '/reviews/signed', query });
      print(wantsJson() ? json(answer) : describeSigned(answer));
    });
}

function describeSigned({ signed, next }: SignedAnswer): string {
  if (signed.length === 0) return 'You have signed nothing yet.\n';
  const table = renderTable(signed, {
    'SIGNED (UTC)': ({ signedAt }) => readableTime(signedAt),
    SITE: ({ site }) => site,
    ENCOUNTER: ({ encounter }) => encounter,
    NOTE: ({ noteType }) => noteType,
    DECISION: ({ decision }) => (decision === 'edit' ? 'edited' : 'approved'),
    DOCUMENTS: documentsOf,
    RUN: ({ run }) => run,
  });
  return next === undefined ? table : `${table}There are more: --cursor ${next}\n`;
}

function documentsOf({ resources, status }: Signed): string {
  return resources.map(({ reference }) => reference).join(', ') || `(${status})`;
}
