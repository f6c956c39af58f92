// Every endpoint below /ops with every role: admitted or refused as the table of permissions says, which docs/security.md prints. What is refused
// is refused before anything is read, so that neither the answer nor its time says what exists.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { extensionPermission, PERMISSIONS } from '../../../../src/domain/people/permissions.ts';
import { EVERY_SITE } from '../../../../src/domain/people/role.ts';
import { aPerson } from './ops-callers.ts';
import { OPERATOR_KEY, type OpsEngine, startOpsEngine, type WatchStore } from './ops-engine.ts';
import { aTarget, NOTHING, requestFor, servedEndpoints, type Target } from './ops-requests.ts';
import { grantOf, makeSeats, OWN, type Seat, seatOf, send, verdictFor, views } from './ops-seats.ts';

const EXTENSION = 'sandbox';

let engine: OpsEngine;
let own: Target;
let seats: readonly Seat[];
let calls: string[] = [];

const watch: WatchStore = (name, store) =>
  new Proxy(store, {
    get(target, member) {
      const value = Reflect.get(target, member);
      if (typeof value !== 'function') return value;
      return (...given: readonly unknown[]) => {
        calls.push(`${name}.${String(member)}`);
        return value.apply(target, given);
      };
    },
  });

beforeAll(async () => {
  engine = await startOpsEngine({ watch });
  // From now on the operator key only makes admins.
  await aPerson(engine, { grants: [{ role: 'admin', site: EVERY_SITE }] });
  own = await aTarget(engine, OWN);
  seats = await makeSeats(engine, own);
});
afterAll(() => engine.stop());

describe('the table of permissions', () => {
  it('has exactly the endpoints that are served', async () => {
    const served = await servedEndpoints(engine);
    const ofTable = served.filter((endpoint) => !endpoint.includes(' /sandbox'));
    expect(ofTable.toSorted()).toEqual(Object.keys(PERMISSIONS).toSorted());
    expect(served.length - ofTable.length).toBeGreaterThan(8);
  });
});

describe('each endpoint', () => {
  it.each(views)(
    '$endpoint$query admits exactly the callers of the table',
    async ({ endpoint, permission, query, isBrief }) => {
      const wrong: string[] = [];
      for (const seat of seats) {
        const { status, body } = await send(engine, seat, requestFor(endpoint, own, query));
        const verdict = verdictFor(seat, permission, isBrief);
        const isRight = verdict === 'admitted' ? ![401, 403].includes(status) && status !== 500 : status === verdict;
        if (!isRight) wrong.push(`${seat.name}: ${verdict} was expected, ${status} came: ${body.slice(0, 200)}`);
      }
      expect(wrong).toEqual([]);
    },
  );

  it('of an extension admits exactly the callers of its site', async () => {
    const wrong: string[] = [];
    const served = (await servedEndpoints(engine)).filter((endpoint) => endpoint.includes(' /sandbox'));
    const local = [
      await seatOf(engine, [grantOf('operator', EXTENSION)], 'TREAT'),
      await seatOf(engine, [grantOf('viewer', EXTENSION)]),
    ];
    for (const endpoint of served) {
      const permission = extensionPermission(endpoint.split(' ')[0] ?? '', EXTENSION);
      for (const seat of [...seats, ...local]) {
        const { status } = await send(engine, seat, requestFor(endpoint, own));
        const verdict = verdictFor(seat, permission);
        const isRight = verdict === 'admitted' ? ![401, 403, 500].includes(status) : status === verdict;
        if (!isRight) wrong.push(`${endpoint}, ${seat.name}: ${verdict} was expected, ${status} came`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('an endpoint about something of the own site', () => {
  /** What the requests of this file do not ask in full; its own test does. */
  const NEEDS_MORE: readonly string[] = [];
  const ofOwn = views.filter(
    ({ endpoint, permission }) => permission.reach === 'site' && !NEEDS_MORE.includes(endpoint),
  );

  it.each(ofOwn)('$endpoint$query finds it', async ({ endpoint, permission, query, isBrief }) => {
    const target = await aTarget(engine, OWN);
    const seat = seats.find(
      (one) => verdictFor(one, permission, isBrief) === 'admitted' && one.grants[0]?.site === OWN,
    );
    if (seat === undefined) throw new Error('no caller of this site is admitted');
    const { status, body } = await send(engine, seat, requestFor(endpoint, target, query));
    const isFound = (status >= 200 && status < 300) || status === 409;
    expect([status, isFound ? '' : body]).toEqual([status, '']);
  });
});

describe('a refusal', () => {
  it.each(views)(
    'of $endpoint$query is the same for what exists and what does not, and reads nothing',
    async (view) => {
      const { endpoint, permission, query, isBrief } = view;
      const [here, nowhere] = [requestFor(endpoint, own, query), requestFor(endpoint, NOTHING, query)];
      const refused = seats.filter((seat) => verdictFor(seat, permission, isBrief) !== 'admitted');
      expect(refused.length).toBeGreaterThan(5);
      for (const seat of refused) {
        calls = [];
        const answer = await send(engine, seat, here);
        // A wrong key stands in the audit trail.
        const read = calls.filter((call) => call !== 'audit.append');
        expect([seat.name, answer, read]).toEqual([seat.name, await send(engine, seat, nowhere), []]);
        expect(answer.body).not.toContain(own.encounter);
        if (here.method === 'GET') {
          const head = await send(engine, seat, { ...here, method: 'HEAD' });
          expect([seat.name, head.status, head.body]).toEqual([seat.name, answer.status, '']);
        }
      }
    },
  );

  it('is not what the spy always sees: who is admitted reads the stores', async () => {
    calls = [];
    await send(engine, await seatOf(engine, [grantOf('viewer', OWN)]), requestFor('GET /runs', own));
    expect(calls).toContain('runs.list');
  });
});

describe('the operator key', () => {
  it('beside an admin opens only what makes admins', async () => {
    const wrong: string[] = [];
    for (const { endpoint, permission, query } of views) {
      const { status } = await send(engine, { key: OPERATOR_KEY }, requestFor(endpoint, own, query));
      const isRight = permission.isForLoneKey === true ? ![401, 403].includes(status) : status === 403;
      if (!isRight) wrong.push(`${endpoint}: ${status}`);
    }
    expect(wrong).toEqual([]);
  });

  it('before there is an admin opens everything but what a clinician decides', async () => {
    const first = await startOpsEngine();
    try {
      const target = await aTarget(first, OWN);
      const closed: string[] = [];
      for (const { endpoint, query } of views) {
        const { method, path, body } = requestFor(endpoint, target, query);
        const response = await fetch(`${first.baseUrl}/ops${path}`, {
          method: path.startsWith('/events') ? 'HEAD' : method,
          headers: { 'content-type': 'application/json', authorization: `Bearer ${OPERATOR_KEY}` },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        const text = await response.text();
        if ([401, 403].includes(response.status)) closed.push(`${endpoint}: ${text}`);
      }
      expect(closed).toEqual([expect.stringMatching(/^POST \/runs\{\/Run\}\/:id\/review: .*Only a clinician/)]);
    } finally {
      await first.stop();
    }
  });
});
