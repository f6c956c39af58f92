// The command `reviews` is a reviewer's work: the drafts that wait, who has which, what was signed, and the figures of edits.
import type { CliCommand } from '../shared/cli-command.ts';
import type { CommandParts } from '../shared/command-parts.ts';
import { addClaim, addDelegate, addNext, addUnclaim } from './reviews-claim.ts';
import { addFigures } from './reviews-figures.ts';
import { addList } from './reviews-list.ts';
import { addSigned } from './reviews-signed.ts';

export function addReviewsCommand(program: CliCommand, parts: CommandParts): void {
  const reviews = program
    .command('reviews')
    .description('list, claim and hand over drafts, and show what was signed and changed');
  for (const add of [addList, addNext, addClaim, addUnclaim, addDelegate, addSigned, addFigures]) add(reviews, parts);
}
