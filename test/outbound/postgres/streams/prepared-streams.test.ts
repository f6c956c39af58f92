// Tests prepared streams at rest: encrypted, bound to their place, shared by engines, and never whole in memory.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { openDatabase } from '../../../../src/outbound/postgres/database.ts';
import { makePostgresPreparedStreams } from '../../../../src/outbound/postgres/streams/prepared-streams.ts';
import { CHUNK_BYTES } from '../../../../src/outbound/postgres/streams/stream-chunks.ts';
import type { PreparedStreams } from '../../../../src/ports/prepared-streams.ts';
import {
  anAttachment,
  aPreparation,
  claimed,
  mercy,
  readAll,
  someBytes,
} from '../../../contracts/prepared-streams-contract.ts';
import { makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { fixedSecrets } from '../../../support/secrets.ts';

const secrets = fixedSecrets(7);
let test: TestDatabase;
let streams: PreparedStreams;

beforeAll(async () => {
  test = await makeTestDatabase();
  streams = makePostgresPreparedStreams({ ...test, secrets });
});
beforeEach(async () => {
  await sql`truncate prepared_streams cascade`.execute(test.database.db);
});
afterAll(() => test.drop());

const run = (statement: string) => sql.raw(statement).execute(test.database.db);

describe('A prepared stream in the database', () => {
  it('shows neither its history nor its files', async () => {
    const word = 'hemoptysis-canary';
    const file = Buffer.from(word.repeat(100));
    await streams.prepare(aPreparation({ clinicalHistory: word, attachments: [anAttachment(file)] }));
    const sessions = await test.database.db.selectFrom('prepared_streams').selectAll().execute();
    const chunks = await test.database.db.selectFrom('prepared_stream_chunks').selectAll().execute();
    expect([sessions.length, chunks.length]).toEqual([1, 1]);
    const bytes = Buffer.concat([...sessions.map((row) => row.manifest), ...chunks.map((row) => row.bytes)]);
    expect(bytes.includes(word)).toBe(false);
    expect(JSON.stringify(sessions)).not.toContain(word);
  });

  it('is read from its source only as fast as it is stored', async () => {
    const stored = async () => (await run('select 1 from prepared_stream_chunks')).rows.length;
    const ahead: number[] = [];
    const count = 8;
    const attachment = anAttachment(new Uint8Array(count * CHUNK_BYTES), {
      open: async function* () {
        for (let index = 0; index < count; index += 1) {
          ahead.push(index - (await stored()));
          yield new Uint8Array(CHUNK_BYTES);
        }
      },
    });
    await streams.prepare(aPreparation({ attachments: [attachment] }));
    expect(await stored()).toBe(count);
    expect(Math.max(...ahead)).toBeLessThanOrEqual(1);
  });

  it('is opened on another engine than the one that prepared it, and on one of them only', async () => {
    const otherDatabase = await openDatabase({ ...test, maxConnections: 3, onError: () => undefined });
    try {
      const other = makePostgresPreparedStreams({ database: otherDatabase, secrets });
      const bytes = someBytes(700_000);
      const preparation = aPreparation({ clinicalHistory: 'Cough', attachments: [anAttachment(bytes)] });
      await streams.prepare(preparation);
      const claims = await Promise.all(
        [streams, other, streams, other, streams, other].map((engine) => engine.claim(preparation.id, mercy)),
      );
      expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
      for (const claim of claims) if (claim.kind === 'claimed') await claim.stream.release();
      const { attachments } = await claimed(other, preparation.id);
      for (const attachment of attachments) expect((await readAll(attachment)).equals(bytes)).toBe(true);
    } finally {
      await otherDatabase.close();
    }
  });

  it('is deleted with its bytes when it is released after use', async () => {
    const preparation = aPreparation({ attachments: [anAttachment(someBytes(700_000))] });
    await streams.prepare(preparation);
    const stream = await claimed(streams, preparation.id);
    await stream.markUsed();
    await stream.release();
    expect((await run('select 1 from prepared_stream_chunks')).rows).toEqual([]);
  });

  it('cannot be claimed while its files are still stored', async () => {
    const preparation = aPreparation();
    const kinds: string[] = [];
    const attachment = anAttachment(someBytes(10), {
      open: async function* () {
        kinds.push((await streams.claim(preparation.id, mercy)).kind);
        kinds.push((await streams.claim(preparation.id, { ...mercy, keyId: 'key-2' })).kind);
        yield someBytes(10);
      },
    });
    await streams.prepare({ ...preparation, attachments: [attachment] });
    expect(kinds).toEqual(['absent', 'absent']);
    await claimed(streams, preparation.id);
  });
});

describe('A prepared stream that was tampered with', () => {
  const damages = {
    'a flipped bit':
      'update prepared_stream_chunks set bytes = set_bit(bytes, 400, 1 - get_bit(bytes, 400)) where chunk_index = 0',
    'a chunk cut short':
      'update prepared_stream_chunks set bytes = substr(bytes, 1, length(bytes) - 1) where chunk_index = 1',
    'a chunk of nothing': `update prepared_stream_chunks set bytes = '' where chunk_index = 1`,
    'a missing last chunk': 'delete from prepared_stream_chunks where file_index = 0 and chunk_index = 2',
    'swapped chunks': `update prepared_stream_chunks a set bytes = b.bytes from prepared_stream_chunks b
      where a.stream_id = b.stream_id and a.file_index = 0 and b.file_index = 0 and a.chunk_index < 2 and b.chunk_index = 1 - a.chunk_index`,
    'swapped files': `update prepared_stream_chunks a set bytes = b.bytes from prepared_stream_chunks b
      where a.stream_id = b.stream_id and b.file_index = 1 - a.file_index and a.chunk_index = b.chunk_index`,
    'the last chunk in place of an earlier one': `update prepared_stream_chunks a set bytes = b.bytes from prepared_stream_chunks b
      where a.stream_id = b.stream_id and a.file_index = b.file_index and a.chunk_index = 1 and b.chunk_index = 2`,
  };

  it.each(Object.entries(damages))('is refused and never returned: %s', async (_, damage) => {
    const bytes = someBytes(2 * CHUNK_BYTES + 5);
    const preparation = aPreparation({
      attachments: [anAttachment(bytes), anAttachment(someBytes(bytes.length).reverse())],
    });
    await streams.prepare(preparation);
    await run(damage);
    const { attachments } = await claimed(streams, preparation.id);
    const [first] = attachments;
    if (!first) throw new Error('a file');
    await expect(readAll(first)).rejects.toMatchObject({ code: 'internal' });
  });

  it('is refused if a chunk of another session was put in its place', async () => {
    const [one, other] = [someBytes(10), someBytes(10).reverse()].map((bytes) =>
      aPreparation({ attachments: [anAttachment(bytes)] }),
    );
    if (!one || !other) throw new Error('two');
    await streams.prepare(one);
    await streams.prepare(other);
    await run(`update prepared_stream_chunks set bytes =
      (select bytes from prepared_stream_chunks where stream_id = '${other.id}') where stream_id = '${one.id}'`);
    const { attachments } = await claimed(streams, one.id);
    for (const attachment of attachments) await expect(readAll(attachment)).rejects.toMatchObject({ code: 'internal' });
  });

  it('is refused if it was moved to another organization', async () => {
    const preparation = aPreparation({ clinicalHistory: 'Cough' });
    await streams.prepare(preparation);
    await run(`update prepared_streams set organization = 'a-clinic'`);
    const thief = { ...mercy, organization: 'a-clinic' };
    await expect(streams.claim(preparation.id, thief)).rejects.toMatchObject({ code: 'internal' });
  });

  it('is refused by an engine with another master key', async () => {
    const preparation = aPreparation({ clinicalHistory: 'Cough' });
    await streams.prepare(preparation);
    const other = makePostgresPreparedStreams({ ...test, secrets: fixedSecrets(8) });
    await expect(other.claim(preparation.id, mercy)).rejects.toMatchObject({ code: 'internal' });
  });
});
