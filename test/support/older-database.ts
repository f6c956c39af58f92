// A database that version 0.2.0 has filled: its tables, and rows as that version encrypted, hashed and named them.
import { createHash, createHmac } from 'node:crypto';
import pg from 'pg';
import { documentUrn } from '../../src/domain/chart/identity.ts';
import { makeMigrations, migrate } from '../../src/outbound/postgres/migrations.ts';
import { deriveKey, sealChunk } from '../../src/platform/crypto.ts';
import { emptyKysely } from './kysely.ts';
import { makeEmptyDatabase, type TestDatabase } from './postgres.ts';

export const OLDER_KEY = new Uint8Array(32).fill(7);
export const OLDER_SITE = 'mercy';
export const OLDER_CODE = 'Q98canary';
export const OLDER_EVENT = 'event-canary-4711';
export const OLDER_RUN = '11111111-1111-4111-8111-111111111111';
const DELIVERY = '22222222-2222-4222-8222-222222222222';
export const OLDER_RECORDING = '33333333-3333-4333-8333-333333333333';
export const OLDER_AT = new Date('2026-03-02T10:00:00.123Z');
export const OLDER_PLACE = { site: OLDER_SITE, encounter: 'enc-1', session: 's-1' };
export const OLDER_IDENTITY = { system: `urn:chartwright:${OLDER_SITE}`, value: `enc-1/s-1/condition/${OLDER_CODE}` };
export const OLDER_BODY = JSON.stringify({ resourceType: 'Condition', code: { coding: [{ code: OLDER_CODE }] } });
export const OLDER_ORDER = {
  site: OLDER_SITE,
  organization: 'mercy-general',
  source: 'amqp',
  key: `id:${OLDER_EVENT}`,
  content: 'the content',
  eventId: OLDER_EVENT,
  receivedAt: OLDER_AT,
  settleMs: 0,
  encounters: [{ encounter: 'Encounter/enc-1', isUrgent: false }],
} as const;

/** Makes a database with the tables of version 0.2.0, and rows as that version stored them. */
export async function makeOlderDatabase(writes = 1): Promise<Omit<TestDatabase, 'database'>> {
  const { connectionString, drop } = await makeEmptyDatabase();
  const db = emptyKysely(connectionString);
  const older = Object.entries(makeMigrations()).filter(([name]) => name < '0010');
  await migrate(db, Object.fromEntries(older));
  await db.destroy();
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    for (const [statement, values] of olderRows(writes)) await client.query(statement, [...values]);
  } finally {
    await client.end();
  }
  return { connectionString, drop };
}

function sealed(purpose: string, text: string, context: readonly unknown[]): Buffer {
  const place = { context: JSON.stringify(context), index: 0, isLast: true };
  return Buffer.from(sealChunk(deriveKey(OLDER_KEY, purpose), Buffer.from(text), place));
}

function hashed(...texts: readonly string[]): Buffer {
  return createHmac('sha256', deriveKey(OLDER_KEY, 'inbox-keys')).update(JSON.stringify(texts)).digest();
}

type Statement = readonly [statement: string, values: readonly unknown[]];

function olderRows(writes: number): readonly Statement[] {
  return [...settingRows(), ...chartRows(writes), ...runRows(), ...auditRows()];
}

function settingRows(): readonly Statement[] {
  const check = createHmac('sha256', deriveKey(OLDER_KEY, 'master-key-check')).update('chartwright').digest('hex');
  return [['insert into engine_settings (name, value) values ($1, $2)', ['master-key-check', check]]];
}

function chartRows(count: number): readonly Statement[] {
  const sha256 = createHash('sha256').update(OLDER_BODY).digest('hex');
  const writes = Array.from({ length: count }, (_, position): Statement => {
    const value = position === 0 ? OLDER_IDENTITY.value : `${OLDER_IDENTITY.value}#${position}`;
    const urn = documentUrn({ ...OLDER_IDENTITY, value });
    const body = sealed('chart-writes', OLDER_BODY, ['chart-write', OLDER_SITE, 'enc-1', 's-1', 1, position]);
    return [
      `insert into chart_writes (id, site, encounter, session, revision, position, document, action, type, base_system, base_value,
        identity_system, identity_value, full_url, body, sha256, state, reference)
       values ($1, $2, 'enc-1', 's-1', 1, $3, 'condition', 'create', 'Condition', $4, $5, $4, $5, $6, $7, $8, 'written', $9)`,
      [`w-${position}`, OLDER_SITE, position, OLDER_IDENTITY.system, value, urn, body, sha256, `Condition/${position}`],
    ];
  });
  return [
    [
      `insert into chart_revisions (site, encounter, session, number, kind, patient, run_id, run_time, run_at, engine, state)
       values ($1, 'enc-1', 's-1', 1, 'documents', 'Patient/1', $2, $3, $4, '0.2.0', 'done')`,
      [OLDER_SITE, OLDER_RUN, OLDER_AT.toISOString(), OLDER_AT],
    ],
    ...writes,
    [
      `insert into chart_findings (site, kind, identity, resources) values ($1, 'missing', $2, '{}')`,
      [OLDER_SITE, OLDER_IDENTITY.value],
    ],
  ];
}

function runRows(): readonly Statement[] {
  return [
    [
      `insert into runs (id, site, organization, encounter, session, is_urgent, status, trigger_source, trigger_event_id,
        trigger_received_at, created_at, changed_at, ended_at)
       values ($1, $2, 'mercy-general', 'Encounter/enc-1', 's-1', false, 'written', 'amqp', $3, $4, $4, $4, $4)`,
      [OLDER_RUN, OLDER_SITE, OLDER_EVENT, OLDER_AT],
    ],
    [
      `insert into run_steps (run_id, name, status, attempts, started_at, result) values ($1, 'transcribe', 'done', 1, $2, $3)`,
      [
        OLDER_RUN,
        OLDER_AT,
        sealed('run-results', '{"text":"cough"}', ['run-step', OLDER_SITE, OLDER_RUN, 'transcribe']),
      ],
    ],
    [
      `insert into inbox (id, site, source, event_id, outcome, key_hash, content_hash, received_at, last_at)
       values ($1, $2, 'amqp', $3, 'accepted', $4, $5, $6, $6)`,
      [
        DELIVERY,
        OLDER_SITE,
        OLDER_EVENT,
        hashed('key', OLDER_ORDER.key),
        hashed('content', OLDER_ORDER.content),
        OLDER_AT,
      ],
    ],
    ['insert into inbox_runs (inbox_id, run_id) values ($1, $2)', [DELIVERY, OLDER_RUN]],
    [
      `insert into recordings (id, site, encounter, manifest, size_bytes, created_at, stored_at)
       values ($1, $2, 'Encounter/enc-1', $3, 1, $4, $4)`,
      [
        OLDER_RECORDING,
        OLDER_SITE,
        sealed('recordings', '{"type":"audio/wav","patient":"Patient/1"}', [
          'recording',
          OLDER_SITE,
          OLDER_RECORDING,
          'manifest',
        ]),
        OLDER_AT,
      ],
    ],
  ];
}

function auditRows(): readonly Statement[] {
  const before = '0'.repeat(64);
  const row = ['1', OLDER_AT.toISOString(), 'run.write', 'engine', OLDER_SITE, null, null, before];
  const hash = createHmac('sha256', deriveKey(OLDER_KEY, 'audit')).update(JSON.stringify(row)).digest('hex');
  return [
    [
      `insert into audit_entries (seq, at, action, actor, site, prev_hash, hash)
       values (1, $1, 'run.write', 'engine', $2, decode($3, 'hex'), decode($4, 'hex'))`,
      [OLDER_AT, OLDER_SITE, before, hash],
    ],
    [`update audit_head set seq = 1, hash = decode($1, 'hex')`, [hash]],
  ];
}
