import { describe, expect, it } from '@jest/globals';
import { type ConsentAnswer, type ConsentRecords, decideConsent } from '../../../src/domain/site/consent.ts';
import { type ConsentUse, judgeConsent } from '../../../src/domain/site/consent-provision.ts';
import { fc } from '../../support/fast-check.ts';

const SCOPE = 'http://terminology.hl7.org/CodeSystem/consentscope';
const ACT_CODE = 'http://terminology.hl7.org/CodeSystem/v3-ActCode';
const ACT_REASON = 'http://terminology.hl7.org/CodeSystem/v3-ActReason';
const ACTION = 'http://terminology.hl7.org/CodeSystem/consentaction';
const CATEGORY = 'http://terminology.hl7.org/CodeSystem/consentcategorycodes';

const USE: ConsentUse = {
  patient: 'Patient/p-1',
  organizations: ['Organization/1'],
  baseUrl: 'https://ehr.example.org/fhir',
  timeZone: 'UTC',
  beganMs: Date.parse('2026-11-20T10:00:00Z'),
  recordedMs: Date.parse('2026-11-20T10:30:00Z'),
  nowMs: Date.parse('2026-11-21T08:00:00Z'),
};

function aConsent(provision: object | undefined, changes: object = {}) {
  return {
    resourceType: 'Consent',
    status: 'active',
    scope: { coding: [{ system: SCOPE, code: 'patient-privacy' }] },
    category: [{ coding: [{ system: 'http://loinc.org', code: '59284-0' }] }],
    patient: { reference: 'Patient/p-1' },
    ...(provision && { provision }),
    ...changes,
  };
}

const PERMIT = aConsent({ type: 'permit' });
const DENY = aConsent({ type: 'deny' });
const purpose = (code: string) => ({ purpose: [{ system: ACT_REASON, code }] });
const actions = (...codes: readonly string[]) => ({
  action: codes.map((code) => ({ coding: [{ system: ACTION, code }] })),
});
const policy = (code: string) => ({ policyRule: { coding: [{ system: ACT_CODE, code }] } });

const verdict = (consent: unknown) => judgeConsent(consent, USE);

describe('the verdict about one Consent', () => {
  it('an active Consent that permits or denies is respected', () => {
    expect(verdict(PERMIT)).toBe('permit');
    expect(verdict(DENY)).toBe('deny');
  });

  it.each<[string, object, object]>([
    ['a scope that is only a text', {}, { scope: { text: 'research' } }],
    ['a list where the scope should be', {}, { scope: [{ coding: [{ system: SCOPE, code: 'research' }] }] }],
    ['a list where the policy should be', {}, { policyRule: [{ coding: [{ system: ACT_CODE, code: 'OPTOUT' }] }] }],
    ['a list of periods', { period: [{ start: '2010', end: '2011' }] }, {}],
    ['an end that is kept back', { period: { start: '2010', _end: { extension: [{ url: 'urn:masked' }] } } }, {}],
    ['a purpose that is missing from its list', { purpose: [null] }, {}],
    ['an exception that is missing from its list', { provision: [null] }, {}],
    ['a list in a list of exceptions', { provision: [[{ type: 'deny' }]] }, {}],
    ['a category in a list of its own', {}, { category: [[{ coding: [{ system: CATEGORY, code: 'research' }] }]] }],
  ])('a permission with %s is unclear, and a denial is still a denial', (_, provision, changes) => {
    expect(verdict(aConsent({ type: 'permit', ...provision }, changes))).toBe('unclear');
    expect(verdict(aConsent({ type: 'deny' }, changes))).not.toBe('permit');
  });

  it('beyond a limit the exceptions are not read, and the verdict is uncertain', () => {
    const others = Array.from({ length: 100_000 }, () => ({ type: 'deny', period: { end: '2020-01-01' } }));
    expect(verdict(aConsent({ type: 'permit', provision: others.slice(0, 100) }))).toBe('permit');
    const startedMs = performance.now();
    expect(verdict(aConsent({ type: 'permit', provision: others }))).toBe('unclear');
    expect(verdict(aConsent({ type: 'deny', provision: others }))).toBe('deny');
    expect(performance.now() - startedMs).toBeLessThan(1000);
  });

  it('a Consent that is not active or of another patient has no effect', () => {
    for (const status of ['draft', 'proposed', 'rejected', 'inactive', 'entered-in-error']) {
      expect(verdict(aConsent({ type: 'deny' }, { status }))).toBe('none');
    }
    expect(verdict(aConsent({ type: 'permit' }, { patient: { reference: 'Patient/p-2' } }))).toBe('none');
    expect(verdict(aConsent({ type: 'deny' }, { patient: { reference: 'https://other.example/Patient/p-2' } }))).toBe(
      'none',
    );
  });

  it('a Consent about treatment, research or an advance directive is no permission for a recording', () => {
    for (const code of ['treatment', 'research', 'adr']) {
      expect(verdict(aConsent({ type: 'permit' }, { scope: { coding: [{ system: SCOPE, code }] } }))).toBe('none');
    }
    const category = [{ coding: [{ system: CATEGORY, code: 'dnr' }] }];
    expect(verdict(aConsent({ type: 'permit' }, { category }))).toBe('none');
    expect(verdict(aConsent({ type: 'deny' }, { category }))).toBe('unclear');
    const scope = { coding: [{ system: 'https://local.example', code: 'newsletter' }] };
    expect(verdict(aConsent({ type: 'permit' }, { scope }))).toBe('unclear');
    expect(verdict(aConsent({ type: 'deny' }, { scope }))).toBe('unclear');
  });

  it('without a type the policy decides, and only a plain one', () => {
    expect(verdict(aConsent(undefined, policy('OPTIN')))).toBe('permit');
    expect(verdict(aConsent(undefined, policy('OPTOUT')))).toBe('deny');
    expect(verdict(aConsent(undefined, policy('OPTINR')))).toBe('unclear');
    expect(verdict(aConsent(undefined, policy('OPTOUTE')))).toBe('unclear');
    expect(verdict(aConsent(undefined))).toBe('unclear');
    expect(verdict(aConsent({ period: { start: '2020' } }))).toBe('unclear');
    expect(verdict(aConsent({ period: { end: '2020' } }, policy('OPTIN')))).toBe('none');
    expect(verdict(aConsent({ provision: [{ type: 'deny' }] }, policy('OPTINR')))).toBe('deny');
    expect(verdict(aConsent({ provision: [{ type: 'permit' }] }))).toBe('unclear');
    expect(verdict({ ...PERMIT, provision: [{ type: 'permit' }, { type: 'permit' }] })).toBe('unclear');
    expect(verdict({ ...PERMIT, provision: [{ type: 'permit' }, { type: 'deny' }] })).toBe('deny');
  });

  it('a permitting policy with a denying exception is a denial', () => {
    expect(verdict(aConsent({ type: 'deny' }, policy('OPTIN')))).toBe('deny');
    expect(verdict(aConsent({ provision: [{ type: 'deny' }] }, policy('OPTIN')))).toBe('deny');
    expect(verdict(aConsent({ type: 'deny', ...purpose('HMARKT') }, policy('OPTIN')))).toBe('permit');
  });

  it('a permission must be valid when the recording was made', () => {
    const during = (period: object) => verdict(aConsent({ type: 'permit', period }));
    expect(during({ start: '2026-11-20', end: '2026-11-20' })).toBe('permit');
    expect(during({ start: '2026-11-20T10:05:00Z' })).toBe('permit');
    expect(during({ end: '2026-11-19' })).toBe('none');
    expect(during({ start: '2026-11-22' })).toBe('none');
    expect(during({ start: '2026-11-21' })).toBe('unclear');
    expect(during({ start: 'yesterday' })).toBe('unclear');
    expect(during({ start: '2026-12-01', end: '2026-01-01' })).toBe('unclear');
  });

  it('a denial applies if it was valid at any time from the encounter until now', () => {
    const during = (period: object) => verdict(aConsent({ type: 'deny', period }));
    expect(during({ start: '2026-11-21' })).toBe('deny');
    expect(during({ end: '2026-11-20T10:10:00Z' })).toBe('deny');
    expect(during({ end: '2026-11-19' })).toBe('none');
    expect(during({ start: '2026-11-22' })).toBe('none');
  });

  it('a date without a time is a day in the time zone of the site', () => {
    const use = { ...USE, timeZone: 'Pacific/Auckland' };
    const consent = aConsent({ type: 'deny', period: { start: '2026-11-22' } });
    expect(judgeConsent(consent, { ...use, nowMs: Date.parse('2026-11-21T12:00:00Z') })).toBe('deny');
    expect(judgeConsent(consent, { ...USE, nowMs: Date.parse('2026-11-21T12:00:00Z') })).toBe('none');
  });

  it('a Consent only for another purpose is no general permission', () => {
    expect(verdict(aConsent({ type: 'permit', ...purpose('HRESCH') }))).toBe('none');
    expect(verdict(aConsent({ type: 'permit', ...purpose('HOPERAT') }))).toBe('unclear');
    expect(verdict(aConsent({ type: 'permit', ...purpose('TREAT') }))).toBe('permit');
    expect(verdict(aConsent({ type: 'deny', ...purpose('TREAT') }))).toBe('deny');
    expect(verdict(aConsent({ type: 'deny', ...purpose('HMARKT') }))).toBe('none');
    expect(verdict(aConsent({ type: 'permit', ...actions('disclose') }))).toBe('unclear');
    expect(verdict(aConsent({ type: 'permit', ...actions('collect', 'use') }))).toBe('permit');
    expect(verdict(aConsent({ type: 'deny', ...actions('use') }))).toBe('deny');
    expect(verdict(aConsent({ type: 'deny', ...actions('correct') }))).toBe('none');
  });

  it('a Consent with a restriction that cannot be evaluated is unclear', () => {
    for (const name of ['class', 'code', 'data', 'dataPeriod', 'securityLabel', 'modifierExtension']) {
      expect(verdict(aConsent({ type: 'permit', [name]: [{ code: 'x' }] }))).toBe('unclear');
      expect(verdict(aConsent({ type: 'deny', [name]: [{ code: 'x' }] }))).toBe('unclear');
    }
    const actor = (reference: string) => ({ actor: [{ reference: { reference } }] });
    expect(verdict(aConsent({ type: 'permit', ...actor('Practitioner/9') }))).toBe('unclear');
    expect(verdict(aConsent({ type: 'permit', ...actor('Organization/1') }))).toBe('permit');
    expect(verdict(aConsent({ type: 'deny', ...actor('Organization/1') }))).toBe('deny');
    expect(verdict(aConsent({ type: 'permit', ...actor('https://other.example/fhir/Organization/1') }))).toBe(
      'unclear',
    );
  });

  it('exceptions of a permission apply, and uncertain exceptions of a denial do not lift it', () => {
    const nested = (type: string, inner: object) => verdict(aConsent({ type, provision: [inner] }));
    expect(nested('permit', { type: 'deny' })).toBe('deny');
    expect(nested('permit', { type: 'deny', class: [{ code: 'x' }] })).toBe('unclear');
    expect(nested('permit', { type: 'deny', period: { end: '2020' } })).toBe('permit');
    expect(nested('permit', { type: 'permit' })).toBe('permit');
    expect(nested('permit', { type: 'sometimes' })).toBe('unclear');
    expect(nested('deny', { type: 'permit', class: [{ code: 'x' }] })).toBe('deny');
    expect(nested('deny', { type: 'permit', ...purpose('TREAT') })).toBe('unclear');
    expect(nested('deny', { type: 'permit', ...purpose('HRESCH') })).toBe('deny');
  });

  it('an unreadable part makes a permission unclear and leaves a denial', () => {
    const odd: readonly object[] = [
      { status: undefined },
      { status: 'ACTIVE' },
      { implicitRules: 'https://x.example' },
      { modifierExtension: [{ url: 'https://x.example' }] },
      { patient: undefined },
      { patient: { identifier: { value: '7' } } },
      { patient: { reference: 'https://other.example/fhir/Patient/p-1' } },
      { verification: [{ verified: false }] },
    ];
    for (const changes of odd) {
      expect(verdict(aConsent({ type: 'permit' }, changes))).toBe('unclear');
      expect(verdict(aConsent({ type: 'deny' }, changes))).toBe('deny');
    }
  });

  it('any shape has a verdict, and only a plain permission permits', () => {
    const anything = fc.anything({ maxDepth: 4 });
    fc.assert(
      fc.property(anything, anything, (provision, consent) => {
        expect(verdict(consent)).not.toBe('permit');
        expect(['permit', 'deny', 'unclear', 'none']).toContain(verdict(aConsent({ provision })));
      }),
    );
    let deep: object = { type: 'permit' };
    for (let depth = 0; depth < 20_000; depth++) deep = { type: 'permit', provision: [deep] };
    expect(verdict(aConsent(deep))).toBe('unclear');
  });
});

const RULES = ['required', 'opt-out', 'by-source', '%patient.active'] as const;
type Rule = (typeof RULES)[number];

const read = (...consents: readonly unknown[]): ConsentRecords => ({ kind: 'read', consents, isComplete: true });
const UNREADABLE: ConsentRecords = { kind: 'unreadable' };
const CUT: ConsentRecords = { kind: 'read', consents: [PERMIT], isComplete: false };
const UNCLEAR = aConsent(undefined);

type TestCase = { unknown?: 'hold' | 'proceed'; answer?: ConsentAnswer };

function decided(recording: Rule, consents: ConsentRecords, { unknown = 'hold', answer }: TestCase = {}) {
  return decideConsent({ recording, unknown }, { read: consents, use: USE, test: answer }).kind;
}

describe('the decision by the site’s rule', () => {
  it('a denial is a refusal under every rule', () => {
    for (const rule of RULES) {
      for (const unknown of ['hold', 'proceed'] as const) {
        expect(decided(rule, read(PERMIT, DENY, UNCLEAR), { unknown, answer: 'yes' })).toBe('refused');
        expect(decided(rule, { ...CUT, consents: [DENY] }, { unknown, answer: 'yes' })).toBe('refused');
      }
    }
  });

  it('under required only a clear permission is enough, whatever `unknown` says', () => {
    for (const unknown of ['hold', 'proceed'] as const) {
      expect(decided('required', read(PERMIT), { unknown })).toBe('granted');
      expect(decided('required', read(), { unknown })).toBe('held');
      expect(decided('required', read(UNCLEAR), { unknown })).toBe('held');
      expect(decided('required', read(PERMIT, UNCLEAR), { unknown })).toBe('held');
      expect(decided('required', UNREADABLE, { unknown })).toBe('held');
      expect(decided('required', CUT, { unknown })).toBe('held');
      expect(decided('required', { kind: 'not-offered' }, { unknown })).toBe('held');
    }
  });

  it('under opt-out and by-source no denial is permission, and an uncertain result follows `unknown`', () => {
    for (const rule of ['opt-out', 'by-source'] as const) {
      for (const plain of [read(), read(PERMIT), { kind: 'not-offered' } as const]) {
        expect(decided(rule, plain, { unknown: 'hold' })).toBe('granted');
      }
      for (const doubtful of [read(UNCLEAR), UNREADABLE, CUT]) {
        expect(decided(rule, doubtful, { unknown: 'hold' })).toBe('held');
        expect(decided(rule, doubtful, { unknown: 'proceed' })).toBe('granted');
      }
    }
  });

  it('the site’s own test decides, and without a result `unknown` does', () => {
    expect(decided('%patient.active', UNREADABLE, { answer: 'yes' })).toBe('granted');
    expect(decided('%patient.active', read(PERMIT), { answer: 'no', unknown: 'proceed' })).toBe('refused');
    expect(decided('%patient.active', read(PERMIT), { answer: 'unknown' })).toBe('held');
    expect(decided('%patient.active', read(), { answer: 'unknown', unknown: 'proceed' })).toBe('granted');
    expect(decided('%patient.active', read())).toBe('held');
  });

  it('the message names what to check', () => {
    const settings = { recording: 'required', unknown: 'hold' } as const;
    const say = (consents: ConsentRecords) => decideConsent(settings, { read: consents, use: USE, test: undefined });
    expect(say(read())).toMatchObject({ message: expect.stringContaining('has no active Consent') });
    expect(say(UNREADABLE)).toMatchObject({ message: expect.stringContaining('cannot be read') });
    expect(say({ kind: 'not-offered' })).toMatchObject({ message: expect.stringContaining('has no Consents') });
  });
});
