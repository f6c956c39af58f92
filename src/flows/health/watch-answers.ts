// Watches which model answers: a vendor may change what is behind a name without a word. A change is a finding for the log, the metrics
// and /readyz. It knows names of models only.
import { type AnsweringModel, describeAnsweringModel } from '../../domain/answering-model.ts';

export type AnswerChange = { readonly from: string; readonly to: string; readonly at: Date };

export type WatchAnswers = {
  /** Called for each answer whose vendor says which model it is of. */
  readonly note: (answeredBy: AnsweringModel) => void;
  /** Called with what answered before this process started, if that is known: `gpt-5.4-2026-03-05 fp_1`. */
  readonly remember: (name: string) => void;
  readonly current: () => { readonly last?: string; readonly change?: AnswerChange };
};

type WatchParts = { readonly now: () => Date; readonly onChange: (change: AnswerChange) => void };

/** Some vendors answer with several configurations in turn. One that has answered within this time is no news. */
const KNOWN_FOR_MS = 24 * 3_600_000;
/** Enough for all that answer in turn; a vendor that makes a new name for each answer must not fill the memory. */
const MOST_KNOWN = 100;

export function makeWatchAnswers({ now, onChange }: WatchParts): WatchAnswers {
  /** When each has last answered, the oldest first. */
  const known = new Map<string, number>();
  let last: string | undefined;
  let change: AnswerChange | undefined;

  const see = (name: string, atMs: number) => {
    known.delete(name);
    known.set(name, atMs);
    const [oldest] = known.keys();
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
    last = name;
  };

  return {
    note(answeredBy) {
      const name = describeAnsweringModel(answeredBy);
      const at = now();
      const before = last;
      const isNews = at.getTime() - (known.get(name) ?? Number.NEGATIVE_INFINITY) > KNOWN_FOR_MS;
      see(name, at.getTime());
      if (before === undefined || before === name || !isNews) return;
      change = { from: before, to: name, at };
      onChange(change);
    },
    remember(name) {
      if (last === undefined) see(name, now().getTime());
    },
    current: () => ({ ...(last !== undefined && { last }), ...(change && { change }) }),
  };
}
