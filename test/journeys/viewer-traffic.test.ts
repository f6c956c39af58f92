// A day of the sandbox as a viewer, an auditor and an admin see it: no byte that the engine sends to them holds a patient's name, birth date, record
// number, or a word of a conversation, a note or a diagnosis. Everything is asked that there is to ask, also what is refused.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Bundle, Patient } from '@medplum/fhirtypes';
import { PERMISSIONS } from '../../src/domain/people/permissions.ts';
import type { Purpose } from '../../src/domain/people/purpose.ts';
import { EVERY_SITE, type Role } from '../../src/domain/people/role.ts';
import { makePostgresServiceTokens } from '../../src/outbound/postgres/people/service-tokens.ts';
import { readPatients } from '../../src/sandbox/patients/read-patients.ts';
import type { RunAnswer } from '../../src/wire/run.ts';
import { openSandboxEngine, playSandbox } from '../eval/play-sandbox.ts';
import { aToken } from '../inbound/http/ops/ops-callers.ts';
import { requestFor, type Target } from '../inbound/http/ops/ops-requests.ts';
import type { Engine } from '../support/engine.ts';
import { eventually, runsOf, untilRun, viewOf } from '../support/journey-runs.ts';
import { makeTestDatabase, type TestDatabase } from '../support/postgres.ts';

const LIMIT_MS = 240_000;
const DAY_MS = 86_400_000;
const MAPPINGS = path.join(import.meta.dirname, '../../mappings');
const STORY = 'en-chest-pressure';
/** Its run is parked. */
const DRILL = 'ehr-like-oracle';
/** Shorter texts are in other words as well. */
const LEAST_LETTERS = 8;

let folder: string;
let database: TestDatabase;
let engine: Engine;
let runs: readonly RunAnswer[];
let secrets: readonly string[];
let stream: { readonly text: () => string; readonly end: () => Promise<void> };

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'chartwright-viewer-'));
  await cp(MAPPINGS, folder, { recursive: true });
  database = await makeTestDatabase();
  engine = await openSandboxEngine({ DATABASE_URL: database.connectionString, MAPPINGS_DIR: folder });
  stream = await listenAs(await keyOf('viewer'));
  const patients = await renamePatients();
  await playSandbox(engine);
  await parkOne();
  await holdOne();
  runs = await runsOf(engine);
  const all = [...patients, ...spokenWords(), ...(await writtenWords())].map((word) => word.trim());
  secrets = [...new Set(all)].filter((word) => word.length >= LEAST_LETTERS);
  expect(secrets.length).toBeGreaterThan(200);
}, LIMIT_MS);
afterAll(async () => {
  await stream?.end();
  await engine?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

async function keyOf(role: Role, purpose?: Purpose): Promise<string> {
  const serviceTokens = makePostgresServiceTokens(database);
  const expiresAt = new Date(Date.now() + DAY_MS);
  const grants = [{ role, site: EVERY_SITE }];
  return (await aToken({ serviceTokens }, { grants, expiresAt, ...(purpose !== undefined && { purpose }) })).key;
}

/** Gives each patient of the EHR names, dates and numbers that are found nowhere else. */
async function renamePatients(): Promise<readonly string[]> {
  const { baseUrl } = (await engine.ops('GET', '/sandbox')) as { readonly baseUrl: string };
  const { entry = [] } = (await (await fetch(`${baseUrl}/Patient?_count=100`)).json()) as Bundle<Patient>;
  const words: string[] = [];
  for (const [index, { resource: patient }] of entry.entries()) {
    if (patient === undefined) continue;
    const [family, given] = [`Familyname${index}x`, `Givenname${index}x`];
    const birthDate = `19${10 + index}-02-03`;
    const [phone, street] = [`+1-555-0100-${index}x`, `${index}x Canary Street`];
    const name = [{ family, given: [given] }];
    const changed = {
      ...patient,
      name,
      birthDate,
      telecom: [{ system: 'phone', value: phone }],
      address: [{ line: [street] }],
    };
    const headers = { 'content-type': 'application/fhir+json' };
    const put = { method: 'PUT', headers, body: JSON.stringify(changed) };
    const response = await fetch(`${baseUrl}/Patient/${patient.id}`, put);
    if (!response.ok) throw new Error(`PUT Patient: ${response.status} ${await response.text()}`);
    const numbers = (patient.identifier ?? []).map(({ value = '' }) => value);
    words.push(family, given, birthDate, phone, street, ...numbers);
  }
  expect(words.length).toBeGreaterThan(50);
  return words;
}

async function parkOne(): Promise<void> {
  const { visit } = (await engine.ops('POST', `/sandbox/drills/${DRILL}`)) as {
    readonly visit: { readonly encounter: string };
  };
  await untilRun(engine, visit.encounter, 'parked');
  const isOver = async () => !('underWay' in ((await engine.ops('GET', '/sandbox/drills')) as object)) || undefined;
  await eventually(isOver, { what: 'the end of the drill', giveUpMs: LIMIT_MS });
}

/** A visit after the settings of the site began to hold its drafts. */
async function holdOne(): Promise<void> {
  const file = path.join(folder, 'sandbox/site.yaml');
  const mappingOf = async () => {
    const { sites } = (await engine.ops('GET', '/sites')) as {
      readonly sites: readonly { readonly mappings: string }[];
    };
    return JSON.stringify(sites.map(({ mappings }) => mappings));
  };
  const before = await mappingOf();
  await writeFile(file, `${await readFile(file, 'utf8')}\nwrite: { review: hold }\n`);
  await eventually(async () => (await mappingOf()) !== before || undefined, { what: 'the new settings' });
  const again = (await engine.ops('POST', '/sandbox/visits', { story: STORY })) as {
    readonly name: string;
    readonly encounter: string;
  };
  await engine.ops('POST', `/sandbox/visits/${again.name}/finish`);
  await untilRun(engine, again.encounter, 'held');
}

/** What was said, and why the patients came. */
function spokenWords(): readonly string[] {
  return readPatients().flatMap(({ talk, encounter }) => [...talk.map(([, text]) => text), encounter.reason]);
}

/** What the runs have made of it, line by line. */
async function writtenWords(): Promise<readonly string[]> {
  const words: string[] = [];
  for (const { id } of runs) {
    const { note, diagnosis, transcript } = await viewOf(engine, id);
    const lines = (note?.sections ?? []).flatMap(({ text }) => text.split('\n'));
    const { triage, diagnosis: { diseases = [] } = {} } = diagnosis ?? {};
    const names = diseases.map(({ name }) => name);
    const said = (transcript?.utterances ?? []).map(({ text }) => text);
    words.push(note?.title ?? '', ...lines, triage?.triage_justification ?? '', ...names, ...said);
  }
  return words;
}

/** The secrets that the text holds, also as JSON writes them. */
function foundIn(text: string): readonly string[] {
  return secrets.filter((word) => text.includes(word) || text.includes(JSON.stringify(word).slice(1, -1)));
}

/** Each endpoint with each run, in every way in which it can be asked. */
async function everythingAskedBy(key: string): Promise<readonly Exchange[]> {
  const asked: Exchange[] = [];
  const ask = async (method: string, address: string, body?: unknown) => {
    const response = await fetch(`${engine.url}${address}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const headers = JSON.stringify([...response.headers]);
    asked.push({
      request: `${method} ${address}`,
      status: response.status,
      text: `${headers}\n${await response.text()}`,
    });
  };
  for (const endpoint of Object.keys(PERMISSIONS).filter((one) => one !== 'GET /events')) {
    for (const target of endpoint.includes(':id') ? targets() : targets().slice(0, 1)) {
      for (const query of endpoint.startsWith('GET ') ? ['', '?brief=true', '?limit=500'] : ['']) {
        const { method, path: below, body } = requestFor(endpoint, target, query);
        await ask(method, `/ops${below}`, body);
      }
    }
  }
  for (const visit of readPatients()) await ask('GET', `/ops/sandbox/visits/${visit.id}/chart`);
  for (const address of ['/ops/sandbox', '/healthz', '/readyz', '/metrics', '/openapi.json', '/'])
    await ask('GET', address);
  return asked;
}

type Exchange = { readonly request: string; readonly status: number; readonly text: string };

function targets(): readonly Target[] {
  return runs.map(({ id, site, encounter }) => ({ site, encounter, ids: { runs: id, reviews: id, aside: id } }));
}

/** Collects what GET /ops/events sends from now on. */
async function listenAs(key: string) {
  const over = new AbortController();
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${engine.url}/ops/events`, { headers, signal: over.signal });
  const heard = { text: '' };
  const decoder = new TextDecoder();
  const read = async () => {
    for await (const bytes of response.body ?? []) heard.text += decoder.decode(bytes, { stream: true });
  };
  const reading = read().catch(() => undefined);
  return {
    text: () => heard.text,
    end: async () => {
      over.abort();
      await reading;
    },
  };
}

describe('the day', () => {
  it('has runs that were written, skipped, held and parked', () => {
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['written', 'skipped', 'held', 'parked']));
  });

  it.each(['viewer', 'auditor', 'admin'] as const)(
    'sends no patient data to a person who is only %s',
    async (role) => {
      const asked = await everythingAskedBy(await keyOf(role, 'HOPERAT'));
      expect(asked.filter(({ status }) => status === 200).length).toBeGreaterThan(5);
      const told = asked.map(({ request, text }) => [request, foundIn(text)] as const);
      expect(told.filter(([, found]) => found.length > 0)).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'sends no patient data in the events of runs',
    async () => {
      const areAllTold = () => runs.every(({ id }) => stream.text().includes(id)) || undefined;
      await eventually(areAllTold, { what: 'an event of each run' });
      expect(stream.text().split('event: run').length).toBeGreaterThan(runs.length);
      expect(foundIn(stream.text())).toEqual([]);
    },
    LIMIT_MS,
  );

  // Last, because an operator changes the runs.
  it(
    'is seen by an operator with its patients: the search finds what is there',
    async () => {
      const asked = await everythingAskedBy(await keyOf('operator', 'HOPERAT'));
      const told = new Map(asked.map(({ request, text }) => [request, foundIn(text)] as const));
      for (const { id, status } of runs.filter((run) => run.status !== 'skipped')) {
        const found = told.get(`GET /ops/runs/${id}`) ?? [];
        expect([status, found.length > 5]).toEqual([status, true]);
      }
      const chart = told.get(`GET /ops/sandbox/visits/${STORY}/chart`) ?? [];
      expect(chart).toEqual(
        expect.arrayContaining([expect.stringMatching(/^Familyname/), expect.stringMatching(/^19..-02-03$/)]),
      );
    },
    LIMIT_MS,
  );
});
