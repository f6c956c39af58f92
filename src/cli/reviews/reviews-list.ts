// `reviews list` shows the drafts that wait for the decision of a clinician, the most urgent first.
import type { DraftListAnswer } from '../../wire/drafts.ts';
import { shortIds } from '../runs/runs-find.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { type CommandParts, json, type TextOptions } from '../shared/command-parts.ts';
import { renderTable } from '../shared/tables.ts';
import { ageOf } from '../shared/time-words.ts';

type Draft = DraftListAnswer['runs'][number];
type ListOptions = TextOptions<'site' | 'reason' | 'claimed' | 'limit' | 'cursor'> & { readonly urgent?: boolean };

export function addList(reviews: CliCommand, { connect, print, wantsJson, now }: CommandParts): void {
  reviews
    .command('list')
    .description('list the drafts that wait: RED first, then by the severity of their marks, then oldest first')
    .option('--site <name>', 'only drafts of this site')
    .option('--reason <code>', 'only drafts held for this reason: review, drafts, unsupported, coverage, language')
    .option('--urgent', 'only drafts with a RED triage, or of urgent encounters')
    .option('--claimed <by>', 'only drafts claimed by you (me) or by no one (free)')
    .option('--limit <number>', 'maximum number of drafts (default: 50)')
    .option('--cursor <next>', 'the next page')
    .examples('npm run cli -- reviews list', 'npm run cli -- reviews list --urgent --claimed free')
    .action(async ({ urgent = false, ...filters }: ListOptions) => {
      const query = { ...filters, urgent: urgent ? 'true' : undefined };
      const answer = await connect({ asReviewer: true }).ask<DraftListAnswer>({
        method: 'GET',
        path: '/reviews',
        query,
      });
      print(wantsJson() ? json(answer) : describeDrafts(answer, now()));
    });
}

function describeDrafts({ runs, next }: DraftListAnswer, now: Date): string {
  if (runs.length === 0) return 'No draft waits for a decision.\n';
  const short = shortIds(runs.map(({ id }) => id));
  const more = next === undefined ? '' : `There are more: --cursor ${next}\n`;
  const table = renderTable(runs, {
    ID: ({ id }) => short(id),
    SITE: ({ site }) => site,
    ENCOUNTER: ({ encounter }) => encounter,
    TRIAGE: ({ draft }) => draft.triage,
    HELD: ({ reason }) => reason,
    MARKS: ({ draft }) => marksOf(draft),
    MISSING: ({ draft }) => draft.missing,
    AGE: ({ createdAt }) => ageOf(createdAt, now),
    CLAIMED: ({ draft }) => holderOf(draft),
  });
  return `${table}${more}\nNext: npm run cli -- reviews next\n`;
}

/** `2 hold, 1 mark`; undefined for a run of an earlier version. */
function marksOf({ marks }: Draft['draft']): string | undefined {
  if (marks === undefined) return undefined;
  const counts = new Map<string, number>();
  for (const { effect, count } of marks) counts.set(effect, (counts.get(effect) ?? 0) + count);
  return [...counts].map(([effect, count]) => `${count} ${effect}`).join(', ') || '0';
}

function holderOf({ claim }: Draft['draft']): string | undefined {
  if (claim === undefined) return undefined;
  return claim.isMine ? 'by you' : `by ${claim.by}`;
}
