import { describe, expect, it } from '@jest/globals';
import { LookAgain } from '../../../src/domain/chart/look-again.ts';
import { EhrLimit } from '../../../src/domain/ehr-limit.ts';
import { AppError, ERROR_CODES, type ErrorCode } from '../../../src/domain/errors.ts';
import { LinkRefusal } from '../../../src/domain/recording/link-refusal.ts';
import { endOfFailure, type FailureParts, MAX_TRIES } from '../../../src/domain/run/run-failure.ts';

const NOW = new Date('2026-05-04T10:00:00Z');

function fail(code: ErrorCode, changes: Partial<FailureParts> & { readonly retryAfterSeconds?: number } = {}) {
  const { retryAfterSeconds, ...parts } = changes;
  const error = new AppError(code, 'What happened.', retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
  return endOfFailure({
    error,
    run: { tries: 0, site: 'mercy' },
    step: 'write-note',
    now: NOW,
    chance: 0,
    ...parts,
  });
}

function secondsUntil(end: ReturnType<typeof endOfFailure>): number {
  if (end.status !== 'waiting') throw new Error(`it does not wait: ${end.status}`);
  return (end.until.getTime() - NOW.getTime()) / 1000;
}

describe('a run whose step failed', () => {
  it('it is tried again after 1, 2, 4 and 8 seconds, and then it is parked', () => {
    const ends = [0, 1, 2, 3].map((tries) => fail('vendorAnswer', { run: { tries, site: 'mercy' } }));
    expect(ends.map(secondsUntil)).toEqual([1, 2, 4, 8]);
    for (const end of ends) expect(end).toMatchObject({ status: 'waiting', reason: 'retry', countsAsTry: true });
    const last = fail('vendorAnswer', { run: { tries: MAX_TRIES - 1, site: 'mercy' } });
    expect(last).toMatchObject({ status: 'parked', reason: 'tries' });
    expect(last).toHaveProperty('advice', expect.stringMatching(/replay/i));
  });

  it('runs that failed together are not tried again at the same moment', () => {
    expect(secondsUntil(fail('vendorAnswer', { chance: 0.5, run: { tries: 3, site: 'mercy' } }))).toBeCloseTo(8.8);
  });

  it('a wait that a service asks for is respected, up to an hour', () => {
    expect(secondsUntil(fail('ehrUncertain', { retryAfterSeconds: 150 }))).toBe(150);
    expect(secondsUntil(fail('ehrUncertain', { retryAfterSeconds: 86_400 }))).toBe(3600);
  });

  it('a look for a write that is not in the chart yet costs no attempt', () => {
    const error = new LookAgain('It is not known yet.', 8);
    const parts = { error, run: { tries: MAX_TRIES - 1, site: 'mercy' }, step: 'write-chart', now: NOW } as const;
    const ends = [0, 0.999].map((chance) => endOfFailure({ ...parts, chance }));
    for (const end of ends) expect(end).toMatchObject({ status: 'waiting', reason: 'retry', countsAsTry: false });
    expect(ends.map(secondsUntil).every((seconds) => seconds >= 8 && seconds < 10)).toBe(true);
  });

  it('runs that wait for the limit of an EHR cost no attempt, and return over some seconds and never too early', () => {
    const error = new EhrLimit({ site: 'mercy', waitMs: 2_000, now: NOW });
    const circuit = { isOwnFault: false, retryInMs: 0 };
    const parts = {
      error,
      circuit,
      service: 'ehr/mercy',
      run: { tries: MAX_TRIES - 1, site: 'mercy' },
      now: NOW,
    } as const;
    const ends = [0, 0.5, 0.999].map((chance) => endOfFailure({ ...parts, step: 'read-chart', chance }));
    for (const end of ends) expect(end).toMatchObject({ reason: 'ehr', waitsFor: 'ehr/mercy', countsAsTry: false });
    const [first = 0, second = 0, last = 0] = ends.map(secondsUntil);
    expect(first).toBe(2);
    expect(second).toBeGreaterThan(4);
    expect(last).toBeGreaterThan(7);
  });

  it('a service that is down costs no attempt, and is named', () => {
    const line = { isOwnFault: false, retryInMs: 20_000 };
    const end = fail('vendorUnavailable', { service: 'speech', circuit: line, run: { tries: 4, site: 'mercy' } });
    expect(end).toMatchObject({ status: 'waiting', reason: 'speech', waitsFor: 'speech', countsAsTry: false });
    expect(secondsUntil(end)).toBe(20);
    expect(fail('ehrUnavailable', { service: 'ehr/mercy', circuit: line })).toMatchObject({
      reason: 'ehr',
      waitsFor: 'ehr/mercy',
    });
  });

  it('a failure of a service that serves other runs counts', () => {
    const end = fail('vendorUnavailable', { service: 'speech', circuit: { isOwnFault: true, retryInMs: 1000 } });
    expect(end).toMatchObject({ status: 'waiting', reason: 'retry', countsAsTry: true });
    expect(end).not.toHaveProperty('waitsFor');
  });

  it('a missing configuration is waited for', () => {
    expect(fail('notConfigured')).toMatchObject({ status: 'waiting', reason: 'engines', countsAsTry: false });
  });

  it('a recording without speech or medical content is no failure', () => {
    expect(fail('noSpeech')).toMatchObject({ status: 'skipped', reason: 'no-speech' });
    expect(fail('notMedical')).toMatchObject({ status: 'skipped', reason: 'not-medical' });
  });

  it('a permanent failure parks the run with its reason', () => {
    expect(fail('unsupportedMedia', { step: 'fetch-recording' })).toMatchObject({
      status: 'parked',
      reason: 'recording',
    });
    expect(fail('ehrRefused', { step: 'read-chart' })).toMatchObject({ status: 'parked', reason: 'ehr-refused' });
    expect(fail('invalidRequest', { step: 'map' })).toMatchObject({ status: 'parked', reason: 'mapping' });
  });

  it('an engine that stops releases the run', () => {
    expect(fail('shuttingDown')).toEqual({ status: 'queued' });
    expect(fail('cancelled')).toEqual({ status: 'queued' });
  });

  it.each(Object.keys(ERROR_CODES) as ErrorCode[])('%s has an end that says what to do', (code) => {
    for (const step of ['read-chart', 'transcribe', 'write-chart', undefined] as const) {
      const end = fail(code, { step, run: { tries: MAX_TRIES - 1, site: 'mercy' } });
      if (end.status !== 'parked') continue;
      expect(end.message).not.toBe('');
      expect(end.advice).toMatch(/\.$/);
    }
  });
});

describe('a run whose recording is at another server than the EHR', () => {
  const parts = { run: { tries: 0, site: 'mercy' }, step: 'fetch-recording', now: NOW, chance: 0 } as const;
  const refuse = (...refusal: ConstructorParameters<typeof LinkRefusal>) =>
    endOfFailure({ ...parts, error: new LinkRefusal(...refusal) });

  it('it is parked with the setting that allows the server, and not with a hint at the credentials', () => {
    const end = refuse('ehrRefused', 'mercy: the link leads to https://media.example.org', { owner: 'unlisted' });
    expect(end).toMatchObject({
      status: 'parked',
      reason: 'recording',
      message: expect.stringContaining('https://media.example.org'),
      advice: expect.stringMatching(/recording\.origins in mappings\/mercy\/site\.yaml/),
    });
    expect(end).not.toHaveProperty('advice', expect.stringContaining('ehr.auth'));
  });

  it('it is parked as a matter of that server if a listed one refuses its links', () => {
    const end = refuse('ehrRefused', 'mercy: refused (403)', { owner: 'listed', status: 403 });
    expect(end).toMatchObject({ status: 'parked', reason: 'recording', advice: expect.stringContaining('links') });
    expect(end).not.toHaveProperty('advice', expect.stringContaining('ehr.auth'));
  });

  it('it is parked as a matter of the credentials if the EHR itself refuses', () => {
    const end = refuse('ehrRefused', 'mercy: refused (403)', { owner: 'ehr', status: 403 });
    expect(end).toMatchObject({ reason: 'ehr-refused', advice: expect.stringContaining('ehr.auth') });
  });
});
