// Tests the migration that closes parked runs whose replay was written before the update.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Kysely, sql } from 'kysely';
import { up } from '../../../../src/outbound/postgres/migrations/0009-replays.ts';
import { makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await makeTestDatabase();
});
afterAll(() => test.drop());

type Row = {
  readonly session: string;
  readonly status: string;
  readonly of?: string;
  readonly reason?: string;
  readonly patient?: string;
  readonly isDry?: boolean;
  readonly left?: readonly object[];
};

async function insert({
  session,
  status,
  reason,
  of,
  patient = 'Patient/1',
  isDry = false,
  left = [],
}: Row): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into runs (site, organization, encounter, patient, session, is_urgent, status, reason, replay_of, is_dry, left_documents,
      trigger_source, trigger_received_at, created_at, changed_at)
    values ('mercy', 'mercy', 'Encounter/1', ${patient}, ${session}, false, ${status}, ${reason ?? null}, ${of ?? null}, ${isDry},
      ${JSON.stringify(left)}::jsonb, 'amqp', now(), now(), now())
    returning id`.execute(test.database.db);
  return rows[0]?.id ?? '';
}

it('the migration closes parked runs whose replay was written before, and no others', async () => {
  await sql`alter table runs drop column replayed_by`.execute(test.database.db);
  const left = [{ document: 'composition', reference: 'Composition/1', why: 'signed' }];
  const replayed = await insert({ session: 's-1', status: 'parked' });
  const written = await insert({ session: 's-1', status: 'written', of: replayed });
  const afterwards = await insert({ session: 's-1', status: 'parked', of: replayed });
  const again = await insert({ session: 's-2', status: 'parked' });
  await insert({ session: 's-2', status: 'skipped', of: again, isDry: true });
  const byHand = await insert({ session: 's-4', status: 'parked', reason: 'retract-by-hand' });
  await insert({ session: 's-4', status: 'written', of: byHand, patient: 'Patient/2' });
  const leftElsewhere = await insert({ session: 's-3', status: 'parked', left });
  await insert({ session: 's-3', status: 'written', of: leftElsewhere, patient: 'Patient/2' });
  await up(test.database.db as unknown as Kysely<unknown>);
  const { rows } = await sql<{ id: string; replayed_by: string | null }>`
    select id, replayed_by from runs where status = 'parked' order by serial`.execute(test.database.db);
  expect(rows).toEqual([
    { id: replayed, replayed_by: written },
    { id: afterwards, replayed_by: null },
    { id: again, replayed_by: null },
    { id: byHand, replayed_by: null },
    { id: leftElsewhere, replayed_by: null },
  ]);
});
