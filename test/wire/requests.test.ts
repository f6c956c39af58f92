import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { AppError } from '../../src/domain/errors.ts';
import { validate } from '../../src/inbound/http/body/validate.ts';
import { createKeyBody, keyListQuery, rotateKeyBody } from '../../src/wire/keys.ts';
import { planBody, planPath } from '../../src/wire/plans.ts';
import { usageQuery } from '../../src/wire/usage.ts';

function problems(schema: z.ZodType, value: unknown): readonly string[] {
  try {
    validate(schema, value);
    return [];
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'invalidRequest') return thrown.details ?? [];
    throw thrown;
  }
}

const NAME_RULE = 'must be 1 to 200 characters without control characters';

describe('a request for a key', () => {
  it('needs an organization and nothing else', () => {
    expect(validate(createKeyBody, { organization: ' Clínica São João ' })).toEqual({
      organization: 'Clínica São João',
    });
    expect(problems(createKeyBody, {})).toEqual([`organization is required and ${NAME_RULE}`]);
  });

  it.each(['', '  ', 'x'.repeat(201), 'a\nb', 'a\u0000b', 'esc\u001b[31m', '\ud800', 'a\u2028b', 7, null])(
    'refuses the organization %j',
    (organization) => {
      expect(problems(createKeyBody, { organization })).toContain(`organization ${NAME_RULE}`);
    },
  );

  it('takes an organization of exactly 200 characters', () => {
    expect(problems(createKeyBody, { organization: 'x'.repeat(200) })).toEqual([]);
  });

  it.each([
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T08:00:00Z', '2027-01-31T08:00:00.000Z'],
    ['2027-01-31T08:00:00.5+02:00', '2027-01-31T06:00:00.500Z'],
  ])('accepts the expiry %s', (given, meant) => {
    expect(validate(createKeyBody, { organization: 'x', expiresAt: given }).expiresAt?.toISOString()).toBe(meant);
  });

  it.each([
    '2026-02-30',
    '0000-01-01',
    '9999-12-31',
    '2027-01-31T08:00:00',
    '2027-01-31T08:00:00+26:00',
    'tomorrow',
    '1e400',
    7,
  ])('refuses the expiry %j', (expiresAt) => {
    const [problem, ...others] = problems(createKeyBody, { organization: 'x', expiresAt });
    expect(problem).toMatch(/^expiresAt must be /);
    expect(others).toEqual([]);
  });

  it('refuses an unknown field, so that a misspelt expiresAt does not make a key without expiry', () => {
    expect(problems(createKeyBody, { organization: 'x', expires: '2027-01-31' })).toEqual([
      'unknown fields: "expires"',
    ]);
  });

  it.each(['Standard', 'a b', 'x'.repeat(65), '../x', '__proto__'])('refuses the plan name %j', (plan) => {
    expect(problems(createKeyBody, { organization: 'x', plan })).toEqual(['plan must be 1 to 64 of a-z, 0-9 and -']);
    expect(problems(planPath, { name: plan })).toEqual(['name must be 1 to 64 of a-z, 0-9 and -']);
  });
});

describe('a rotation', () => {
  it('has an overlap of one day by default', () => {
    expect(validate(rotateKeyBody, {})).toEqual({ overlapHours: 24 });
  });

  it.each([0, 0.5, 720])('takes an overlap of %j hours', (overlapHours) => {
    expect(problems(rotateKeyBody, { overlapHours })).toEqual([]);
  });

  it.each([-1, 720.1, '24', null, Number.POSITIVE_INFINITY])('refuses an overlap of %j hours', (overlapHours) => {
    expect(problems(rotateKeyBody, { overlapHours })).toEqual(['overlapHours must be a number from 0 to 720']);
  });
});

describe('a plan', () => {
  it('may have no limits, or a limit of zero', () => {
    expect(validate(planBody, {})).toEqual({});
    expect(validate(planBody, { requestsPerMonth: 0 })).toEqual({ requestsPerMonth: 0 });
  });

  it.each([-1, 1.5, '60', 1e12, null])('refuses a limit of %j', (requestsPerMinute) => {
    expect(problems(planBody, { requestsPerMinute })).toEqual([
      'requestsPerMinute must be a whole number from 0 to 1000000000; leave it out for no limit',
    ]);
  });

  it('refuses an unknown field, so that a misspelt limit is not ignored', () => {
    expect(problems(planBody, { requestPerMinute: 5 })).toEqual(['unknown fields: "requestPerMinute"']);
  });

  it('names only the beginning of unknown fields, however many and long they are', () => {
    const body = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${index}${'x'.repeat(5000)}`, 1]));
    expect(problems(planBody, body).join().length).toBeLessThan(300);
  });
});

describe('queries of the operator', () => {
  it.each(['0', '501', '-1', '5.5', 'all', '99999'])('a page of %j keys is refused', (limit) => {
    expect(problems(keyListQuery, { limit })).toEqual(['limit must be a whole number from 1 to 500']);
  });

  it('a page may have up to 500 keys', () => {
    expect(validate(keyListQuery, { limit: '500', cursor: '' })).toEqual({ limit: 500, cursor: undefined });
  });

  it('a key is named bare or as Key/<id>', () => {
    expect(validate(usageQuery, { key: '0123456789abcdef' }).key).toBe('0123456789abcdef');
    expect(validate(usageQuery, { key: 'Key/0123456789abcdef' }).key).toBe('0123456789abcdef');
    expect(problems(usageQuery, { key: 'cw_0123456789abcdef_secret' })).toEqual([
      'key must be the id of a key: 16 of 0-9 and a-f',
    ]);
  });

  it('an unknown filter is refused, so that a misspelt filter does not return the usage of all', () => {
    expect(problems(usageQuery, { organisation: 'mercy' })).toEqual(['unknown fields: "organisation"']);
  });

  it('a filter that is given twice is refused', () => {
    expect(problems(usageQuery, { organization: ['a', 'b'] })).toEqual([`organization ${NAME_RULE}`]);
    expect(problems(usageQuery, { format: 'xml' })).toEqual(['format must be one of json, csv']);
  });
});
