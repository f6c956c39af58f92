// The sandbox over /ops: permissions, answers and the audit trail.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { makeOpenApiDocument } from '../../../src/inbound/http/docs/openapi.ts';
import { sandboxPaths } from '../../../src/sandbox/http/openapi-sandbox.ts';
import * as schemas from '../../../src/wire/sandbox.ts';
import { type Ask, askOps } from '../../inbound/http/ops/ops-asking.ts';
import { FORGOTTEN, type OpsEngine, startOpsEngine } from '../../inbound/http/ops/ops-engine.ts';

let engine: OpsEngine;
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(() => engine.stop());

const ask = (request: string, how?: Ask) => askOps(engine, request, how);

function fits(schema: z.ZodType, answer: unknown): void {
  expect(schema.safeParse(answer).error?.issues).toBeUndefined();
}

const ADDRESSES = Object.entries(
  makeOpenApiDocument({ serverUrl: 'http://x', version: '1', extraPaths: sandboxPaths }).paths ?? {},
)
  .filter(([path]) => path.startsWith('/ops/sandbox'))
  .flatMap(([path, item]) => Object.keys(item ?? {}).map((method) => `${method.toUpperCase()} ${path.slice(4)}`));

describe('every path of the sandbox', () => {
  it.each(ADDRESSES)('%s needs the operator’s key', async (address) => {
    const { status } = await ask(address.replace('{name}', 'en-migraine'), { key: 'wrong' });
    expect(status).toBe(401);
    expect(engine.hospital.done).toEqual([]);
  });

  it.each(ADDRESSES)('%s answers 409 if no sandbox runs and says how to start one', async (address) => {
    const other = await startOpsEngine({ hasSandbox: false });
    const name = address.includes('drills') ? 'twice' : 'en-migraine';
    const body = address.endsWith('/visits') ? { body: { story: 'en-migraine' } } : {};
    const { status, answer } = await askOps(other, address.replace('{name}', name), body);
    await other.stop();
    expect([status, answer.message]).toEqual([
      409,
      'No sandbox runs here: start with SANDBOX=on (auto: on where no other site has an EHR)',
    ]);
  });

  it.each(ADDRESSES.filter((address) => address.includes('{name}')))(
    '%s is 404 for an unknown or impossible name',
    async (address) => {
      for (const name of ['nobody', '%40%C3%A9', 'x'.repeat(65)]) {
        const { status, answer } = await ask(address.replace('{name}', name));
        expect(status).toBe(404);
        expect(JSON.stringify(answer)).not.toMatch(/@|xxxx/);
      }
      expect([engine.hospital.done, engine.audit.entries]).toEqual([[], []]);
    },
  );
});

describe('visits of the sandbox', () => {
  it('are listed with the address of the FHIR server', async () => {
    const { status, answer } = await ask('GET /sandbox');
    expect(status).toBe(200);
    fits(schemas.sandboxResponse, answer);
    expect(answer.baseUrl).toBe('http://127.0.0.1:3001/fhir/R4');
    expect(answer.visits.map(({ name }: { name: string }) => name)).toEqual(['en-migraine', 'es-croup', 'pt-silence']);
    expect(answer.visits[1]).toMatchObject({ trap: 'negation', language: 'es', recordings: 1 });
  });

  it.each(['en-migraine', 'Encounter/en-migraine'])('one is found as %s', async (name) => {
    const { status, answer } = await ask(`GET /sandbox/visits/${name}`);
    expect([status, answer.encounter]).toEqual([200, 'Encounter/en-migraine']);
    fits(schemas.visitResponse, answer);
  });

  it('another visit of a scenario is started and is its newest from then on', async () => {
    const { status, answer } = await ask('POST /sandbox/visits', { body: { story: 'en-migraine' } });
    expect([status, answer.name, answer.status]).toEqual([201, 'en-migraine-2', 'in-progress']);
    fits(schemas.visitResponse, answer);
    expect((await ask('GET /sandbox/visits/en-migraine')).answer.name).toBe('en-migraine-2');
  });

  it.each([
    [{}, 'story is required and must be the name of a visit or of a scenario'],
    [{ story: 'a b' }, 'story must be the name of a visit or of a scenario'],
    [{ story: 'en-migraine', name: 'x' }, 'unknown fields: "name"'],
  ])('an order like %j is refused', async (body, message) => {
    const { status, answer } = await ask('POST /sandbox/visits', { body });
    expect([status, answer.message]).toEqual([400, [message]]);
  });

  it.each([
    ['finish', 'finish', 'sandbox.finish', { status: 'finished' }],
    ['cancel', 'cancel', 'sandbox.cancel', { status: 'cancelled' }],
    ['move', 'move', 'sandbox.move', { patient: 'Patient/p-en-migraine-other' }],
    ['late-recording', 'record', 'sandbox.recording', { recordings: 2 }],
  ])(
    '%s changes the visit, is in the audit trail, and answers with the visit',
    async (verb, done, action, expected) => {
      const { status, answer } = await ask(`POST /sandbox/visits/Encounter/en-migraine/${verb}`);
      expect(status).toBe(200);
      fits(schemas.visitResponse, answer);
      expect(answer).toMatchObject({ name: 'en-migraine', ...expected });
      expect(engine.hospital.done).toEqual([`${done} en-migraine`]);
      expect(engine.audit.entries).toMatchObject([{ action, site: 'sandbox', details: { visit: 'en-migraine' } }]);
    },
  );

  it('open answers with the cards and the address of the review, for the practitioner who is asked for', async () => {
    const { status, answer } = await ask('POST /sandbox/visits/Encounter/en-migraine/open');
    expect(status).toBe(200);
    fits(schemas.openedChartResponse, answer);
    expect(answer).toMatchObject({ practitioner: 'Practitioner/doctor', cards: [{ indicator: 'critical' }] });
    expect(engine.audit.entries).toMatchObject([{ action: 'sandbox.open', details: { visit: 'en-migraine' } }]);
    const body = { practitioner: 'Practitioner/nurse' };
    expect((await ask('POST /sandbox/visits/en-migraine/open', { body })).answer.practitioner).toBe(body.practitioner);
    const bad = await ask('POST /sandbox/visits/en-migraine/open', { body: { practitioner: 'nurse' } });
    expect([bad.status, bad.answer.message]).toEqual([400, ['practitioner must be Practitioner/ and an id']]);
  });

  it('merge answers with the surviving record', async () => {
    const { status, answer } = await ask('POST /sandbox/visits/en-migraine/merge');
    expect(status).toBe(200);
    fits(schemas.mergedVisitResponse, answer);
    expect(answer).toMatchObject({ patient: answer.survivor, survivor: 'Patient/p-en-migraine-merged' });
  });

  it('an action that is not possible now answers 409 with a message', async () => {
    await ask('POST /sandbox/visits/en-migraine/cancel');
    const { status, answer } = await ask('POST /sandbox/visits/en-migraine/finish');
    expect([status, answer.message]).toEqual([409, 'This encounter is cancelled']);
  });

  it('nothing is done if the audit trail cannot be written', async () => {
    engine.loseTrail();
    expect((await ask('POST /sandbox/visits/en-migraine/finish')).status).toBe(503);
    expect((await ask('GET /sandbox/visits/en-migraine/chart')).status).toBe(503);
    expect(engine.hospital.done).toEqual([]);
  });
});

describe('the chart', () => {
  it('is a Bundle, and reading it is in the audit trail', async () => {
    const resource = {
      resourceType: 'Encounter',
      id: 'en-migraine',
      status: 'finished',
      class: { code: 'AMB' },
    } as const;
    engine.hospital.fillChart('en-migraine', { resourceType: 'Bundle', type: 'collection', entry: [{ resource }] });
    const { status, answer } = await ask('GET /sandbox/visits/en-migraine/chart');
    expect(status).toBe(200);
    fits(schemas.chartResponse, answer);
    expect(answer.entry).toEqual([{ resource }]);
    expect(engine.audit.entries).toMatchObject([{ action: 'sandbox.view', details: { visit: 'en-migraine' } }]);
  });
});

describe('a reset', () => {
  it('answers with the numbers of visits and of deleted runs', async () => {
    const { status, answer } = await ask('POST /sandbox/reset');
    expect([status, answer]).toEqual([200, { visits: 3, forgotten: FORGOTTEN }]);
    fits(schemas.resetResponse, answer);
    expect(engine.hospital.done).toEqual(['reset']);
  });
});

describe('drills', () => {
  it('are listed with the expected result and the reason if one is unavailable', async () => {
    const { answer } = await ask('GET /sandbox/drills');
    fits(schemas.drillListResponse, answer);
    expect(answer).not.toHaveProperty('underWay');
    expect(answer.drills).toMatchObject([
      { name: 'twice', promise: { status: 'written', resources: { Composition: 1 } }, maxSeconds: 60 },
      { name: 'dead-ehr', promise: { status: 'parked', reason: 'tries' } },
      { name: 'no-broker', unavailable: 'No broker is set: start with AMQP_URL' },
    ]);
  });

  it('one starts, is under way, and ends', async () => {
    const started = await ask('POST /sandbox/drills/twice');
    expect(started.status).toBe(202);
    fits(schemas.drillResponse, started.answer);
    expect(started.answer).toMatchObject({
      visit: { name: 'en-migraine-2', status: 'finished' },
      startedAt: '2026-11-21T08:00:00.000Z',
      endsAt: '2026-11-21T08:01:00.000Z',
    });
    const { answer } = await ask('GET /sandbox/drills');
    fits(schemas.drillListResponse, answer);
    expect(answer.underWay.drill.name).toBe('twice');
    expect((await ask('POST /sandbox/drills/dead-ehr')).status).toBe(409);
    expect((await ask('DELETE /sandbox/drill')).status).toBe(204);
    expect((await ask('GET /sandbox/drills')).answer).not.toHaveProperty('underWay');
    expect((await ask('DELETE /sandbox/drill')).status).toBe(204);
  });

  it('one that is unavailable answers 409 with what to do', async () => {
    const { status, answer } = await ask('POST /sandbox/drills/no-broker');
    expect([status, answer.message]).toEqual([409, 'No broker is set: start with AMQP_URL']);
  });
});
