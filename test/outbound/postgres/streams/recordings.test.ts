// Tests handed-over recordings at rest: encrypted, bound to their place, shared by engines, never whole in memory, and deleted in time.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { makePostgresInbox } from '../../../../src/outbound/postgres/runs/inbox.ts';
import { makePostgresQueue } from '../../../../src/outbound/postgres/runs/queue.ts';
import { makePostgresRuns } from '../../../../src/outbound/postgres/runs/runs.ts';
import { makePostgresRecordings } from '../../../../src/outbound/postgres/streams/recordings.ts';
import { CHUNK_BYTES } from '../../../../src/outbound/postgres/streams/stream-chunks.ts';
import { someBytes } from '../../../contracts/prepared-streams-contract.ts';
import { anOrder, SITE, WRITTEN } from '../../../contracts/queue-contract.ts';
import { aRecording, inPieces, readRecording, recordingsContract } from '../../../contracts/recordings-contract.ts';
import { keeping } from '../../../contracts/runs-contract.ts';
import { makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { fixedSecrets } from '../../../support/secrets.ts';

const secrets = fixedSecrets(7);
const HOUR_MS = 3_600_000;
const START = new Date('2026-03-02T10:00:00Z').getTime();
let test: TestDatabase;
let at = START;
const now = () => new Date(at);
const makeRecordings = (key = secrets) => makePostgresRecordings({ ...test, secrets: key, now });

beforeAll(async () => {
  test = await makeTestDatabase();
});
beforeEach(async () => {
  at = START;
  for (const table of ['recordings', 'runs', 'inbox'])
    await sql`delete from ${sql.table(table)}`.execute(test.database.db);
});
afterAll(() => test.drop());

const run = (statement: string) => sql.raw(statement).execute(test.database.db);

recordingsContract('PostgreSQL', async () => makeRecordings());

describe('A recording in the database', () => {
  it('shows nothing of its sound, practitioner or template', async () => {
    const word = 'hemoptysis-canary';
    await makeRecordings().store(
      aRecording({ practitioner: word, template: word }),
      inPieces(Buffer.from(word.repeat(100))),
    );
    const { rows } = await run(
      'select *, (select string_agg(bytes, null) from recording_chunks) as bytes from recordings',
    );
    expect(rows).toHaveLength(1);
    const bytes = Object.values(rows[0] as Record<string, unknown>).map((value) =>
      Buffer.isBuffer(value) ? value : Buffer.from(String(value)),
    );
    expect(Buffer.concat(bytes).includes(word)).toBe(false);
  });

  it('is read from its sender only as fast as it is stored', async () => {
    const ahead: number[] = [];
    async function* pieces() {
      for (let index = 0; index < 8; index += 1) {
        ahead.push(index - (await run('select 1 from recording_chunks')).rows.length);
        yield new Uint8Array(CHUNK_BYTES);
      }
    }
    await makeRecordings().store(aRecording(), pieces());
    expect(Math.max(...ahead)).toBeLessThanOrEqual(1);
  });

  it.each([
    [
      'a flipped bit',
      'update recording_chunks set bytes = set_bit(bytes, 400, 1 - get_bit(bytes, 400)) where chunk_index = 0',
    ],
    ['a missing last chunk', 'delete from recording_chunks where chunk_index = 2'],
    ['a file cut at a chunk', `update recordings set size_bytes = ${2 * CHUNK_BYTES}`],
    [
      'swapped chunks',
      `update recording_chunks a set bytes = b.bytes from recording_chunks b
        where a.recording_id = b.recording_id and a.chunk_index < 2 and b.chunk_index = 1 - a.chunk_index`,
    ],
    ['another site', `update recordings set site = 'elsewhere'`],
  ])('is refused and never returned after tampering: %s', async (_, damage) => {
    const recordings = makeRecordings();
    const recording = aRecording();
    await recordings.store(recording, inPieces(someBytes(2 * CHUNK_BYTES + 5)));
    await run(damage);
    await expect(readRecording(recordings, recording.id)).rejects.toMatchObject({ code: 'internal' });
  });

  it('is refused by an engine with another master key', async () => {
    const recording = aRecording();
    await makeRecordings().store(recording, inPieces(someBytes(5)));
    const other = makeRecordings(fixedSecrets(8));
    await expect(other.open(recording.id)).rejects.toMatchObject({ code: 'internal' });
    await expect(other.find(recording.id)).rejects.toMatchObject({ code: 'internal' });
  });

  it('is deleted if its upload broke off with the engine, and not while it still arrives', async () => {
    const recordings = makeRecordings();
    const sweeps: number[] = [];
    async function* slow() {
      for (let n = 0; n < 3; n += 1) {
        yield new Uint8Array(CHUNK_BYTES);
        at += 9 * 60_000;
        sweeps.push(await recordings.sweep());
      }
    }
    const recording = aRecording();
    await recordings.store(recording, slow());
    expect(sweeps).toEqual([0, 0, 0]);
    await run('update recordings set stored_at = null');
    at += HOUR_MS;
    expect(await recordings.sweep()).toBe(1);
    expect((await run('select 1 from recording_chunks')).rows).toEqual([]);
  });
});

describe('A recording after its retention time', () => {
  const parts = () => ({ ...test, secrets, now });

  async function handedOver(id: string) {
    const recordings = makeRecordings();
    await recordings.store(aRecording({ id }), inPieces(someBytes(5)));
    const upload = { encounter: 'Encounter/1', session: `s-${id}`, recordings: [`upload:${id}`], isUrgent: false };
    const order = { site: SITE, organization: 'o', source: 'upload', key: id, content: id, receivedAt: now() } as const;
    await makePostgresInbox(parts()).acceptUpload({ ...order, ...upload });
    return recordings;
  }

  it('is deleted after its run has ended, even if the run has another encounter by now', async () => {
    const recordings = await handedOver('r-1');
    const queue = makePostgresQueue(parts());
    const [claim] = await queue.claim(anOrder());
    if (!claim) throw new Error('one');
    await queue.identify(claim, { encounter: 'Encounter/2', patient: 'Patient/1', isUrgent: false });
    at += 30 * 24 * HOUR_MS;
    const runs = makePostgresRuns(parts());
    expect(await runs.purge(keeping({ audioMs: HOUR_MS }))).toMatchObject({ recordings: 0 });
    await queue.leave(claim, WRITTEN);
    at += HOUR_MS;
    expect(await runs.purge(keeping({ audioMs: HOUR_MS }))).toMatchObject({ recordings: 0 });
    at += 1;
    expect(await runs.purge(keeping({ audioMs: HOUR_MS }))).toMatchObject({ recordings: 1 });
    expect(await recordings.find('r-1')).toBeUndefined();
  });

  it('is available while its run is held, and is deleted after the run was held for too long', async () => {
    const recordings = await handedOver('r-1');
    const queue = makePostgresQueue(parts());
    const [claim] = await queue.claim(anOrder());
    if (!claim) throw new Error('one');
    await queue.leave(claim, { status: 'held', reason: 'review', message: 'It is to be reviewed.' });
    const runs = makePostgresRuns(parts());
    const keep = keeping({ audioMs: HOUR_MS, heldMs: 30 * 24 * HOUR_MS });
    at += 30 * 24 * HOUR_MS;
    expect(await runs.purge(keep)).toMatchObject({ expired: 0, recordings: 0 });
    at += 1;
    expect(await runs.purge(keep)).toMatchObject({ expired: 1, recordings: 0 });
    at += HOUR_MS + 1;
    expect(await runs.purge(keep)).toMatchObject({ expired: 0, recordings: 1 });
    expect(await recordings.find('r-1')).toBeUndefined();
  });

  it('is deleted after a week if no run used it', async () => {
    const recordings = makeRecordings();
    const recording = aRecording();
    await recordings.store(recording, inPieces(someBytes(5)));
    const runs = makePostgresRuns(parts());
    at += 7 * 24 * HOUR_MS;
    expect(await runs.purge(keeping({ audioMs: HOUR_MS }))).toMatchObject({ recordings: 0 });
    at += 1;
    expect(await runs.purge(keeping({ audioMs: HOUR_MS }))).toMatchObject({ recordings: 1 });
  });
});
