// The engine's own Subscription: what it asks for and how it says so.
import { describe, expect, it } from '@jest/globals';
import {
  addressWarnings,
  chooseSubscription,
  settingsText,
  subscriptionEndpoint,
  widenedCriteria,
} from '../../../src/domain/event/subscription.ts';
import type { EventSettings } from '../../../src/domain/site/site.ts';

const URL = 'https://scribe.example.org';
const BACKPORT = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition';

function wanted(subscription: NonNullable<EventSettings['subscription']>, publicUrl = URL) {
  const wish = chooseSubscription('mercy', { subscription }, publicUrl);
  if (wish.kind !== 'wanted') throw new Error(wish.kind);
  return wish.wanted;
}

describe('the Subscription of the engine', () => {
  it('it includes cancelled and erroneous encounters, whose notes must be retracted', () => {
    expect(wanted({ kind: 'rest-hook' }).body.criteria).toBe('Encounter?status=finished,cancelled,entered-in-error');
  });

  it.each([
    ['Encounter?status=finished', 'Encounter?status=finished,cancelled,entered-in-error'],
    [
      'Encounter?class=EMER&status=finished,cancelled',
      'Encounter?class=EMER&status=finished,cancelled,entered-in-error',
    ],
    ['Encounter?status=finished%2Ccancelled', 'Encounter?status=finished,cancelled,entered-in-error'],
    ['Encounter?class=EMER', 'Encounter?class=EMER'],
    ['Encounter?status:not=planned', 'Encounter?status:not=planned'],
    ['DocumentReference?status=current', 'DocumentReference?status=current'],
    ['Encounter', 'Encounter'],
  ])('the criteria %s become %s', (criteria, asked) => {
    expect(widenedCriteria(criteria)).toBe(asked);
  });

  it('it is sent to the site’s own address, with its secret for a signature and as a password', () => {
    const { body } = wanted({ kind: 'rest-hook', secret: 'hush' }, `${URL}/`);
    expect(body.channel).toEqual({
      type: 'rest-hook',
      endpoint: `${URL}/ehr/mercy/events`,
      payload: 'application/fhir+json',
      header: ['Authorization: Bearer hush'],
    });
    expect(body.extension).toEqual([
      { url: 'https://www.medplum.com/fhir/StructureDefinition/subscription-secret', valueString: 'hush' },
      { url: 'https://medplum.com/fhir/StructureDefinition/subscription-secret', valueString: 'hush' },
    ]);
  });

  it('a secret that is not allowed in a header is only used to sign', () => {
    const { body } = wanted({ kind: 'rest-hook', secret: 'two words' });
    expect([body.channel?.header, body.extension?.length]).toEqual([undefined, 2]);
  });

  it('a topic Subscription follows the Backport for R4: references only, with heartbeats', () => {
    const topic = 'http://example.org/topic';
    const { body } = wanted({ kind: 'topic', topic, criteria: 'Encounter?status=finished' });
    expect(body).toMatchObject({
      criteria: topic,
      meta: { profile: [`${BACKPORT}/backport-subscription`] },
      _criteria: {
        extension: [
          {
            url: `${BACKPORT}/backport-filter-criteria`,
            valueString: 'Encounter?status=finished,cancelled,entered-in-error',
          },
        ],
      },
      channel: {
        _payload: { extension: [{ url: `${BACKPORT}/backport-payload-content`, valueCode: 'id-only' }] },
        extension: expect.arrayContaining([{ url: `${BACKPORT}/backport-heartbeat-period`, valueUnsignedInt: 60 }]),
      },
    });
  });

  it('there is none if the site needs none, and a topic without a name is reported as missing', () => {
    expect(chooseSubscription('mercy', {}, URL)).toEqual({ kind: 'none' });
    expect(chooseSubscription('mercy', { subscription: { kind: 'none' } }, URL)).toEqual({ kind: 'none' });
    expect(chooseSubscription('mercy', { subscription: { kind: 'topic' } }, URL)).toMatchObject({ kind: 'lacking' });
  });
});

describe('the stored fingerprint of the settings', () => {
  const digest = (text: string) => new TextEncoder().encode(text.padEnd(32, '-'));

  it('it changes with the secret and never contains it', () => {
    const [one, other] = ['hush-1', 'silence'].map((secret) =>
      settingsText(wanted({ kind: 'rest-hook', secret }), digest),
    );
    expect(one).not.toBe(other);
    expect(one).not.toContain('hush-1');
  });
});

describe('an address that cannot work', () => {
  const warnings = (publicUrl: string, ehrUrl: string, secret?: string) =>
    addressWarnings(wanted({ kind: 'rest-hook', ...(secret !== undefined && { secret }) }, publicUrl), {
      site: 'mercy',
      ehrUrl,
    });

  it('a loopback address is reported for an EHR on another machine', () => {
    expect(warnings('http://localhost:3000', 'https://ehr.example.org/fhir', 'hush')).toEqual([
      expect.stringContaining('PUBLIC_URL'),
    ]);
    expect(warnings('http://127.0.0.1:3000', 'http://127.0.0.1:3001/fhir/R4')).toEqual([]);
    expect(warnings(URL, 'https://ehr.example.org/fhir', 'hush')).toEqual([]);
  });

  it('a missing secret is reported for an EHR on another machine', () => {
    expect(warnings(URL, 'https://ehr.example.org/fhir')).toEqual([expect.stringContaining('secret')]);
  });

  it('the name of the site is encoded in the address', () => {
    expect(subscriptionEndpoint(URL, 'st mary')).toBe(`${URL}/ehr/st%20mary/events`);
  });
});
