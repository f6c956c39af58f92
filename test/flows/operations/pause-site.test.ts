// A pause applies to the named part of the work and the named site, until it is resumed.
import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { makePauseSite } from '../../../src/flows/operations/pause-site.ts';
import { makeFakeAudit } from '../../fakes/audit.ts';
import { makeFakePauses } from '../../fakes/pauses.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';
import { OPERATOR } from '../../support/access.ts';
import { aLiveSite } from '../../support/chart-writing.ts';

function aSwitch({ isTrailAway = false, inForce = ['mercy', 'general'] } = {}) {
  const { now } = makeFakeRuntime();
  const pauses = makeFakePauses({ now });
  const audit = makeFakeAudit({ now });
  const woken: unknown[] = [];
  const switches = makePauseSite({
    pauses,
    sites: {
      current: () => ({
        sites: new Map(inForce.map((name) => [name, aLiveSite({ name })])),
        problems: [],
        stale: new Set(),
        unavailable: new Set(['st-mary']),
      }),
    },
    queue: {
      wake: async (by) => {
        woken.push(by);
        return 1;
      },
    },
    audit: {
      append: (entry) =>
        isTrailAway ? Promise.reject(new AppError('overloaded', 'The database is away')) : audit.append(entry),
    },
    onResumed: () => void woken.push('worker'),
  });
  return { ...switches, pauses, audit, woken };
}

const WRITE = { access: OPERATOR, site: 'mercy', what: 'write', reason: 'EHR upgrade' } as const;
const SINCE = new Date('2026-03-02T10:00:00.000Z');

describe('a pause', () => {
  it('it is listed with its reason and its start, for its site only', async () => {
    const { pause, pauses } = aSwitch();
    expect(await pause(WRITE)).toEqual({
      site: 'mercy',
      paused: [{ what: 'write', reason: 'EHR upgrade', since: SINCE }],
    });
    expect((await pauses.current()).map(({ site }) => site)).toEqual(['mercy']);
  });

  it('it is recorded in the audit trail without the text of its reason', async () => {
    const { pause, resume, audit } = aSwitch();
    await pause(WRITE);
    await resume({ access: OPERATOR, site: 'mercy', what: 'write' });
    expect(audit.entries.map(({ action, site, details }) => [action, site, details])).toEqual([
      ['site.pause', 'mercy', { what: 'write' }],
      ['site.resume', 'mercy', { what: 'write' }],
    ]);
  });

  it.each([
    ['mery', 'notFound'],
    ['st-mary', 'conflict'],
  ])('a pause of %s, which is not active, is refused', async (site, code) => {
    const { pause, audit } = aSwitch();
    await expect(pause({ ...WRITE, site })).rejects.toMatchObject({ code });
    expect(audit.entries).toEqual([]);
  });

  it('a pause or its end without an audit entry has no effect', async () => {
    const { pause, resume, pauses } = aSwitch({ isTrailAway: true });
    await expect(pause(WRITE)).rejects.toMatchObject({ code: 'overloaded' });
    await pauses.pause('mercy', 'write', 'EHR upgrade');
    await expect(resume({ access: OPERATOR, site: 'mercy', what: 'write' })).rejects.toMatchObject({
      code: 'overloaded',
    });
    expect(await pauses.current()).toHaveLength(1);
  });
});

describe('the end of a pause', () => {
  it('it leaves the other pauses of the site, and makes waiting runs due', async () => {
    const { pause, resume, woken } = aSwitch();
    await pause(WRITE);
    await pause({ ...WRITE, what: 'model' });
    expect((await resume({ access: OPERATOR, site: 'mercy', what: 'write' })).paused.map(({ what }) => what)).toEqual([
      'model',
    ]);
    expect(woken).toEqual([{ site: 'mercy' }, 'worker']);
  });

  it('resuming all ends every pause', async () => {
    const { pause, resume } = aSwitch();
    await pause(WRITE);
    await pause({ ...WRITE, what: 'intake' });
    expect(await resume({ access: OPERATOR, site: 'mercy', what: 'all' })).toEqual({
      site: 'mercy',
      paused: [],
      wokenRuns: 1,
    });
  });

  it('a site that is not active any more can be resumed', async () => {
    const { resume, pauses } = aSwitch({ inForce: [] });
    await pauses.pause('mercy', 'all', 'EHR upgrade');
    expect(await resume({ access: OPERATOR, site: 'mercy', what: 'all' })).toEqual({
      site: 'mercy',
      paused: [],
      wokenRuns: 1,
    });
    await expect(resume({ access: OPERATOR, site: 'mercy', what: 'all' })).rejects.toMatchObject({ code: 'notFound' });
  });

  it('resuming without a pause changes nothing', async () => {
    const { resume } = aSwitch();
    expect(await resume({ access: OPERATOR, site: 'mercy', what: 'model' })).toEqual({
      site: 'mercy',
      paused: [],
      wokenRuns: 1,
    });
  });
});
