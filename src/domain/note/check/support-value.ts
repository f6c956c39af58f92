// The result of a search for a claim in the conversation, and how results are joined.
import type { ClaimContent } from './claim.ts';

/** The index of the utterance that supports the claim, or the reason why there is none. */
export type Support = number | 'unsupported' | 'incomparable';
export type ContentOf<What extends ClaimContent['what']> = Extract<ClaimContent, { readonly what: What }>;

/** Supported if all are found; the utterance is the last of them. */
export function latest(utterances: readonly (number | undefined)[]): Support {
  const found = utterances.filter((utterance) => utterance !== undefined);
  return found.length < utterances.length || found.length === 0 ? 'unsupported' : Math.max(...found);
}

/** Whether something is spoken of in this utterance, in the next one, or up to `reach` before it. */
export function isTalkNear(talk: ReadonlySet<number> | undefined, utterance: number, reach: number): boolean {
  if (talk === undefined) return false;
  for (let at = utterance - reach; at <= utterance + 1; at += 1) if (talk.has(at)) return true;
  return false;
}
