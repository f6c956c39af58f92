// Answers by Idempotency-Key, in memory, with a clock that the test sets.
import type { KeptAnswer, KeyedAnswers, KeyedPlace } from '../../src/ports/keyed-answers.ts';

type Row = { holder: string; leaseUntil: number; kept?: KeptAnswer; keptAt: number };

const LEASE_MS = 30_000;
const KEPT_MS = 24 * 60 * 60_000;

export function makeFakeKeyedAnswers({
  now = () => new Date(),
  mostBytesPerKey = Number.POSITIVE_INFINITY,
}: {
  readonly now?: () => Date;
  readonly mostBytesPerKey?: number;
} = {}): KeyedAnswers {
  const rows = new Map<string, Row>();
  const nameOf = ({ keyId, clientKey }: KeyedPlace) => JSON.stringify([keyId, clientKey]);
  const time = () => now().getTime();
  const isOver = ({ kept, keptAt, leaseUntil }: Row) =>
    kept === undefined ? leaseUntil <= time() : keptAt + KEPT_MS <= time();
  const mine = (place: KeyedPlace, holder: string): Row | undefined => {
    const row = rows.get(nameOf(place));
    return row?.holder === holder && row.kept === undefined ? row : undefined;
  };
  return {
    async claim(place, holder) {
      const row = rows.get(nameOf(place));
      if (row === undefined || isOver(row)) {
        rows.set(nameOf(place), { holder, leaseUntil: time() + LEASE_MS, keptAt: 0 });
        return { kind: 'mine' };
      }
      return row.kept === undefined ? { kind: 'working' } : { kind: 'answered', kept: row.kept };
    },
    async renew(place, holder) {
      const row = mine(place, holder);
      if (row !== undefined) row.leaseUntil = time() + LEASE_MS;
      return row !== undefined;
    },
    async keep(place, holder, kept) {
      const row = mine(place, holder);
      if (row !== undefined) Object.assign(row, { kept, keptAt: time() });
      return row !== undefined;
    },
    async release(place, holder) {
      if (mine(place, holder) !== undefined) rows.delete(nameOf(place));
    },
    async sweep() {
      const before = rows.size;
      for (const [name, row] of rows) if (isOver(row)) rows.delete(name);
      const bytes = new Map<string, number>();
      for (const [name, { kept }] of [...rows].toSorted(([, one], [, other]) => other.keptAt - one.keptAt)) {
        if (kept === undefined) continue;
        const [keyId = ''] = JSON.parse(name) as readonly string[];
        const sum = (bytes.get(keyId) ?? 0) + kept.answer.length;
        bytes.set(keyId, sum);
        if (sum > mostBytesPerKey) rows.delete(name);
      }
      return before - rows.size;
    },
  };
}
