// The audit trail has one entry for each change of a site's settings, also after restarts and with several engines.
import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { makeAuditSettings } from '../../../src/flows/operations/audit-settings.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { makeFakeAudit } from '../../fakes/audit.ts';
import { aLiveSite } from '../../support/chart-writing.ts';

function aTestbed(...first: readonly LoadedSite[]) {
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

describe('the settings of a site in the audit trail', () => {
  it('the entry has the version, the mode and the review setting', async () => {
    const { open, audit } = aTestbed(mercy);
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

  it('the same settings are recorded once, also after a restart and by another engine', async () => {
    const { open, audit } = aTestbed(mercy);
    const note = open();
    for (const look of [note, note, open(), open()]) await look();
    expect(audit.entries).toHaveLength(1);
  });

  it('each change is recorded, also a change back', async () => {
    const { open, audit, change } = aTestbed(mercy);
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

  it('each site is recorded on its own, and so is its removal', async () => {
    const { open, audit, change } = aTestbed(mercy, { ...mercy, name: 'general' });
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

  it('settings that could not be recorded are recorded by the next call', async () => {
    const { open, audit, trail } = aTestbed(mercy);
    const note = open();
    trail.isAway = true;
    await expect(note()).rejects.toMatchObject({ code: 'overloaded' });
    trail.isAway = false;
    await note();
    expect(audit.entries).toHaveLength(1);
  });
});
