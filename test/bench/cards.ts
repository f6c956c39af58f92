// How long an EHR waits for the cards of a patient (CDS Hooks) in an engine with many drafts, beside the time of /healthz in the same run.
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import type { Database } from '../../src/outbound/postgres/database.ts';
import { makeSigningKey } from '../../src/sandbox/smart/signing-key.ts';
import { startEngine } from '../support/engine.ts';
import { openBenchDatabase } from './bench-database.ts';
import { type Figure, times } from './figures.ts';
import { median } from './process-figures.ts';

const DRAFTS = 100_000;
const PATIENTS = 20_000;
const WARM_UP = 50;
const CALLS = 300;
const AT_ONCE = 16;
const MOST_MS = 100;
const SERVICE = '/cds-services/chartwright-drafts-patient-view';
const ISSUER = 'https://ehr.example.org';

export async function measureCards(): Promise<readonly Figure[]> {
  const key = makeSigningKey('ES384');
  const keys = http.createServer((_req, res) => void res.end(JSON.stringify(key.jwks()))).listen(0, '127.0.0.1');
  await new Promise((resolve) => keys.once('listening', resolve));
  const jwksUri = `http://127.0.0.1:${(keys.address() as AddressInfo).port}/`;
  const mappings = await mkdtemp(path.join(tmpdir(), 'chartwright-cards-'));
  await writeFile(path.join(await madeFolder(mappings), 'site.yaml'), siteYaml(jwksUri));
  const { database, connectionString, drop } = await openBenchDatabase();
  const engine = await startEngine({
    env: { DATABASE_URL: connectionString, MAPPINGS_DIR: mappings, SANDBOX: 'off', LOG_LEVEL: 'error' },
  });
  try {
    await fill(database);
    const card = (patient: number) => timeOf(() => callFor(patient, { url: engine.url, sign: key.sign }));
    const health = () => timeOf(async () => void (await (await fetch(`${engine.url}/healthz`)).arrayBuffer()));
    for (let count = 0; count < WARM_UP; count += 1) await Promise.all([card(count), health()]);
    const [cards, healths] = [await each(card), await each(health)];
    const crowded: number[] = [];
    for (let from = 0; from < CALLS; from += AT_ONCE) {
      crowded.push(...(await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => card(from + index)))));
    }
    return figuresOf({ cards, healths, crowded });
  } finally {
    await engine.stop();
    await drop();
    keys.close();
    await rm(mappings, { recursive: true, force: true });
  }
}

type Measured = Readonly<Record<'cards' | 'healths' | 'crowded', readonly number[]>>;

function figuresOf({ cards, healths, crowded }: Measured): readonly Figure[] {
  return [
    { name: `cards among ${DRAFTS} drafts, against /healthz`, value: times(median(cards) / median(healths)) },
    { name: '  the median', value: inMs(median(cards)) },
    {
      name: '  the slowest of 100',
      value: inMs(slowestOf100(cards)),
      bound: `at most ${MOST_MS} ms`,
      isKept: slowestOf100(cards) <= MOST_MS,
    },
    { name: `  ${AT_ONCE} at once, against one`, value: times(median(crowded) / median(cards)) },
  ];
}

function slowestOf100(all: readonly number[]): number {
  return all.toSorted((one, other) => one - other)[Math.floor(all.length * 0.99)] ?? 0;
}

function inMs(ms: number): string {
  return `${ms.toFixed(1)} ms`;
}

async function each(work: (index: number) => Promise<number>): Promise<readonly number[]> {
  const all: number[] = [];
  for (let index = 0; index < CALLS; index += 1) all.push(await work(index * 37));
  return all;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

type Caller = { readonly url: string; readonly sign: (claims: Readonly<Record<string, unknown>>) => string };

/** Each patient has five drafts. */
async function callFor(patient: number, { url, sign }: Caller): Promise<void> {
  const iat = Math.floor(Date.now() / 1000);
  const token = sign({ iss: ISSUER, aud: `${url}${SERVICE}`, iat, exp: iat + 60, jti: randomUUID() });
  const context = { userId: 'Practitioner/7', patientId: `p-${patient % PATIENTS}` };
  const response = await fetch(`${url}${SERVICE}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ hook: 'patient-view', hookInstance: randomUUID(), context }),
  });
  const { cards } = (await response.json()) as { readonly cards?: readonly unknown[] };
  if (cards?.length !== DRAFTS / PATIENTS) throw new Error(`the engine answered ${response.status} without the cards`);
}

async function madeFolder(mappings: string): Promise<string> {
  const folder = path.join(mappings, 'mercy');
  await mkdir(folder);
  return folder;
}

function siteYaml(jwksUri: string): string {
  return `extends: base
ehr: { baseUrl: "http://127.0.0.1:9/fhir", auth: { type: none } }
launch: { clientId: c, clientSecret: made-up }
cds: { issuer: "${ISSUER}", jwksUri: "${jwksUri}" }
`;
}

async function fill({ db }: Database): Promise<void> {
  const facts = JSON.stringify({ triage: 'WHITE', marks: [], missing: 1 });
  await sql`
    insert into runs (site, organization, encounter, patient, session, is_urgent, status, reason, revision, draft, trigger_source,
      trigger_received_at, created_at, changed_at)
    select 'mercy', 'mercy', 'Encounter/' || n, 'Patient/p-' || n % ${PATIENTS}::int, 's', false, 'held', 'review', 1, ${facts}::jsonb,
      'amqp', now(), now(), now()
    from generate_series(1, ${DRAFTS}::int) n`.execute(db);
  await sql`analyze runs`.execute(db);
}
