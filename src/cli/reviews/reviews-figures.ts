// `reviews figures` shows how much of the drafts was changed before they were signed: counts and lengths, no text.
import type { ReviewFiguresAnswer } from '../../wire/drafts.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { type CommandParts, json, type TextOptions, timeOrAgo } from '../shared/command-parts.ts';
import { renderTable } from '../shared/tables.ts';

export function addFigures(reviews: CliCommand, { connect, print, wantsJson, now }: CommandParts): void {
  reviews
    .command('figures')
    .description('show how much of the drafts was changed, by note type and section')
    .option('--site <name>', 'only decisions of this site')
    .option('--from <time>', 'only decisions since then: a day, a time, or 30d')
    .option('--to <time>', 'only decisions before then')
    .examples('npm run cli -- reviews figures --from 30d', 'npm run cli -- reviews figures --site mercy')
    .remarks('For operators, integrators and auditors. It holds no text.')
    .action(async ({ site, from, to }: TextOptions<'site' | 'from' | 'to'>) => {
      const query = { site, from: timeOrAgo(from, now()), to: timeOrAgo(to, now()) };
      const answer = await connect().ask<ReviewFiguresAnswer>({ method: 'GET', path: '/reviews/figures', query });
      print(wantsJson() ? json(answer) : describeFigures(answer));
    });
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

function describeFigures({ noteTypes, sections, categories }: ReviewFiguresAnswer): string {
  if (noteTypes.length === 0) return 'No decision was made in this time.\n';
  const decisions = renderTable(noteTypes, {
    NOTE: ({ noteType }) => noteType,
    APPROVED: ({ decisions: { approve } }) => approve,
    EDITED: ({ decisions: { edit } }) => edit,
    REJECTED: ({ decisions: { reject } }) => reject,
    'SENT BACK': ({ decisions: { correct } }) => correct,
    UNCHANGED: ({ shareApprovedUnchanged }) => percent(shareApprovedUnchanged),
  });
  const changes = renderTable(sections, {
    NOTE: ({ noteType }) => noteType,
    SECTION: ({ section }) => section,
    SIGNED: ({ count }) => count,
    'MEDIAN CHANGED': ({ medianShareChanged }) => percent(medianShareChanged),
    UNCHANGED: ({ shareUnchanged }) => percent(shareUnchanged),
  });
  const reasons = renderTable(categories, { CATEGORY: ({ category }) => category, COUNT: ({ count }) => count });
  return [decisions, ...(sections.length > 0 ? [changes] : []), ...(categories.length > 0 ? [reasons] : [])].join('\n');
}
