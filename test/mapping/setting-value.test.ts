import { describe, expect, it } from '@jest/globals';
import { makeReadSetting, type SettingAnswer } from '../../src/mapping/setting-value.ts';

const ENCOUNTER = { resourceType: 'Encounter', id: 'e-1', status: 'finished', class: { code: 'EMER' } };
const PATIENT = {
  resourceType: 'Patient',
  id: 'p-1',
  birthDate: '2012-11-22',
  communication: [{ language: { text: 'es' } }],
};
const TIME = '2026-11-21T10:00:00Z';

function answer(expression: string, changes: Record<string, unknown> = {}, hasBareNames = false): SettingAnswer {
  const input = { encounter: ENCOUNTER, patient: PATIENT, time: TIME, timeZone: 'UTC', ...changes };
  return makeReadSetting()(expression, input, { hasBareNames });
}

describe('a setting that is an expression', () => {
  it('a test of the patient or the encounter is answered with true or false', () => {
    expect(answer("%encounter.class.code = 'EMER'")).toEqual({ kind: 'value', value: true });
    expect(answer('%patient.ageYears() in (12..17)')).toEqual({ kind: 'value', value: true });
    expect(answer('%patient.ageYears() < 13')).toEqual({ kind: 'value', value: false });
    expect(answer("%context.encounter.status = 'finished' and %patient.exists()")).toEqual({
      kind: 'value',
      value: true,
    });
  });

  it('a text is answered as a text', () => {
    expect(answer('%patient.communication.language.text')).toEqual({ kind: 'value', value: 'es' });
  });

  it('ageYears() counts to the time of the input', () => {
    const older = { time: '2026-11-22T00:00:01Z' };
    expect(answer('%patient.ageYears() = 14', older)).toEqual({ kind: 'value', value: true });
  });

  it('bare names read the encounter if the setting allows them', () => {
    expect(answer("status = 'finished'", {}, true)).toEqual({ kind: 'value', value: true });
    expect(answer("status = 'finished'")).toMatchObject({ kind: 'failed' });
    expect(answer('$this.id', {}, true)).toEqual({ kind: 'value', value: 'e-1' });
  });

  it('an empty result is neither true nor false', () => {
    expect(answer('%encounter.period.start')).toEqual({ kind: 'empty' });
    expect(answer('%patient.active', { patient: null })).toEqual({ kind: 'empty' });
    expect(answer('%patient.active', { patient: undefined })).toEqual({ kind: 'empty' });
  });

  it('a failed evaluation has a reason without a value of the chart', () => {
    const born = { patient: { ...PATIENT, birthDate: 'SECRET-DAY' } };
    const failed = answer('%patient.ageYears() > 1', born);
    expect(failed.kind).toBe('failed');
    expect(JSON.stringify(failed)).not.toContain('SECRET');
    expect(answer('%encounter.class')).toMatchObject({ kind: 'failed' });
    expect(answer("('a' | 'b')")).toMatchObject({ kind: 'failed' });
    expect(answer('this is (no expression')).toMatchObject({ kind: 'failed' });
  });

  it('a chart that exhausts the budget ends as a failure', () => {
    const many = {
      encounter: { ...ENCOUNTER, participant: Array.from({ length: 2_000 }, (_, id) => ({ id: `${id}` })) },
    };
    const answered = answer('%encounter.participant.where(%encounter.participant.id contains id).exists()', many);
    expect(answered).toEqual({ kind: 'failed', why: 'it does far more than a setting needs' });
  });

  it('each evaluation has its own budget, and the cache of expressions keeps its limit', () => {
    const readSetting = makeReadSetting({ maxCached: 2, limits: { steps: 50, characters: 1_000 } });
    const input = { encounter: ENCOUNTER, patient: PATIENT, time: TIME, timeZone: 'UTC' };
    for (let round = 0; round < 50; round++) {
      for (const status of ['finished', 'planned', 'arrived']) {
        const value = status === 'finished';
        expect(readSetting(`%encounter.status = '${status}'`, input)).toEqual({ kind: 'value', value });
      }
    }
  });
});
