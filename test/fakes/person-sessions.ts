// Sessions of people, in memory.
import { AppError } from '../../src/domain/errors.ts';
import { isInScope } from '../../src/domain/people/role.ts';
import { present } from '../../src/domain/present.ts';
import type { NewSession, PersonSession, PersonSessions, SessionEnd } from '../../src/ports/person-sessions.ts';
import type { FakePeople } from './people.ts';

type Row = NewSession & {
  purpose?: PersonSession['purpose'];
  readonly createdAt: Date;
  readonly endsAt: Date;
  lastUsedAt: Date;
  secret: string;
  former?: { readonly secret: string; readonly until: number };
  ended?: { readonly why: SessionEnd; readonly at: number };
};

const FORMER_MS = 10_000;
const DAY_MS = 86_400_000;

export function makeFakePersonSessions({
  people,
  now = () => new Date(),
}: {
  readonly people: FakePeople;
  readonly now?: () => Date;
}): PersonSessions {
  const rows = new Map<string, Row>();
  const time = () => now().getTime();
  const idleAt = (row: Row) => new Date(Math.min(row.endsAt.getTime(), row.lastUsedAt.getTime() + row.idleMs));
  const isOpen = (row: Row) => row.ended === undefined && idleAt(row).getTime() > time();
  const open = () => [...rows.values()].filter(isOpen);
  const end = (meant: readonly Row[], why: SessionEnd): readonly string[] => {
    for (const row of meant) row.ended = { why, at: time() };
    return meant.map(({ id }) => id);
  };
  const asSession = (row: Row): PersonSession => {
    const { id, person, kind, way, purpose, opened, address, agent, createdAt, lastUsedAt, endsAt } = row;
    const times = { createdAt, lastUsedAt, idleAt: idleAt(row), endsAt };
    return present({ id, person, kind, way, purpose, opened, address, agent, ...times });
  };
  const isGood = ({ secret, former }: Row, given: string) =>
    secret === given || (former?.secret === given && former.until > time());
  people.whenDisabled((person) => {
    const theirs = [...rows.values()].filter((row) => row.person === person && row.ended === undefined);
    end(theirs, 'person-disabled');
  });

  return {
    create: async (session) => {
      const person = await people.find(session.person);
      if (person === undefined || person.disabledAt !== undefined) {
        throw new AppError('forbidden', 'This account is disabled');
      }
      people.noteSeen(session.person);
      const times = { createdAt: now(), lastUsedAt: now(), endsAt: new Date(time() + session.totalMs) };
      const row = { ...session, ...times, secret: textOf(session.secretDigest) };
      rows.set(session.id, row);
      return asSession(row);
    },
    use: async (id, secretDigest, how) => {
      const row = rows.get(id);
      if (row === undefined || !isOpen(row) || !isGood(row, textOf(secretDigest))) return undefined;
      const person = await people.find(row.person);
      if (person === undefined || person.disabledAt !== undefined) return undefined;
      if (how?.isWatching !== true) row.lastUsedAt = now();
      return { session: asSession(row), person };
    },
    renew: async (id, { former, next, afterMs }) => {
      const row = rows.get(id);
      if (row === undefined || !isOpen(row) || row.secret !== textOf(former)) return false;
      const since = row.former === undefined ? row.createdAt.getTime() : row.former.until - FORMER_MS;
      if (since > time() - afterMs) return false;
      row.former = { secret: row.secret, until: time() + FORMER_MS };
      row.secret = textOf(next);
      return true;
    },
    setPurpose: async (id, purpose) => {
      const row = rows.get(id);
      if (row !== undefined && isOpen(row)) row.purpose = purpose;
    },
    list: async ({ scope, person, limit }) => {
      const listed: PersonSession[] = [];
      for (const row of open().toReversed()) {
        const grants = (await people.find(row.person))?.grants ?? [];
        const isSeen =
          scope === 'all' ||
          (grants.some(({ site }) => isInScope(scope, site)) &&
            (row.opened === undefined || isInScope(scope, row.opened.site)));
        if (isSeen && (person === undefined || row.person === person)) listed.push(asSession(row));
      }
      return listed.slice(0, limit);
    },
    end: async (which, why) =>
      end(
        open().filter((row) => isMeant(row, which)),
        why,
      ),
    sweep: async () => {
      for (const [id, row] of rows) {
        if (Math.min(row.ended?.at ?? Number.POSITIVE_INFINITY, idleAt(row).getTime()) < time() - DAY_MS)
          rows.delete(id);
      }
    },
  };
}

function isMeant({ id, person, provider }: Row, which: Parameters<PersonSessions['end']>[0]): boolean {
  if ('id' in which) return id === which.id;
  if ('person' in which) return person === which.person && id !== which.except;
  if (provider?.issuer !== which.issuer) return false;
  return 'subject' in which ? provider.subject === which.subject : provider.sessionId === which.providerSession;
}

function textOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('hex');
}
