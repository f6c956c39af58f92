// Which settings of a site were in force when: in the trail once for each change, whoever starts or looks again.
import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { makeAuditSettings } from '../../../src/flows/operations/audit-settings.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { makeFakeAudit } from '../../fakes/audit.ts';
import { aLiveSite } from '../../support/chart-writing.ts';

function aHouse(...first: readonly LoadedSite[]) {
  let sites = first;
  const audit = makeFakeAudit();
  const trail = { isAway: false };
  const open = () =>
    makeAuditSettings({
      sites: {
        current: () => ({
          sites: new Map(sites.map((site) => [site.name, site])),
          problems: [],
          stale: new Set(),
          unavailable: new Set(),
        }),
      },
      audit: {
        ...audit,
        append: (entry) =>
          trail.isAway ? Promise.reject(new AppError('overloaded', 'The database is away')) : audit.append(entry),
      },
    });
  return {
    audit,
    trail,
    open,
    change: (...now: readonly LoadedSite[]) => {
      sites = now;
    },
  };
}

const mercy = { ...aLiveSite({ name: 'mercy' }), version: 'v-1' };

describe('what is in force at a site', () => {
  test('stands in the trail: its version, whether it writes, and who reviews', async () => {
    const { open, audit } = aHouse(mercy);
    await open()();
    expect(audit.entries).toMatchObject([
      {
        action: 'site.settings',
        actor: 'engine',
        site: 'mercy',
        details: { version: 'v-1', mode: 'live', review: mercy.settings.write.review },
      },
    ]);
  });

  test('is noted once, however often it is looked at, and also over a new start or in another engine', async () => {
    const { open, audit } = aHouse(mercy);
    const note = open();
    for (const look of [note, note, open(), open()]) await look();
    expect(audit.entries).toHaveLength(1);
  });

  test('is noted again with each change, and where it goes back to what it was', async () => {
    const { open, audit, change } = aHouse(mercy);
    const note = open();
    for (const version of ['v-1', 'v-2', 'v-1']) {
      change({ ...mercy, version });
      await note();
    }
    change({ ...mercy, settings: { ...mercy.settings, mode: 'shadow' } });
    await open()();
    expect(audit.entries.map(({ details }) => [details?.['version'], details?.['mode']])).toEqual([
      ['v-1', 'live'],
      ['v-2', 'live'],
      ['v-1', 'live'],
      ['v-1', 'shadow'],
    ]);
  });

  test('is noted of each site for itself, and when a site is gone', async () => {
    const { open, audit, change } = aHouse(mercy, { ...mercy, name: 'general' });
    const note = open();
    await note();
    change(mercy);
    await note();
    await note();
    expect(audit.entries.map(({ site, details }) => [site, details?.['removed']])).toEqual([
      ['mercy', undefined],
      ['general', undefined],
      ['general', true],
    ]);
  });

  test('is noted later where the trail cannot be written now', async () => {
    const { open, audit, trail } = aHouse(mercy);
    const note = open();
    trail.isAway = true;
    await expect(note()).rejects.toMatchObject({ code: 'overloaded' });
    trail.isAway = false;
    await note();
    expect(audit.entries).toHaveLength(1);
  });
});
