// What belongs to another site, for every role at every endpoint below /ops: it is answered like what does not exist, and no list has it.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PERMISSIONS } from '../../../../src/domain/people/permissions.ts';
import { EVERY_SITE, type Role } from '../../../../src/domain/people/role.ts';
import { aPerson } from './ops-callers.ts';
import { type OpsEngine, startOpsEngine } from './ops-engine.ts';
import { aTarget, NOTHING, requestFor, type Target } from './ops-requests.ts';
import {
  FOREIGN,
  grantOf,
  makeSeats,
  OWN,
  type Seat,
  seatOf,
  send,
  verdictFor,
  views,
  withoutNames,
} from './ops-seats.ts';

let engine: OpsEngine;
let own: Target;
let foreign: Target;
let seats: readonly Seat[];

beforeAll(async () => {
  engine = await startOpsEngine();
  await aPerson(engine, { grants: [{ role: 'admin', site: EVERY_SITE }] });
  [own, foreign] = [await aTarget(engine, OWN), await aTarget(engine, FOREIGN)];
  seats = await makeSeats(engine, own);
});
afterAll(() => engine.stop());

/** Seats of the own site that are admitted. */
function admitted({ permission, isBrief }: Pick<(typeof views)[number], 'permission' | 'isBrief'>): readonly Seat[] {
  const ofOneSite = seats.filter((seat) => !seat.grants.some(({ site }) => site === EVERY_SITE));
  return ofOneSite.filter((seat) => verdictFor(seat, permission, isBrief) === 'admitted');
}

/** Requests that name something of a site. */
const naming = views.filter(({ endpoint, query }) => {
  const [one, other] = [{ ...NOTHING, site: 'one', ids: {} }, NOTHING];
  return JSON.stringify(requestFor(endpoint, one, query)) !== JSON.stringify(requestFor(endpoint, other, query));
});

describe('what belongs to another site', () => {
  it.each(naming)('$endpoint$query answers like what does not exist', async (view) => {
    const { endpoint, query } = view;
    for (const seat of admitted(view)) {
      const answer = withoutNames(await send(engine, seat, requestFor(endpoint, foreign, query)), foreign);
      const nothing = withoutNames(await send(engine, seat, requestFor(endpoint, NOTHING, query)), NOTHING);
      expect([seat.name, answer]).toEqual([seat.name, nothing]);
    }
  });

  const lists = Object.entries(PERMISSIONS).filter(
    ([endpoint]) => (endpoint.startsWith('GET ') && !endpoint.includes(':')) || endpoint === 'POST /runs/recall',
  );

  /** Runs and deliveries have short ids in memory, which can be equal to another one's. */
  function wordsFor(endpoint: string): readonly string[] {
    const { runs, reviews, aside, keys, ...unlike } = foreign.ids;
    const same = Object.entries({ runs, reviews, aside }).filter(([room]) => endpoint.includes(`/${room}`));
    return [`"${FOREIGN}"`, foreign.encounter, ...same.map(([, id]) => id ?? ''), ...Object.values(unlike)];
  }

  it.each(lists)('%s names nothing of it', async (endpoint, permission) => {
    const named = ['', `?site=${FOREIGN}`, `?encounter=${foreign.encounter}`, `?q=${foreign.ids['runs']}`];
    for (const seat of admitted({ permission, isBrief: false })) {
      for (const query of named) {
        const { status, body } = await send(engine, seat, requestFor(endpoint, own, query));
        if (status >= 400) continue;
        const found = wordsFor(endpoint).filter((word) => body.includes(word));
        expect([seat.name, query, found]).toEqual([seat.name, query, []]);
      }
    }
  });

  it('is in the lists of those who have the role for every site', async () => {
    const there = await aTarget(engine, FOREIGN);
    const list = async (role: Role, endpoint: string, query = '') => {
      const seat = await seatOf(engine, [grantOf(role, EVERY_SITE)]);
      return (await send(engine, seat, requestFor(endpoint, own, query))).body;
    };
    const lists = [
      await list('viewer', 'GET /runs'),
      await list('operator', 'GET /reviews', `?site=${FOREIGN}`),
      await list('operator', 'GET /aside'),
      await list('admin', 'GET /reviewers'),
      await list('admin', 'GET /people'),
      await list('admin', 'GET /sessions'),
      await list('admin', 'GET /tokens'),
      await list('operator', 'POST /runs/recall'),
    ];
    const { runs, aside, reviewers, people, sessions, tokens } = there.ids;
    const words = [runs, runs, aside, reviewers, people, sessions, tokens, there.encounter];
    expect(words.map((word, index) => lists[index]?.includes(word ?? '-'))).toEqual(words.map(() => true));
    expect(await list('viewer', 'GET /sites')).toContain(`"${FOREIGN}"`);
  });
});

describe('another encounter of the own site', () => {
  it.each(naming.filter(({ endpoint }) => /\/(runs|reviews)/.test(endpoint)))(
    '$endpoint$query answers a person from the EHR as if it did not exist',
    async ({ endpoint, permission, query, isBrief }) => {
      const other = await aTarget(engine, OWN);
      const seat = seats.find(({ name }) => name === 'a person from the EHR');
      if (seat === undefined || verdictFor(seat, permission, isBrief) !== 'admitted') return;
      const answer = withoutNames(await send(engine, seat, requestFor(endpoint, other, query)), other);
      const nothing = withoutNames(await send(engine, seat, requestFor(endpoint, NOTHING, query)), NOTHING);
      expect(answer).toEqual(nothing);
      const opened = await send(engine, seat, requestFor(endpoint, own, query));
      expect(opened.status).not.toBe(nothing.status);
    },
  );

  it('is in no list of a person from the EHR', async () => {
    const [opened, other] = [await aTarget(engine, OWN), await aTarget(engine, OWN)];
    const grants = [{ role: 'reviewer', site: OWN, practitioner: 'Practitioner/other' }] as const;
    const visit = { site: OWN, encounter: opened.encounter };
    const seat = await aPerson(engine, { grants, purpose: 'TREAT', opened: visit });
    const { status, body } = await send(engine, seat, requestFor('GET /reviews', own));
    expect([status, body.includes(opened.encounter), body.includes(other.encounter)]).toEqual([200, true, false]);
  });
});
