// The accounts of clinicians: a key is shown once, and is valid until it is revoked.
import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { makeManageReviewers } from '../../../src/flows/admin/manage-reviewers.ts';
import type { Ehrs } from '../../../src/ports/ehr.ts';
import { makeFakeAudit } from '../../fakes/audit.ts';
import { makeFakeEhr } from '../../fakes/ehr.ts';
import { makeFakeReviewers } from '../../fakes/reviewers.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';
import { OPERATOR } from '../../support/access.ts';
import { aLiveSite } from '../../support/chart-writing.ts';

const ORDER = { site: 'mercy', practitioner: 'Practitioner/7', name: 'Dr. Example' };

const PEOPLE = ['7', '8'].map((id) => ({ resourceType: 'Practitioner', id }) as const);
const { signal } = new AbortController();

function anOffice({ isTrailAway = false, ehrs = makeFakeEhr({ resources: PEOPLE }).ehrs as Pick<Ehrs, 'of'> } = {}) {
  const runtime = makeFakeRuntime();
  const reviewers = makeFakeReviewers({ now: runtime.now });
  const audit = makeFakeAudit({ now: runtime.now });
  const flow = makeManageReviewers({
    reviewers,
    sites: {
      current: () => ({
        sites: new Map([['mercy', aLiveSite()]]),
        problems: [],
        stale: new Set(),
        unavailable: new Set(),
      }),
    },
    audit: {
      append: (entry) =>
        isTrailAway ? Promise.reject(new AppError('overloaded', 'The database is away')) : audit.append(entry),
    },
    ehrs,
    runtime,
  });
  const manage = { ...flow, create: (order: typeof ORDER) => flow.create({ ...order, access: OPERATOR }, signal) };
  return { flow, manage, reviewers, audit };
}

describe('the account of a reviewer', () => {
  it('its key identifies the reviewer with site and practitioner', async () => {
    const { manage } = anOffice();
    const { reviewer, keyText } = await manage.create(ORDER);
    expect(keyText).toMatch(/^rv_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/);
    expect(await manage.authenticate(keyText)).toEqual(reviewer);
    expect(reviewer).toMatchObject(ORDER);
  });

  it('it is returned without the digest of its secret', async () => {
    const { manage } = anOffice();
    const { reviewer, keyText } = await manage.create(ORDER);
    const shown = [reviewer, await manage.authenticate(keyText), ...(await manage.list('all'))];
    for (const one of shown) expect(Object.keys(one ?? {})).not.toContain('secretDigest');
  });

  it('a revoked account cannot authenticate, and stays in the list with its time', async () => {
    const { manage } = anOffice();
    const { reviewer, keyText } = await manage.create(ORDER);
    await manage.revoke({ id: reviewer.id, access: OPERATOR });
    await manage.revoke({ id: reviewer.id, access: OPERATOR });
    expect(await manage.authenticate(keyText)).toBeUndefined();
    expect((await manage.list(['mercy']))[0]?.revokedAt).toBeInstanceOf(Date);
    expect(await manage.list(['general'])).toEqual([]);
  });

  it('its creation and revocation are recorded in the audit trail, without the key', async () => {
    const { manage, audit } = anOffice();
    const { reviewer, keyText } = await manage.create(ORDER);
    await manage.revoke({ id: reviewer.id, access: OPERATOR });
    expect(audit.entries.map(({ action, site, details }) => [action, site, details?.['reviewer']])).toEqual([
      ['reviewer.create', 'mercy', reviewer.id],
      ['reviewer.revoke', 'mercy', reviewer.id],
    ]);
    expect(JSON.stringify(audit.entries)).not.toContain(keyText.slice(20));
  });

  it('it is not created if the audit trail cannot be written or the site does not exist', async () => {
    const { manage, reviewers } = anOffice({ isTrailAway: true });
    await expect(manage.create(ORDER)).rejects.toMatchObject({ code: 'overloaded' });
    await expect(manage.create({ ...ORDER, site: 'mery' })).rejects.toMatchObject({ code: 'notFound' });
    expect(await reviewers.list('all')).toEqual([]);
  });

  it('an unknown account cannot be revoked', async () => {
    await expect(anOffice().manage.revoke({ id: '0123456789abcdef', access: OPERATOR })).rejects.toMatchObject({
      code: 'notFound',
    });
  });
});

describe('the Practitioner of an account', () => {
  it('a Practitioner or PractitionerRole of the EHR is confirmed', async () => {
    expect(await anOffice().manage.create(ORDER)).toMatchObject({ isChecked: true });
    const { ehrs } = makeFakeEhr({ resources: [{ resourceType: 'PractitionerRole', id: 'r-1' }] });
    const order = { ...ORDER, practitioner: 'PractitionerRole/r-1' };
    expect(await anOffice({ ehrs }).manage.create(order)).toMatchObject({ isChecked: true });
  });

  it('an unknown Practitioner is refused by name, and no account is stored', async () => {
    const { manage, reviewers, audit } = anOffice();
    await expect(manage.create({ ...ORDER, practitioner: 'Practitioner/70' })).rejects.toMatchObject({
      code: 'invalidRequest',
      message: expect.stringContaining('The EHR of mercy has no Practitioner/70'),
    });
    expect([await reviewers.list('all'), audit.entries]).toEqual([[], []]);
  });

  it.each(['ehrUnavailable', 'ehrAnswer', 'ehrRefused', 'notConfigured'] as const)(
    'the account is created unconfirmed if the EHR does not answer: %s',
    async (code) => {
      const { manage } = anOffice({ ehrs: failing(new AppError(code, 'The EHR cannot be asked')) });
      const { reviewer, keyText, isChecked } = await manage.create(ORDER);
      expect([isChecked, await manage.authenticate(keyText)]).toEqual([false, reviewer]);
    },
  );

  it('an abort or an unexpected error creates no account', async () => {
    const { flow, reviewers } = anOffice();
    const gone = AbortSignal.abort(new AppError('cancelled', 'The client closed the connection'));
    await expect(flow.create({ ...ORDER, access: OPERATOR }, gone)).rejects.toMatchObject({ code: 'cancelled' });
    const broken = anOffice({ ehrs: failing(new TypeError('a mistake')) });
    await expect(broken.manage.create(ORDER)).rejects.toThrow(TypeError);
    expect([await reviewers.list('all'), await broken.reviewers.list('all')]).toEqual([[], []]);
  });

  function failing(error: Error): Pick<Ehrs, 'of'> {
    return { of: () => ({ ...makeFakeEhr(), read: () => Promise.reject(error) }) };
  }
});

describe('an invalid key of a reviewer', () => {
  it('a wrong secret, a part of a key, another kind of key and an empty text are refused', async () => {
    const { manage } = anOffice();
    const { keyText } = await manage.create(ORDER);
    const other = (await manage.create({ ...ORDER, practitioner: 'Practitioner/8' })).keyText;
    const mixed = `${keyText.slice(0, 20)}${other.slice(20)}`;
    for (const wrong of [mixed, keyText.slice(0, -1), `${keyText}A`, keyText.replace('rv_', 'cw_'), '', 'rv__']) {
      expect([wrong, await manage.authenticate(wrong)]).toEqual([wrong, undefined]);
    }
  });
});
