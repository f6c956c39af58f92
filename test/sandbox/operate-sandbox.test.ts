// What the operator does with the sandbox stands in the audit trail before it is done, and an engine without one says so.
import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../src/domain/errors.ts';
import { makeOperateSandbox, type OperateSandbox } from '../../src/sandbox/operate-sandbox.ts';
import { makeFakeAudit } from '../fakes/audit.ts';
import { makeFakeSandbox } from '../fakes/sandbox.ts';

function aHospital({ isTrailAway = false } = {}) {
  const sandbox = makeFakeSandbox();
  const audit = makeFakeAudit();
  const order: string[] = [];
  const operate = makeOperateSandbox({
    sandbox: {
      ...sandbox,
      reset: async () => {
        order.push('charts');
        await sandbox.reset();
      },
    },
    forget: async () => {
      order.push('runs');
      return 3;
    },
    audit: {
      append: (entry) =>
        isTrailAway ? Promise.reject(new AppError('overloaded', 'The database is away')) : audit.append(entry),
    },
  });
  return { operate, sandbox, audit, order };
}

const ACTS: Readonly<Record<string, (operate: OperateSandbox) => Promise<unknown>>> = {
  'sandbox.finish': ({ finish }) => finish('Encounter/en-migraine'),
  'sandbox.cancel': ({ cancel }) => cancel('en-migraine'),
  'sandbox.merge': ({ merge }) => merge('en-migraine'),
  'sandbox.recording': ({ addRecording }) => addRecording('en-migraine'),
  'sandbox.view': ({ chart }) => chart('en-migraine'),
};

describe('each act', () => {
  test.each(Object.entries(ACTS))('%s stands in the trail with the visit that it was done to', async (action, act) => {
    const { operate, audit } = aHospital();
    await act(operate);
    expect(audit.entries).toMatchObject([
      { action, actor: 'operator', site: 'sandbox', details: { visit: 'en-migraine' } },
    ]);
  });

  test.each(Object.entries(ACTS))('%s is not done where the trail cannot be written', async (_action, act) => {
    const { operate, sandbox } = aHospital({ isTrailAway: true });
    await expect(act(operate)).rejects.toMatchObject({ code: 'overloaded' });
    expect(sandbox.done).toEqual([]);
  });

  test('on a visit that does not exist is nowhere noted', async () => {
    const { operate, audit } = aHospital();
    await expect(operate.finish('nobody')).rejects.toMatchObject({ code: 'notFound' });
    expect(audit.entries).toEqual([]);
  });

  test('a patient comes again by their story, or by any visit of it', async () => {
    const { operate, audit } = aHospital();
    const second = await operate.comeAgain('en-migraine');
    const third = await operate.comeAgain('Encounter/en-migraine-2');
    expect([second.name, third.name]).toEqual(['en-migraine-2', 'en-migraine-3']);
    expect(audit.entries.map(({ details }) => details)).toEqual([{ story: 'en-migraine' }, { story: 'en-migraine' }]);
  });
});

describe('a reset', () => {
  test('forgets the runs before it makes the charts anew, and counts both', async () => {
    const { operate, audit, order } = aHospital();
    await operate.comeAgain('en-migraine');
    expect(await operate.reset()).toEqual({ visits: 3, forgotten: 3 });
    expect(order).toEqual(['runs', 'charts']);
    expect(audit.entries.at(-1)).toMatchObject({ action: 'sandbox.reset', site: 'sandbox' });
  });

  test('ends the drill that is under way', async () => {
    const { operate, sandbox } = aHospital();
    await operate.startDrill('twice');
    await operate.reset();
    expect(sandbox.drills.underWay()).toBeUndefined();
  });

  test('leaves the charts alone where the runs cannot be forgotten', async () => {
    const sandbox = makeFakeSandbox();
    const forget = () => Promise.reject(new AppError('overloaded', 'The database is away'));
    const operate = makeOperateSandbox({ sandbox, forget, audit: makeFakeAudit() });
    await expect(operate.reset()).rejects.toMatchObject({ code: 'overloaded' });
    expect(sandbox.done).toEqual([]);
  });
});

describe('a drill', () => {
  test('its beginning and its end stand in the trail', async () => {
    const { operate, audit } = aHospital();
    const { visit } = await operate.startDrill('twice');
    expect(operate.drills().underWay).toMatchObject({ drill: { name: 'twice' }, visit: { name: visit.name } });
    await operate.endDrill();
    expect(operate.drills()).not.toHaveProperty('underWay');
    expect(audit.entries).toMatchObject([
      { action: 'sandbox.drill', details: { drill: 'twice', act: 'start' } },
      { action: 'sandbox.drill', details: { drill: 'twice', act: 'end' } },
    ]);
  });

  test('that cannot be rehearsed here says why and what to do; one that does not exist, which there are', async () => {
    const { operate, audit, sandbox } = aHospital();
    const why = 'No broker is set: start with AMQP_URL';
    await expect(operate.startDrill('no-broker')).rejects.toMatchObject({ code: 'conflict', message: why });
    await expect(operate.startDrill('flood')).rejects.toMatchObject({
      code: 'notFound',
      message: 'There is no such drill. There are twice, dead-ehr, no-broker',
    });
    expect([audit.entries, sandbox.done]).toEqual([[], []]);
  });

  test('the end of none is nothing that was done', async () => {
    const { operate, audit, sandbox } = aHospital();
    await operate.endDrill();
    expect([audit.entries, sandbox.done]).toEqual([[], []]);
  });
});

describe('without a sandbox', () => {
  const none = makeOperateSandbox({ sandbox: undefined, forget: async () => 0, audit: makeFakeAudit() });
  const acts: Readonly<Record<string, (operate: OperateSandbox) => unknown>> = {
    ...ACTS,
    overview: ({ overview }) => overview(),
    visit: ({ visit }) => visit('en-migraine'),
    'come again': ({ comeAgain }) => comeAgain('en-migraine'),
    reset: ({ reset }) => reset(),
    drills: ({ drills }) => drills(),
    'start a drill': ({ startDrill }) => startDrill('twice'),
    'end a drill': ({ endDrill }) => endDrill(),
  };
  test.each(Object.entries(acts))('%s says how to have one', async (_name, act) => {
    await expect((async () => act(none))()).rejects.toMatchObject({
      code: 'conflict',
      message: 'No sandbox runs here: start with SANDBOX=on (auto: on where no other site has an EHR)',
    });
  });
});
