// Quarantined deliveries, which the engine could not understand, stored for a person. Their bytes are encrypted and bound to their row.
import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { SiteScope } from '../../../domain/people/role.ts';
import { present } from '../../../domain/present.ts';
import type { Inbox, QuarantinedDelivery, QuarantineOrder, StoredDelivery } from '../../../ports/inbox.ts';
import { guardedMethods } from '../errors.ts';
import { cutPage } from '../position-cursor.ts';
import type { InboxTable } from '../schema-runs.ts';
import { ofSites } from '../scope-conditions.ts';
import { wholePlace } from '../secrets/whole-values.ts';
import type { InboxStorage } from './inbox-storage.ts';
import { pageStart } from './run-page.ts';
import { sealEventId } from './run-rows.ts';
import { isRunId, storable } from './run-storage.ts';

type Quarantine = Pick<Inbox, 'quarantine' | 'listQuarantined' | 'findQuarantined' | 'settleQuarantined'>;

export function makeInboxQuarantine(storage: InboxStorage): Quarantine {
  return guardedMethods({
    quarantine: (delivery) => storeQuarantined(storage, delivery, storage.hash('aside', delivery.key)),
    listQuarantined: (query) => listQuarantined(storage, query),
    findQuarantined: (id, scope) => findQuarantined(storage, id, scope),
    settleQuarantined: async (id) => {
      if (!isRunId(id)) return;
      await sql`update inbox set outcome = 'nothing', body = null where id = ${id} and outcome in ('not-understood', 'id-reused')`.execute(
        storage.db,
      );
    },
  });
}

/** Stored bodies of a site: a broken sender may send a megabyte each second, and disks are shared. The reasons are always stored. */
const MAX_BODIES = 1_000;

type QuarantineRow = Omit<QuarantineOrder, 'key'> & { readonly eventId?: string };

/** False if a delivery with that hash was quarantined before: it is only counted. */
export async function storeQuarantined(
  { db, bodies, events }: InboxStorage,
  delivery: QuarantineRow,
  keyHash: Buffer,
): Promise<boolean> {
  const { site, source, outcome, why, receivedAt, contentType, body, eventId } = delivery;
  const id = randomUUID();
  const sealed = body && bodies.seal(body, wholePlace(bodyContext({ site, id })));
  const textOf = (text: string | undefined) => (text === undefined ? null : storable(text));
  const { rows } = await sql<{ is_new: boolean }>`
    insert into inbox (id, site, source, event, outcome, key_hash, why, received_at, last_at, content_type, body)
    values (${id}, ${site}, ${source}, ${sealEventId(events, eventId, delivery)}::bytea, ${outcome}, ${keyHash}, ${storable(why)}, ${receivedAt}, ${receivedAt},
      ${textOf(contentType)}, case when ${bodiesOf(site)} < ${MAX_BODIES} then ${sealed ?? null}::bytea end)
    on conflict (site, key_hash) do update
      set repeats = inbox.repeats + 1, last_at = greatest(inbox.last_at, excluded.last_at)
    returning xmax = 0 as is_new`.execute(db);
  return rows[0]?.is_new === true;
}

/** What binds the bytes to their row. */
export function bodyContext({ site, id }: { readonly site: string; readonly id: string }): readonly string[] {
  return ['inbox', site, id];
}

async function findQuarantined(
  { db, bodies }: InboxStorage,
  id: string,
  scope: SiteScope,
): Promise<StoredDelivery | undefined> {
  if (!isRunId(id)) return undefined;
  const row = await db
    .selectFrom('inbox')
    .select([...COLUMNS, 'content_type', 'body'])
    .where('id', '=', id)
    .where(ofSites(scope))
    .where('outcome', 'in', ['not-understood', 'id-reused'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const body = row.body === null ? undefined : bodies.open(row.body, wholePlace(bodyContext(row)));
  return present({ ...asDelivery(row), contentType: row.content_type ?? undefined, body });
}

function bodiesOf(site: string) {
  return sql<number>`(
    select count(*) from (select from inbox where site = ${site} and body is not null limit ${MAX_BODIES}) kept)`;
}

const COLUMNS = ['id', 'position', 'site', 'source', 'outcome', 'why', 'received_at', 'repeats'] as const;

async function listQuarantined({ db }: InboxStorage, query: Parameters<Inbox['listQuarantined']>[0]) {
  const { scope, site, limit, cursor } = query;
  let found = db
    .selectFrom('inbox')
    .select(COLUMNS)
    .where(ofSites(scope))
    .where('outcome', 'in', ['not-understood', 'id-reused'])
    .orderBy('position', 'desc')
    .limit(limit + 1);
  if (site !== undefined) found = found.where('site', '=', site);
  if (cursor !== undefined) found = found.where('position', '<', pageStart(cursor));
  const rows = await found.execute();
  const { page, last } = cutPage(rows, limit);
  return present({ deliveries: page.map(asDelivery), next: last && String(last.position) });
}

type DeliveryRow = Pick<Selectable<InboxTable>, (typeof COLUMNS)[number]>;

function asDelivery(row: DeliveryRow): QuarantinedDelivery {
  return {
    id: row.id,
    site: row.site,
    source: row.source,
    outcome: row.outcome as QuarantinedDelivery['outcome'],
    why: row.why ?? '',
    receivedAt: row.received_at,
    repeats: row.repeats,
  };
}
