// The audit trail, in PostgreSQL: one chain for all engines on a database, each entry hashed together with the one before it under a key
// that is stored encrypted. Entries are never deleted: the table accepts only inserts.
import type { Selectable } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import { present } from '../../../domain/present.ts';
import type { Audit, StoredAuditEntry } from '../../../ports/audit.ts';
import type { Database } from '../database.ts';
import { guarded } from '../errors.ts';
import { cutPage, makeCursor, parseCursor } from '../position-cursor.ts';
import type { AuditEntriesTable } from '../schema-watch.ts';
import { ofSites } from '../scope-conditions.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { withoutNulls } from '../without-nulls.ts';
import { makeAuditTurns } from './audit-append.ts';
import { asAuditText } from './audit-chain.ts';
import { judgeTrail } from './audit-verdict.ts';

type AuditParts = { readonly database: Database; readonly secrets: Pick<Secrets, 'auditKey'> };
type Query = Parameters<Audit['list']>[0];
type Shown = Pick<Selectable<AuditEntriesTable>, 'seq' | 'at' | 'action' | 'actor' | 'site' | 'run' | 'details'>;

export function makePostgresAudit({ database, secrets: { auditKey: key } }: AuditParts): Audit<string> {
  const append = makeAuditTurns(database, key);
  return {
    append: async (entry) => append(asAuditText(entry)),
    list: (query) => guarded(() => listEntries(database, query)),
    verify: (expected) => guarded(() => judgeTrail(database.db, key, expected)),
    head: () => guarded(() => readHead(database)),
  };
}

async function listEntries(database: Database, query: Query): ReturnType<Audit['list']> {
  const rows = await auditPageQuery(database, query).execute();
  const { page, last } = cutPage(rows, query.limit);
  return present({ entries: page.map(asEntry), next: last && makeCursor(last.seq) });
}

/** Reads one more than the limit, to see if there is a further page. */
export function auditPageQuery({ db }: Pick<Database, 'db'>, query: Query) {
  const { scope, site, run, action, since, limit, cursor } = query;
  let rows = db.selectFrom('audit_entries').select(['seq', 'at', 'action', 'actor', 'site', 'run', 'details']);
  if (cursor !== undefined) rows = rows.where('seq', '<', parseCursor(cursor));
  if (scope !== 'all') rows = rows.where(ofSites(scope));
  if (site !== undefined) rows = rows.where('site', '=', site);
  if (run !== undefined) rows = rows.where('run', '=', run);
  if (action !== undefined) rows = rows.where('action', '=', action);
  if (since !== undefined) rows = rows.where('at', '>=', since);
  return rows.orderBy('seq', 'desc').limit(limit + 1);
}

async function readHead({ db }: Database): ReturnType<Audit['head']> {
  const head = await db.selectFrom('audit_head').select(['seq', 'hash']).executeTakeFirst();
  if (!head) throw new AppError('internal', 'The audit trail has lost its head: verify it');
  return { seq: head.seq, hash: head.hash.toString('hex') };
}

function asEntry({ seq, at, action, actor, site, run, details }: Shown): StoredAuditEntry {
  return withoutNulls({ seq, at, action, actor, site, run, details: details && JSON.parse(details) });
}
