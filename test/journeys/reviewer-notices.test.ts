// A RED triage reaches the reviewers of its site by mail, at once and one time each, although two engines work; and the drafts of the day are listed
// with their facts, RED first.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { makePostgresPeople } from '../../src/outbound/postgres/people/people.ts';
import { readPatients } from '../../src/sandbox/patients/read-patients.ts';
import type { DraftListAnswer } from '../../src/wire/drafts.ts';
import { openSandboxEngine } from '../eval/play-sandbox.ts';
import { type Engine, startEngine } from '../support/engine.ts';
import { eventually, untilRun } from '../support/journey-runs.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { makeTestDatabase, type TestDatabase } from '../support/postgres.ts';

const LIMIT_MS = 180_000;
const RED_STORY = 'en-chest-pressure';

let database: TestDatabase;
let mails: MailServer;
let engine: Engine;
let other: Engine;
beforeAll(async () => {
  database = await makeTestDatabase();
  mails = await startMailServer();
  const env = {
    DATABASE_URL: database.connectionString,
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    MAIL_FROM: 'charts@example.org',
  };
  engine = await openSandboxEngine(env);
  other = await startEngine({ env: { ...env, WORKERS: '0' } });
  const people = makePostgresPeople(database);
  for (const [index, name] of ['ana', 'ben'].entries()) {
    const practitioner = `Practitioner/made-up-${name}`;
    const grants = [{ role: 'reviewer', site: 'sandbox', practitioner, origin: 'admin' }] as const;
    const id = `000000000000000${index}`;
    await people.create({ id, name, email: `${name}@example.org`, origin: 'local', grants });
  }
}, LIMIT_MS);
afterAll(async () => {
  await engine?.stop();
  await other?.stop();
  await mails?.close();
  await database?.drop();
});

async function finish(story: string): Promise<string> {
  const { visits } = (await engine.ops('GET', '/sandbox')) as {
    readonly visits: readonly { readonly name: string; readonly story: string; readonly encounter: string }[];
  };
  const visit = visits.find((one) => one.story === story);
  await engine.ops('POST', `/sandbox/visits/${visit?.name}/finish`);
  return (await untilRun(engine, visit?.encounter ?? '')).id;
}

it(
  'a RED triage is mailed to each reviewer once, without a word about the patient, and its draft is first in the list',
  async () => {
    const calm = await finish('en-common-cold');
    const red = await finish(RED_STORY);
    await eventually(() => mails.mails.length >= 2 || undefined, { what: 'two mails' });
    expect(mails.mails.flatMap(({ to }) => to).toSorted()).toEqual(['ana@example.org', 'ben@example.org']);
    const [mail] = mails.mails;
    const text = mail?.text.replaceAll('=\r\n', '') ?? '';
    expect(text).toContain(`/review/${red}`);
    const story = readPatients().find(({ id }) => id === RED_STORY);
    for (const word of [story?.encounter.reason ?? '', 'Patient/', 'Encounter/', 'chest'])
      expect(text).not.toContain(word);
    const { runs } = (await engine.ops('GET', '/reviews?site=sandbox')) as DraftListAnswer;
    expect(runs.map(({ id, draft }) => [id, draft.triage])).toEqual([
      [red, 'RED'],
      [calm, 'WHITE'],
    ]);
    const { rows } = await database.database.pool.query(
      'select count(*)::int as count from notices where sent_at is not null',
    );
    expect(rows).toEqual([{ count: 2 }]);
    expect(mails.mails).toHaveLength(2);
  },
  LIMIT_MS,
);
