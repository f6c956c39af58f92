// Tells the second of two people at one draft that the other has it.
import { AppError } from '../../domain/errors.ts';
import type { Drafts } from '../../ports/drafts.ts';

type ClaimQuestion = { readonly run: string; readonly actor: string; readonly takesOver: boolean };

/** Throws `conflict` with the name of the other person, unless the caller takes over. */
export async function requireUnclaimed(
  drafts: Pick<Drafts, 'findClaim'>,
  { run, actor, takesOver }: ClaimQuestion,
): Promise<void> {
  const claim = takesOver ? undefined : await drafts.findClaim(run);
  if (claim === undefined || claim.holder === actor) return;
  const since = `since ${claim.claimedAt.toISOString()}, until ${claim.endsAt.toISOString()}`;
  throw new AppError('conflict', `${claim.name} has this draft (${since}). To go on nevertheless, send takeOver: true`);
}
