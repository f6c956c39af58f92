// Verifies the audit trail: every entry is read and hashed again, page by page, in one snapshot of the table, so that concurrent appends
// do not matter. It stops at the first entry that is wrong.
import type { KeyObject } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { AuditVerdict } from '../../../ports/audit.ts';
import type { Schema } from '../schema.ts';
import { type AuditHead, type AuditRow, chainHash, NO_ENTRY } from './audit-chain.ts';

type Fault = { readonly at: number; readonly why: string };

/** Entries hashed before other work may run: some 10 ms. */
const PAGE_ROWS = 2000;
const BEFORE_ALL = '-9223372036854775808';

export async function judgeTrail(
  db: Kysely<Schema>,
  key: KeyObject,
  expected: AuditHead | undefined,
): Promise<AuditVerdict> {
  const view = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return view.execute(async (transaction) => {
    const { last, fault } = await walk(transaction, key, expected);
    const found = fault ?? faultOfHead(last, await readHead(transaction)) ?? faultOfEnd(last, expected);
    return found
      ? { isWhole: false, entries: last.seq, ...found }
      : { isWhole: true, entries: last.seq, head: last.hash };
  });
}

/** Verifies up to the end, or to the last valid entry. */
async function walk(
  view: Kysely<Schema>,
  key: KeyObject,
  expected: AuditHead | undefined,
): Promise<{ readonly last: AuditHead; readonly fault?: Fault }> {
  let last = NO_ENTRY;
  for await (const row of rowsOf(view)) {
    const fault = faultOfRow(key, last, row);
    if (fault) return { last, fault };
    const next = { seq: last.seq + 1, hash: row.hash ?? '' };
    const anew = faultOfExpected(next, expected);
    if (anew) return { last, fault: anew };
    last = next;
  }
  return { last };
}

async function* rowsOf(view: Kysely<Schema>): AsyncGenerator<AuditRow> {
  let after: string | undefined = BEFORE_ALL;
  while (after !== undefined) {
    const { rows }: { readonly rows: readonly AuditRow[] } = await walkQuery(after, PAGE_ROWS).execute(view);
    yield* rows;
    after = rows.length === PAGE_ROWS ? rows.at(-1)?.seq : undefined;
  }
}

/** All columns are read as text, so that a forged value cannot make reading fail. */
export function walkQuery(after: string, limit: number) {
  return sql<AuditRow>`
    select seq::text as seq, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, action, actor, site, run,
      details, encode(prev_hash, 'hex') as "prevHash", encode(hash, 'hex') as hash
    from audit_entries where audit_entries.seq > ${after}::bigint order by audit_entries.seq limit ${limit}`;
}

async function readHead(view: Kysely<Schema>) {
  const { rows } = await sql<{ readonly seq: string; readonly hash: string }>`
    select seq::text as seq, encode(hash, 'hex') as hash from audit_head`.execute(view);
  return rows[0];
}

function faultOfRow(key: KeyObject, last: AuditHead, row: AuditRow): Fault | undefined {
  const at = last.seq + 1;
  const missing = BigInt(row.seq) - BigInt(at);
  if (missing > 0n)
    return { at, why: missing === 1n ? `Entry ${at} is missing` : `${missing} entries from ${at} on are missing` };
  if (missing < 0n) return { at: Number(row.seq), why: `Entry ${row.seq} was put in` };
  if (row.hash !== chainHash(key, row))
    return { at, why: `Entry ${at} was changed or put in, or was kept with another master key` };
  if (row.prevHash !== last.hash) return { at, why: `Entry ${at} does not follow the one before it` };
  return undefined;
}

function faultOfExpected(last: AuditHead, expected: AuditHead | undefined): Fault | undefined {
  if (last.seq !== expected?.seq || last.hash === expected.hash.toLowerCase()) return undefined;
  const why = `Entry ${last.seq} is not the one that was written down: the trail was made anew from there or from before it`;
  return { at: last.seq, why };
}

function faultOfHead(last: AuditHead, head: Awaited<ReturnType<typeof readHead>>): Fault | undefined {
  if (head === undefined) return { at: last.seq + 1, why: 'The row that holds the end of the trail is missing' };
  const missing = BigInt(head.seq) - BigInt(last.seq);
  if (missing > 0n) return { at: last.seq + 1, why: `The trail ended with entry ${head.seq}: its end was cut off` };
  if (missing < 0n)
    return { at: Number(head.seq) + 1, why: `The trail ended with entry ${head.seq}: what follows was put in` };
  if (head.hash !== last.hash)
    return { at: last.seq, why: `Entry ${last.seq} is not the one that the trail ended with` };
  return undefined;
}

function faultOfEnd(last: AuditHead, expected: AuditHead | undefined): Fault | undefined {
  if (expected === undefined || last.seq >= expected.seq) return undefined;
  return { at: last.seq + 1, why: `Entry ${expected.seq} was written down: the end of the trail was cut off` };
}
