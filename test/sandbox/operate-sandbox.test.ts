// The operator's actions on the sandbox are in the audit trail before they are done; without a sandbox they fail with a message.
import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../src/domain/errors.ts';
import { makeOperateSandbox, type OperateSandbox } from '../../src/sandbox/operate-sandbox.ts';
import { makeFakeAudit } from '../fakes/audit.ts';
import { fakeOpenChart, makeFakeSandbox } from '../fakes/sandbox.ts';
import { aPersonsAccess, OPERATOR } from '../support/access.ts';

function aHospital({ isTrailAway = false } = {}) {
  const sandbox = makeFakeSandbox();
  const audit = makeFakeAudit();
  const order: string[] = [];
  const operateAs = makeOperateSandbox({
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
    openChart: fakeOpenChart,
    audit: {
      append: (entry) =>
        isTrailAway ? Promise.reject(new AppError('overloaded', 'The database is away')) : audit.append(entry),
    },
  });
  return { operate: operateAs(OPERATOR), operateAs, sandbox, audit, order };
}

const ACTS: Readonly<Record<string, (operate: OperateSandbox) => Promise<unknown>>> = {
  'sandbox.finish': ({ finish }) => finish('Encounter/en-migraine'),
  'sandbox.cancel': ({ cancel }) => cancel('en-migraine'),
  'sandbox.merge': ({ merge }) => merge('en-migraine'),
  'sandbox.move': ({ move }) => move('en-migraine'),
  'sandbox.recording': ({ addRecording }) => addRecording('en-migraine'),
  'sandbox.view': ({ chart }) => chart('en-migraine'),
  'sandbox.open': ({ openChart }) => openChart('en-migraine'),
};

describe('each action on a visit', () => {
  it.each(Object.entries(ACTS))('%s is in the audit trail with the visit', async (action, act) => {
    const { operate, audit } = aHospital();
    await act(operate);
    expect(audit.entries).toMatchObject([
      { action, actor: 'operator', site: 'sandbox', details: { visit: 'en-migraine' } },
    ]);
  });

  it('of a person is recorded with the role and the address', async () => {
    const { operateAs, audit } = aHospital();
    await operateAs(aPersonsAccess(['sandbox'])).chart('en-migraine');
    const details = { visit: 'en-migraine', as: 'operator', purpose: 'TREAT', address: '192.0.2.7' };
    expect(audit.entries).toMatchObject([{ action: 'sandbox.view', actor: 'person/00000000000000aa', details }]);
  });

  it.each(Object.entries(ACTS))('%s is not done if the audit trail cannot be written', async (_action, act) => {
    const { operate, sandbox } = aHospital({ isTrailAway: true });
    await expect(act(operate)).rejects.toMatchObject({ code: 'overloaded' });
    expect(sandbox.done).toEqual([]);
  });

  it('on an unknown visit is not in the audit trail', async () => {
    const { operate, audit } = aHospital();
    await expect(operate.finish('nobody')).rejects.toMatchObject({ code: 'notFound' });
    expect(audit.entries).toEqual([]);
  });

  it('another visit is started by the scenario or by any of its visits', async () => {
    const { operate, audit } = aHospital();
    const second = await operate.comeAgain('en-migraine');
    const third = await operate.comeAgain('Encounter/en-migraine-2');
    expect([second.name, third.name]).toEqual(['en-migraine-2', 'en-migraine-3']);
    expect(audit.entries.map(({ details }) => details)).toEqual([{ story: 'en-migraine' }, { story: 'en-migraine' }]);
  });
});

describe('a reset', () => {
  it('deletes the runs before it restores the charts, and counts both', async () => {
    const { operate, audit, order } = aHospital();
    await operate.comeAgain('en-migraine');
    expect(await operate.reset()).toEqual({ visits: 3, forgotten: 3 });
    expect(order).toEqual(['runs', 'charts']);
    expect(audit.entries.at(-1)).toMatchObject({ action: 'sandbox.reset', site: 'sandbox' });
  });

  it('ends the drill that is under way', async () => {
    const { operate, sandbox } = aHospital();
    await operate.startDrill('twice');
    await operate.reset();
    expect(sandbox.drills.underWay()).toBeUndefined();
  });

  it('does not change the charts if the runs cannot be deleted', async () => {
    const sandbox = makeFakeSandbox();
    const forget = () => Promise.reject(new AppError('overloaded', 'The database is away'));
    const operate = makeOperateSandbox({ sandbox, openChart: fakeOpenChart, forget, audit: makeFakeAudit() })(OPERATOR);
    await expect(operate.reset()).rejects.toMatchObject({ code: 'overloaded' });
    expect(sandbox.done).toEqual([]);
  });
});

describe('a drill', () => {
  it('is in the audit trail with its start and its end', async () => {
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

  it('that is unavailable fails with the reason; an unknown one fails with the names of all drills', async () => {
    const { operate, audit, sandbox } = aHospital();
    const why = 'No broker is set: start with AMQP_URL';
    await expect(operate.startDrill('no-broker')).rejects.toMatchObject({ code: 'conflict', message: why });
    await expect(operate.startDrill('flood')).rejects.toMatchObject({
      code: 'notFound',
      message: 'There is no such drill. There are twice, dead-ehr, no-broker',
    });
    expect([audit.entries, sandbox.done]).toEqual([[], []]);
  });

  it('is not in the audit trail if none was under way to end', async () => {
    const { operate, audit, sandbox } = aHospital();
    await operate.endDrill();
    expect([audit.entries, sandbox.done]).toEqual([[], []]);
  });
});

describe('without a sandbox', () => {
  const none = makeOperateSandbox({
    sandbox: undefined,
    openChart: fakeOpenChart,
    forget: async () => 0,
    audit: makeFakeAudit(),
  })(OPERATOR);
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
  it.each(Object.entries(acts))('%s fails and says how to start one', async (_name, act) => {
    await expect((async () => act(none))()).rejects.toMatchObject({
      code: 'conflict',
      message: 'No sandbox runs here: start with SANDBOX=on (auto: on where no other site has an EHR)',
    });
  });
});
