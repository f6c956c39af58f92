import { describe, expect, it } from '@jest/globals';
import type { Encounter, Patient, Resource } from '@medplum/fhirtypes';
import { AppError, type ErrorCode } from '../../../src/domain/errors.ts';
import type { Permission } from '../../../src/domain/history/chart-context.ts';
import type { SiteSettings } from '../../../src/domain/site/site.ts';
import { makeAskPermission } from '../../../src/flows/run-steps/ask-permission.ts';
import { makeFakeReleases } from '../../fakes/releases.ts';
import { aReadingEhr, aReadingSite } from '../../support/chart-reading.ts';
import { anEncounter, aPatient, aResource, labelled } from '../../support/chart-resources.ts';

const NOW = new Date('2026-11-21T08:00:00Z');
const signal = new AbortController().signal;

function aConsent(id: string, type: 'permit' | 'deny' | undefined, changes: object = {}): Resource {
  return aResource('Consent', id, {
    status: 'active',
    scope: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/consentscope', code: 'patient-privacy' }] },
    patient: { reference: 'Patient/p-1' },
    ...(type && { provision: { type } }),
    ...changes,
  });
}

type Asking = {
  readonly settings?: Partial<SiteSettings>;
  readonly ehr?: Parameters<typeof aReadingEhr>[0];
  readonly encounter?: object;
  readonly patient?: object;
  readonly confidentiality?: string;
};

function makeAsk({ settings = {}, ehr = {}, encounter = {}, patient = {}, confidentiality }: Asking = {}) {
  const reading = aReadingEhr(ehr);
  const releases = makeFakeReleases();
  const askPermission = makeAskPermission({ ehrs: reading.ehrs, releases, runtime: { now: () => NOW } });
  const order = {
    site: aReadingSite(settings),
    encounter: anEncounter({ ...encounter }) as Encounter,
    patient: aPatient({ ...patient }) as Patient,
    ...(confidentiality !== undefined && { confidentiality }),
  };
  return { ...reading, releases, ask: (session?: string) => askPermission({ ...order, session }, signal) };
}

const ask = (asking?: Asking) => makeAsk(asking).ask();
const consent = (recording: string, unknown: 'hold' | 'proceed' = 'hold') => ({ consent: { recording, unknown } });
const entry = (when: string, then: 'hold' | 'skip' | 'allow') => ({ when, then });

function failing(code: ErrorCode) {
  return {
    answer: () => {
      throw new AppError(code, 'the EHR did something');
    },
  };
}

/** `skip: consent` */
function shown(permission: Permission): string {
  return permission.isGranted ? 'granted' : `${permission.then}: ${permission.reason}`;
}

const GRANTED = { isGranted: true };

describe('the patient’s consent', () => {
  it('under opt-out, no denial means permission', async () => {
    expect(await ask()).toEqual(GRANTED);
    expect(await ask({ ehr: { resources: [aConsent('c', 'permit')] } })).toEqual(GRANTED);
  });

  it('a denial skips the encounter', async () => {
    const denied = await ask({ ehr: { resources: [aConsent('c', 'deny'), aConsent('d', 'permit')] } });
    expect(shown(denied)).toBe('skip: consent');
  });

  it('a denial between two checks is respected', async () => {
    const asking = makeAsk();
    expect((await asking.ask()).isGranted).toBe(true);
    asking.put(aConsent('c', 'deny'));
    expect(shown(await asking.ask())).toBe('skip: consent');
  });

  it('Consents are searched for by patient, and those of other patients are ignored', async () => {
    const other = aConsent('c', 'deny', { patient: { reference: 'Patient/p-2' } });
    const asking = makeAsk({ ehr: { answer: () => ({ resources: [other] }) } });
    expect(await asking.ask()).toEqual(GRANTED);
    expect(asking.searches).toEqual([{ type: 'Consent', parameters: { patient: 'Patient/p-1' }, maxResources: 500 }]);
  });

  it('a denial of a merged patient record is respected', async () => {
    const denial = aConsent('c-1', 'deny', { patient: { reference: 'Patient/p-old' } });
    const link = (...olds: readonly string[]) =>
      olds.map((old) => ({ type: 'replaces', other: { reference: `Patient/${old}` } }));
    const ehr = { resources: [denial] };
    expect(shown(await ask({ settings: consent('opt-out'), ehr, patient: { link: link('p-old') } }))).toBe(
      'skip: consent',
    );
    const seeAlso = [{ type: 'seealso', other: { reference: 'Patient/p-old' } }];
    expect(shown(await ask({ settings: consent('opt-out'), ehr, patient: { link: seeAlso } }))).toBe('granted');
    const many = link(...Array.from({ length: 6 }, (_, index) => `p-${index + 2}`));
    expect(shown(await ask({ settings: consent('opt-out'), patient: { link: many } }))).toBe('hold: consent');
  });

  it('under required, Consents that cannot be read are never a permission', async () => {
    for (const unknown of ['hold', 'proceed'] as const) {
      const settings = consent('required', unknown);
      const cut = { resources: [aConsent('c', 'permit')], isComplete: false };
      const unreadable: readonly Asking[] = [
        { ehr: failing('ehrRefused') },
        { ehr: failing('ehrAnswer') },
        { ehr: { answer: () => cut } },
        { ehr: { resources: [aConsent('c', 'permit'), aConsent('d', undefined)] } },
        { ehr: { answer: () => ({ resources: [{}, 'x', null] as unknown as Resource[] }) } },
        { ehr: { offers: [] } },
        { ehr: { resources: [] } },
      ];
      for (const asking of unreadable) {
        expect(shown(await ask({ settings, ...asking }))).toBe('hold: consent');
      }
      expect(await ask({ settings, ehr: { resources: [aConsent('c', 'permit')] } })).toEqual(GRANTED);
    }
  });

  it('under opt-out, the setting unknown decides about Consents that cannot be read', async () => {
    for (const recording of ['opt-out', 'by-source']) {
      for (const code of ['ehrRefused', 'ehrAnswer'] as const) {
        const held = await ask({ settings: consent(recording, 'hold'), ehr: failing(code) });
        expect(shown(held)).toBe('hold: consent');
        expect((await ask({ settings: consent(recording, 'proceed'), ehr: failing(code) })).isGranted).toBe(true);
      }
    }
  });

  it('an EHR without Consents is not searched, and counts as without a denial', async () => {
    const asking = makeAsk({ ehr: { offers: [] } });
    expect(await asking.ask()).toEqual(GRANTED);
    expect(asking.searches).toEqual([]);
  });

  it('an EHR without a CapabilityStatement is searched for Consents', async () => {
    expect(shown(await ask({ ehr: { isKnown: false, resources: [aConsent('c', 'deny')] } }))).toBe('skip: consent');
  });

  it('an EHR that is down gives no decision: the error is thrown', async () => {
    for (const code of ['ehrUnavailable', 'cancelled'] as const) {
      await expect(ask({ ehr: failing(code) })).rejects.toMatchObject({ code });
    }
  });

  it('more Consents than are read make the result uncertain', async () => {
    const resources = Array.from({ length: 10_000 }, (_, at) => aConsent(`c${at}`, 'permit'));
    const held = await ask({ settings: consent('required'), ehr: { answer: () => ({ resources }) } });
    expect(shown(held)).toBe('hold: consent');
  });

  it('the site’s own test decides; an error in it is neither yes nor no', async () => {
    const rule = "%patient.extension.where(url = 'https://x.example/asked').value";
    const asked = (valueBoolean: boolean) => ({ extension: [{ url: 'https://x.example/asked', valueBoolean }] });
    expect(await ask({ settings: consent(rule), patient: asked(true) })).toEqual(GRANTED);
    expect(shown(await ask({ settings: consent(rule), patient: asked(false) }))).toBe('skip: consent');
    expect(shown(await ask({ settings: consent(rule) }))).toBe('hold: consent');
    expect((await ask({ settings: consent(rule, 'proceed') })).isGranted).toBe(true);
    expect(shown(await ask({ settings: consent('%patient.birthDate') }))).toBe('hold: consent');
    expect(await ask({ settings: consent(rule), patient: asked(true), ehr: failing('ehrRefused') })).toEqual(GRANTED);
    const denied = { settings: consent(rule), patient: asked(true), ehr: { resources: [aConsent('c', 'deny')] } };
    expect(shown(await ask(denied))).toBe('skip: consent');
  });

  it('a Consent that is signed during the encounter and only for it is enough', async () => {
    const period = { start: '2026-11-20T10:05:00Z', end: '2026-11-20T10:30:00Z' };
    const signed = aConsent('c', undefined, { provision: { type: 'permit', period } });
    expect(await ask({ settings: consent('required'), ehr: { resources: [signed] } })).toEqual(GRANTED);
  });

  it('a Consent for another time does not cover the encounter', async () => {
    const old = aConsent('c', undefined, { provision: { type: 'permit', period: { end: '2026-11-19' } } });
    expect(shown(await ask({ settings: consent('required'), ehr: { resources: [old] } }))).toBe('hold: consent');
  });
});

describe('encounters that the site treats as sensitive', () => {
  it('the first matching entry decides', async () => {
    const sensitive = [entry('%patient.ageYears() < 18', 'skip'), entry("%encounter.class.code = 'AMB'", 'hold')];
    expect(shown(await ask({ settings: { sensitive } }))).toBe('hold: sensitive');
    expect(shown(await ask({ settings: { sensitive }, patient: { birthDate: '2012-01-01' } }))).toBe('skip: sensitive');
    expect(await ask({ settings: { sensitive }, encounter: { class: { code: 'EMER' } } })).toEqual(GRANTED);
  });

  it('an entry that cannot be evaluated holds the encounter, even an allowing one', async () => {
    const broken = { patient: { birthDate: '2030-01-01' } };
    for (const then of ['skip', 'allow'] as const) {
      const sensitive = [entry('%patient.ageYears() < 18', then)];
      expect(shown(await ask({ settings: { sensitive }, ...broken }))).toBe('hold: sensitive');
    }
    const text = [entry('%patient.birthDate', 'allow')];
    expect(shown(await ask({ settings: { sensitive: text } }))).toBe('hold: sensitive');
  });

  it('consent is checked before the sensitive entries', async () => {
    const settings = { sensitive: [entry('true', 'hold')] };
    expect(await ask({ settings, ehr: { resources: [aConsent('c', 'deny')] } })).toMatchObject({ reason: 'consent' });
  });
});

describe('confidentiality labels', () => {
  it('a restricted label holds the encounter, on whichever resource it is', async () => {
    const restricted: readonly Asking[] = [
      { encounter: labelled('R') },
      { patient: labelled('V') },
      { confidentiality: 'R' },
      { confidentiality: 'nobody knows this code' },
    ];
    for (const asking of restricted) {
      expect(shown(await ask(asking))).toBe('hold: label');
    }
  });

  it('the site’s list can allow a restricted label', async () => {
    const settings = { sensitive: [entry("%encounter.class.code = 'AMB'", 'allow')] };
    expect(await ask({ settings, encounter: labelled('V') })).toEqual(GRANTED);
    const other = { class: { code: 'EMER' }, ...labelled('V') };
    expect(shown(await ask({ settings, encounter: other }))).toBe('hold: label');
  });

  it('a label that is normal or lower needs no entry', async () => {
    for (const code of ['U', 'L', 'M', 'N']) {
      expect(await ask({ encounter: labelled(code), confidentiality: code })).toEqual(GRANTED);
    }
  });
});

it('no message contains patient data', async () => {
  const secret = 'SECRET-7';
  const askings: readonly Asking[] = [
    { ehr: { resources: [aConsent(secret, 'deny')] }, patient: { name: [{ family: secret }] } },
    { settings: { sensitive: [entry('%patient.name.family.toInteger() > 1 and %patient.ageYears() > 1', 'hold')] } },
    { encounter: labelled('R') },
    { settings: consent('required') },
    { settings: consent('%patient.name.family') },
  ];
  for (const asking of askings) {
    const patient = { name: [{ family: secret }], birthDate: secret, ...asking.patient };
    const answer = await ask({ ...asking, patient });
    expect(answer.isGranted).toBe(false);
    expect(JSON.stringify(answer)).not.toContain(secret);
  }
});

describe('an encounter that a person released', () => {
  const sensitive = { ...consent('opt-out'), sensitive: [entry('true', 'hold')] };
  const place = { site: aReadingSite().name, encounter: `Encounter/${anEncounter().id}`, patient: 'Patient/p-1' };

  it('may be documented in the session that was released, and in no other one', async () => {
    const { ask: asking, releases } = makeAsk({ settings: sensitive });
    expect(shown(await asking('s-1'))).toBe('hold: sensitive');
    await releases.add({ ...place, session: 's-1' });
    expect([shown(await asking('s-1')), shown(await asking('s-2'))]).toEqual(['granted', 'hold: sensitive']);
  });

  it('may be documented in each session if it was released as a whole', async () => {
    const { ask: asking, releases } = makeAsk({ settings: sensitive });
    await releases.add(place);
    expect([shown(await asking('s-1')), shown(await asking())]).toEqual(['granted', 'granted']);
  });

  it('is held again once it belongs to another patient', async () => {
    const { ask: asking, releases } = makeAsk({ settings: sensitive, patient: { id: 'p-2' } });
    await releases.add(place);
    expect(shown(await asking('s-1'))).toBe('hold: sensitive');
  });

  it('is held still if it is labelled restricted, and skipped still if the site skips it', async () => {
    const restricted = makeAsk({ settings: sensitive, encounter: labelled('R') });
    const skipping = makeAsk({ settings: { ...sensitive, sensitive: [entry('true', 'skip')] } });
    await restricted.releases.add(place);
    await skipping.releases.add(place);
    expect(shown(await restricted.ask('s-1'))).toBe('hold: label');
    expect(shown(await skipping.ask('s-1'))).toBe('skip: sensitive');
  });
});
