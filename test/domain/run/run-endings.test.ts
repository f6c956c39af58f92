// The small decisions about how a run ends, and what it sends.
import { describe, expect, it } from '@jest/globals';
import { outcomeOf } from '../../../src/domain/run/outcome-event.ts';
import { endOfRefusal } from '../../../src/domain/run/refusal-end.ts';
import type { RunEnd } from '../../../src/domain/run/run-end.ts';
import { requireResult } from '../../../src/domain/run/step-results.ts';
import { unsupportedLanguage } from '../../../src/domain/run/unsupported-language.ts';

const UNTIL = new Date('2026-01-15T10:30:00Z');
const WAITING: RunEnd = { status: 'waiting', reason: 'ehr', until: UNTIL, countsAsTry: false, message: 'It is down.' };

describe('the outcome event of an end', () => {
  it.each([
    ['written', { status: 'written', resources: [], left: [] }, 'documented'],
    ['retracted', { status: 'retracted', resources: [], left: [] }, 'retracted'],
    ['parked', { status: 'parked', reason: 'mapping', message: 'It failed.' }, 'parked'],
    ['skipped', { status: 'skipped', reason: 'off', message: 'It is off.' }, 'skipped'],
    ['held', { status: 'held', reason: 'review', message: 'It waits.' }, 'held'],
  ] as const)('a run that ends as %s sends one', (_status, end, kind) => {
    expect(outcomeOf(end)).toBe(kind);
  });

  it.each([
    ['waits', WAITING],
    ['goes back to the queue', { status: 'queued' }],
    ['was cancelled', { status: 'cancelled' }],
  ] as const)('a run that %s sends none', (_title, end) => {
    expect(outcomeOf(end)).toBeUndefined();
  });
});

describe('a language that is not supported', () => {
  const settings = (unsupported: 'hold' | 'skip') => ({ language: { speech: 'detect', note: 'en', unsupported } });

  it('skips the run if the site says so', () => {
    expect(unsupportedLanguage(settings('skip'), 'recording')).toMatchObject({ status: 'skipped', reason: 'language' });
  });

  it('holds the run for a person otherwise', () => {
    expect(unsupportedLanguage(settings('hold'), 'note')).toMatchObject({
      status: 'held',
      reason: 'language',
      advice: expect.any(String),
    });
  });
});

describe('a permission that is refused', () => {
  const refusal = (then: 'hold' | 'skip') =>
    ({ isGranted: false, then, reason: 'consent', message: 'The patient does not consent.' }) as const;

  it('skips the run if the refusal is final', () => {
    expect(endOfRefusal(refusal('skip'))).toEqual({
      status: 'skipped',
      reason: 'consent',
      message: 'The patient does not consent.',
    });
  });

  it('holds the run and says what to do if a person may decide', () => {
    expect(endOfRefusal(refusal('hold'))).toMatchObject({ status: 'held', advice: expect.any(String) });
  });
});

describe('the result of an earlier step', () => {
  it('a missing result names the step', () => {
    expect(() => requireResult({}, 'transcribe')).toThrow('the result of transcribe is missing');
  });
});
