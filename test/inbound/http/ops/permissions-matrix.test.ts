// Every endpoint below /ops with every role: admitted or refused as the table of permissions says, which docs/security.md prints. What is refused
// is refused before anything is read, so that neither the answer nor its time says what exists.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { extensionPermission, PERMISSIONS } from '../../../../src/domain/people/permissions.ts';
import { EVERY_SITE } from '../../../../src/domain/people/role.ts';
import { aPerson } from './ops-callers.ts';
import { OPERATOR_KEY, type OpsEngine, startOpsEngine, type WatchStore } from './ops-engine.ts';
import { aTarget, NOTHING, type Request, requestFor, servedEndpoints, type Target } from './ops-requests.ts';
import { grantOf, isAsTold, makeSeats, OWN, type Seat, seatOf, send, verdictFor, views } from './ops-seats.ts';

const EXTENSION = 'sandbox';

/** What finds out who calls, and the entry of a wrong key in the audit trail. */
const BEFORE_ADMISSION = [
  'people.hasAdmin',
  'personSessions.use',
  'serviceTokens.find',
  'serviceTokens.noteUse',
  'reviewers.find',
  'audit.append',
];

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
        const answer = await send(engine, seat, requestFor(endpoint, own, query));
        const verdict = verdictFor(seat, permission, isBrief);
        const came = `${answer.status} came: ${answer.body.slice(0, 200)}`;
        if (!isAsTold(verdict, answer)) wrong.push(`${seat.name}: ${verdict} was expected, ${came}`);
      }
      expect(wrong).toEqual([]);
      // Those who have signed out come again.
      if (endpoint.includes('/me/session')) seats = await makeSeats(engine, own);
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
        const answer = await send(engine, seat, requestFor(endpoint, own));
        const verdict = verdictFor(seat, permission);
        const came = `${verdict} was expected, ${answer.status} came`;
        if (!isAsTold(verdict, answer)) wrong.push(`${endpoint}, ${seat.name}: ${came}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('an endpoint about something of the own site', () => {
  const ofOwn = views.filter(({ permission }) => permission.reach === 'site');

  it.each(ofOwn)('$endpoint$query finds it', async ({ endpoint, permission, query, isBrief }) => {
    const target = await aTarget(engine, OWN);
    const seat = seats.findLast(
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
        const read = calls.filter((call) => !BEFORE_ADMISSION.includes(call));
        expect([seat.name, answer, read]).toEqual([seat.name, await send(engine, seat, nowhere), []]);
        expect(answer.body).not.toContain(own.encounter);
        if (here.method === 'GET' && seat === refused[0]) {
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
  const anAdmin = (request: Request): Request => {
    return { ...request, body: { name: 'D. Example', roles: [{ role: 'admin', site: EVERY_SITE }] } };
  };

  it('beside an admin opens only what makes admins', async () => {
    const wrong: string[] = [];
    for (const { endpoint, permission, query } of views) {
      const request = requestFor(endpoint, own, query);
      const { status } = await send(
        engine,
        { key: OPERATOR_KEY },
        endpoint === 'POST /people' ? anAdmin(request) : request,
      );
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
