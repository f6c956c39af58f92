// Passwords, one-time codes and waits of local accounts.
import { describe, expect, it } from '@jest/globals';
import { makeGrowingWaits } from '../../../src/domain/people/growing-wait.ts';
import { checkPassword, hashPassword, NOBODYS_HASH, passwordProblem } from '../../../src/domain/people/password.ts';
import { findTotpStep, totpAddress, totpCode, totpSecretText } from '../../../src/domain/people/totp.ts';

const SALT = Buffer.from('a made-up salt..');
const CHEAP = { cost: 10, blockSize: 8, parallel: 1 } as const;

describe('a password', () => {
  it.each([
    'short',
    'elevenchars',
    'password1234',
    'Password1234!',
    '123456789012',
    'aaaaaaaaaaaa',
    'abcabcabcabc',
    'Qwertyuiop12',
  ])('is not taken if it is short or among the first to be guessed: %s', (password) => {
    expect(passwordProblem(password)).toBeDefined();
  });

  it.each(['mauve tractor 7 lamps', 'Grüße aus dem Flur', '🐎🔋📎🌧🐎🔋📎🌧🍋🍇🍉🫐'])(
    'is taken if it is not guessed first: %s',
    (password) => {
      expect(passwordProblem(password)).toBeUndefined();
    },
  );

  it('is checked against its hash, which does not hold it', async () => {
    const hash = await hashPassword('mauve tractor 7 lamps', SALT);
    expect(hash).not.toContain('mauve');
    expect(await checkPassword('mauve tractor 7 lamps', hash)).toEqual({ isRight: true, isOutdated: false });
    expect(await checkPassword('mauve tractor 7 lamp', hash)).toEqual({ isRight: false, isOutdated: false });
    expect(await checkPassword('mauve tractor 7 lamps', NOBODYS_HASH)).toMatchObject({ isRight: false });
  });

  it('is right in each form in which it can be typed, and its hash is outdated with other parameters', async () => {
    const hash = await hashPassword('Gru\u0308ße aus dem Flur', SALT, CHEAP);
    expect(await checkPassword('Gr\u00fcße aus dem Flur', hash)).toEqual({ isRight: true, isOutdated: true });
    expect(await checkPassword('anything', 'no hash')).toEqual({ isRight: false, isOutdated: false });
  });
});

describe('a one-time code', () => {
  const secret = Buffer.from('12345678901234567890');

  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('is that of RFC 6238 at second %d', (seconds, code) => {
    expect(totpCode(secret, Math.floor(seconds / 30), 8)).toBe(code);
  });

  it('is found one step each way, and no further', () => {
    const now = new Date(1_000_000 * 30_000 + 7_000);
    const found = [-2, -1, 0, 1, 2].map((offset) => findTotpStep(secret, totpCode(secret, 1_000_000 + offset), now));
    expect(found).toEqual([undefined, 999_999, 1_000_000, 1_000_001, undefined]);
    expect(findTotpStep(secret, '12345', now)).toBeUndefined();
    expect(
      findTotpStep(secret, `${totpCode(secret, 1_000_000).slice(0, 3)} ${totpCode(secret, 1_000_000).slice(3)}`, now),
    ).toBe(1_000_000);
  });

  it('has a secret that can be typed or scanned', () => {
    expect(totpSecretText(secret)).toBe('GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ');
    expect(totpAddress(secret, 'a b')).toBe(
      'otpauth://totp/Chartwright:a%20b?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Chartwright',
    );
  });
});

describe('the wait after failures', () => {
  it('begins after five, grows, never lasts longer than five minutes, and ends with a success or an hour', () => {
    const waits = makeGrowingWaits();
    let now = new Date('2026-03-02T10:00:00Z');
    const seconds = [];
    for (let count = 0; count < 20; count++) {
      waits.failed('ada', now);
      seconds.push(waits.msLeft('ada', now) / 1_000);
      now = new Date(now.getTime() + waits.msLeft('ada', now));
    }
    expect(seconds.slice(0, 8)).toEqual([0, 0, 0, 0, 1, 2, 4, 8]);
    expect(Math.max(...seconds)).toBe(300);
    expect(waits.msLeft('another', now)).toBe(0);
    waits.failed('ada', now);
    expect(waits.msLeft('ada', new Date(now.getTime() + 3_600_000))).toBe(0);
    waits.failed('ada', now);
    waits.succeeded('ada');
    expect(waits.msLeft('ada', now)).toBe(0);
  });
});
