// Drills: one at a time, limited in time, and without remains.
import { beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '../../src/domain/errors.ts';
import { DRILL_PLANS, type DrillParts, type OpenedDrills, openDrills } from '../../src/sandbox/drills/open-drills.ts';
import { readPatients } from '../../src/sandbox/patients/read-patients.ts';
import { type DrillWorld, makeDrillWorld, VISIT } from './drills-world.ts';

let world: DrillWorld;
let drills: OpenedDrills;

function open(changes: Partial<DrillParts> = {}): void {
  world = makeDrillWorld();
  drills = openDrills({ ...world.parts, ...changes });
}

beforeEach(() => open());

describe('the list of drills', () => {
  it('has each drill once, with what to watch, the expected result and an existing scenario', () => {
    const names = DRILL_PLANS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const stories = readPatients().map(({ id }) => id);
    for (const { name, title, lookFor, scenario: story, maxSeconds, overAfterSeconds = 0 } of DRILL_PLANS) {
      expect({ name, isStory: stories.includes(story) }).toEqual({ name, isStory: true });
      for (const line of [title, ...lookFor]) expect(line).toMatch(/^[A-Z/].*\S$/);
      expect(lookFor.length).toBeGreaterThan(1);
      expect(overAfterSeconds).toBeLessThan(maxSeconds / 2);
    }
  });

  it('shows which drills are available and no details of their faults', () => {
    const [first] = drills.list();
    expect(Object.keys(first ?? {}).toSorted()).toEqual(['lookFor', 'maxSeconds', 'name', 'promise', 'title']);
    expect(drills.list().filter(({ unavailable }) => unavailable !== undefined)).toEqual([]);
  });

  it('shows why a drill is unavailable, and starting it fails with the same message', async () => {
    open({ otherSites: () => ['mercy-general'] });
    const away = drills.list().filter(({ unavailable }) => unavailable !== undefined);
    expect(away.map(({ name }) => name)).toEqual(
      DRILL_PLANS.filter(({ trouble }) => trouble.at !== 'ehr').map(({ name }) => name),
    );
    expect(away[0]?.unavailable).toContain('mercy-general');
    const refused = drills.start('model-down');
    await expect(refused).rejects.toMatchObject({ code: 'conflict', message: away[0]?.unavailable });
    expect(world.engineFault()).toBeUndefined();
    expect(world.done).toEqual([]);
  });
});

it('the drill of the broker is unavailable without a broker', async () => {
  const { broker: _, ...others } = world.parts;
  drills = openDrills(others);
  expect(drills.list().find(({ name }) => name === 'broker-down')?.unavailable).toContain('AMQP_URL');
  await expect(drills.start('broker-down')).rejects.toMatchObject({ code: 'conflict' });
});

it('an unknown drill is not found, and the message names the drills', async () => {
  const unknown = drills.start('ehr-on-fire');
  await expect(unknown).rejects.toMatchObject({ code: 'notFound', message: expect.stringContaining('ehr-down') });
});

describe('a drill', () => {
  it('sets its faults, then starts another visit and finishes it', async () => {
    const underWay = await drills.start('ehr-down');
    expect(world.done).toEqual(['spoil', 'come again en-common-cold', 'finish en-common-cold-2']);
    expect(world.faults()).toEqual([{ mode: 'down' }]);
    expect(underWay).toMatchObject({
      drill: { name: 'ehr-down', promise: { status: 'written' } },
      visit: { ...VISIT, status: 'finished' },
      startedAt: new Date('2026-03-02T10:00:00.000Z'),
      endsAt: new Date('2026-03-02T10:02:00.000Z'),
    });
    expect(drills.underWay()).toEqual(underWay);
  });

  it('that changes the EHR deletes the cached facts about it before and after', async () => {
    await drills.start('ehr-like-oracle');
    expect(world.done.slice(0, 2)).toEqual(['spoil', 'refresh']);
    await drills.end();
    expect(world.done.slice(-2)).toEqual(['clear', 'refresh']);
  });

  it('cannot start while another drill is under way', async () => {
    const first = drills.start('ehr-slow');
    await expect(drills.start('model-down')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('ehr-slow'),
    });
    await first;
    await expect(drills.start('ehr-slow')).rejects.toMatchObject({ code: 'conflict' });
    expect(world.engineFault()).toBeUndefined();
    await drills.end();
    await drills.start('model-down');
    expect(world.engineFault()).toMatchObject({ mode: 'down' });
  });

  it('ends when its time is over, even if the run has not ended', async () => {
    await drills.start('ehr-slow');
    await world.clock.pass(119);
    expect(world.isWell()).toBe(false);
    await world.clock.pass(2);
    expect(world.isWell()).toBe(true);
    expect(drills.underWay()).toBeUndefined();
    expect(world.clock.waiting()).toBe(0);
  });

  it('ends when the run of its visit has ended', async () => {
    await drills.start('model-malformed');
    await world.clock.pass(3);
    expect(world.isWell()).toBe(false);
    world.endRun();
    await world.clock.pass(1);
    expect(world.isWell()).toBe(true);
    expect(drills.underWay()).toBeUndefined();
  });

  it('with limited faults counts their time from the first affected request', async () => {
    await drills.start('ehr-down');
    await world.clock.pass(30);
    expect(world.isWell()).toBe(false);
    world.meet();
    await world.clock.pass(14);
    expect(world.isWell()).toBe(false);
    await world.clock.pass(2);
    expect(world.isWell()).toBe(true);
    // The run has not ended yet.
    expect(drills.underWay()).toBeDefined();
    world.endRun();
    await world.clock.pass(1);
    expect(drills.underWay()).toBeUndefined();
  });

  it('lasts as long as its faults, even if the run has ended before', async () => {
    await drills.start('broker-down');
    world.endRun();
    await world.clock.pass(11);
    expect(world.isBrokerHeld()).toBe(true);
    await world.clock.pass(2);
    expect(world.isBrokerHeld()).toBe(false);
    expect(drills.underWay()).toBeUndefined();
  });

  it('that affected no request ends with the run', async () => {
    await drills.start('ehr-hangs');
    world.endRun();
    await world.clock.pass(1);
    expect(world.isWell()).toBe(true);
    expect(drills.underWay()).toBeUndefined();
  });

  it('goes on if the run cannot be read, and ends in time', async () => {
    open({ hasEnded: () => Promise.reject(new Error('no database')) });
    await drills.start('model-slow');
    await world.clock.pass(60);
    expect(drills.underWay()).toBeDefined();
    await world.clock.pass(31);
    expect(world.isWell()).toBe(true);
    expect(drills.underWay()).toBeUndefined();
  });
});

describe('the faults of a drill are removed', () => {
  it.each(DRILL_PLANS.map(({ name }) => name))('when %s is ended by hand, and once more', async (name) => {
    await drills.start(name);
    expect(world.isWell()).toBe(false);
    await drills.end();
    expect(world.isWell()).toBe(true);
    expect(drills.underWay()).toBeUndefined();
    expect(world.clock.waiting()).toBe(0);
    const { length } = world.done;
    await drills.end();
    expect(world.done.length).toBe(length);
  });

  it('as soon as the engine stops', async () => {
    await drills.start('ehr-like-epic');
    const closed = drills.close();
    expect(world.isWell()).toBe(true);
    await closed;
    expect(world.done.at(-1)).toBe('refresh');
    expect(world.clock.waiting()).toBe(0);
  });

  it.each<readonly [string, (failure: AppError) => Partial<DrillParts>]>([
    ['comes', (failure) => ({ hospital: { ...world.parts.hospital, comeAgain: () => Promise.reject(failure) } })],
    ['is finished', (failure) => ({ hospital: { ...world.parts.hospital, finish: () => Promise.reject(failure) } })],
  ])('if no visit %s, and the caller gets the reason', async (_, broken) => {
    const failure = new AppError('notFound', 'There is no such scenario');
    drills = openDrills({ ...world.parts, ...broken(failure) });
    await expect(drills.start('ehr-down')).rejects.toBe(failure);
    expect(world.isWell()).toBe(true);
    expect(drills.underWay()).toBeUndefined();
    await expect(drills.start('ehr-down')).rejects.toBe(failure);
  });

  it('if the drill is ended while its visit is being finished', async () => {
    const finishing = Promise.withResolvers<typeof VISIT>();
    open({ hospital: { comeAgain: async () => VISIT, finish: () => finishing.promise } });
    const begun = drills.start('model-down').catch((thrown: unknown) => thrown);
    const ended = drills.end();
    finishing.resolve(VISIT);
    expect(await begun).toMatchObject({ code: 'conflict', message: 'The drill was ended before it had begun' });
    await ended;
    expect(world.isWell()).toBe(true);
  });

  it('even if the cached facts about the EHR cannot be deleted at first', async () => {
    let failures = 2;
    let refreshed = 0;
    open({
      refreshEhr: async () => {
        if (world.isWell() && failures > 0) {
          failures -= 1;
          throw new Error('no database');
        }
        refreshed += 1;
      },
    });
    await drills.start('ehr-like-epic');
    const ended = drills.end();
    await world.clock.pass(3);
    await ended;
    expect(refreshed).toBe(2);
    expect(drills.underWay()).toBeUndefined();
  });
});
