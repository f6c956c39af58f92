// The engine's own Subscription: what it asks for and how it says so.
import { describe, expect, test } from '@jest/globals';
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

describe('what the engine asks an EHR to be told of', () => {
  test('is finished encounters, and those that are cancelled or were a mistake: their notes must go', () => {
    expect(wanted({ kind: 'rest-hook' }).body.criteria).toBe('Encounter?status=finished,cancelled,entered-in-error');
  });

  test.each([
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
  ])('%s is asked for as %s', (criteria, asked) => {
    expect(widenedCriteria(criteria)).toBe(asked);
  });

  test('is told to the site’s own address, with its secret for a signature and as a password', () => {
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

  test('a secret that a header cannot carry is only used to sign', () => {
    const { body } = wanted({ kind: 'rest-hook', secret: 'two words' });
    expect([body.channel?.header, body.extension?.length]).toEqual([undefined, 2]);
  });

  test('of a topic is asked for as the Backport for R4 says: references only, with heartbeats', () => {
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

  test('is nothing where the site wants none, and a topic without a name is said to be missing', () => {
    expect(chooseSubscription('mercy', {}, URL)).toEqual({ kind: 'none' });
    expect(chooseSubscription('mercy', { subscription: { kind: 'none' } }, URL)).toEqual({ kind: 'none' });
    expect(chooseSubscription('mercy', { subscription: { kind: 'topic' } }, URL)).toMatchObject({ kind: 'lacking' });
  });
});

describe('what is kept of the settings', () => {
  const digest = (text: string) => new TextEncoder().encode(text.padEnd(32, '-'));

  test('is another text with another secret, and never holds the secret', () => {
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

  test('is told: an EHR elsewhere cannot call this machine by its own name for itself', () => {
    expect(warnings('http://localhost:3000', 'https://ehr.example.org/fhir', 'hush')).toEqual([
      expect.stringContaining('PUBLIC_URL'),
    ]);
    expect(warnings('http://127.0.0.1:3000', 'http://127.0.0.1:3001/fhir/R4')).toEqual([]);
    expect(warnings(URL, 'https://ehr.example.org/fhir', 'hush')).toEqual([]);
  });

  test('so is an EHR elsewhere that has no secret to show', () => {
    expect(warnings(URL, 'https://ehr.example.org/fhir')).toEqual([expect.stringContaining('secret')]);
  });

  test('a site’s name stands in it as an address can hold it', () => {
    expect(subscriptionEndpoint(URL, 'st mary')).toBe(`${URL}/ehr/st%20mary/events`);
  });
});
