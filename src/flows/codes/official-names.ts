// The official names of codes, for the judgement whether a code belongs to the name of a disease. A diagnosis never fails for want of them.
import type { OfficialNames } from '../../domain/coding/official-codes.ts';
import type { CodeLists } from '../../ports/codes.ts';

export type FindNames = (codes: readonly string[]) => Promise<OfficialNames>;

/** There are no names until there are `lists`, and while they cannot be read. */
export function makeFindNames(lists: () => Pick<CodeLists, 'displays'> | undefined): FindNames {
  return async (codes) => {
    const known = lists();
    if (known === undefined || codes.length === 0) return new Map();
    return known.displays(codes).catch(() => new Map());
  };
}
