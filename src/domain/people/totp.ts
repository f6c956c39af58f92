// One-time codes of an authenticator app (RFC 6238, with SHA-1, 6 digits and 30 seconds, which every app knows).
import { createHmac, timingSafeEqual } from 'node:crypto';

export const TOTP_SECRET_BYTES = 20;
const STEP_MS = 30_000;
const DIGITS = 6;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function totpCode(secret: Uint8Array, step: number, digits: number = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', secret).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 0xf;
  const number = hash.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** The time step to which the code belongs: the present one, or one before or after it, for clocks that differ. Undefined for a wrong code. */
export function findTotpStep(secret: Uint8Array, typed: string, now: Date): number | undefined {
  const code = typed.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(code)) return undefined;
  const present = Math.floor(now.getTime() / STEP_MS);
  return [present, present - 1, present + 1].find((step) =>
    timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code)),
  );
}

/** As apps take it typed: base32 in groups of four. */
export function totpSecretText(secret: Uint8Array): string {
  let [text, bits, count] = ['', 0, 0];
  for (const byte of secret) {
    bits = (bits << 8) | byte;
    count += 8;
    while (count >= 5) {
      count -= 5;
      text += LETTERS[(bits >>> count) & 31];
    }
    bits &= (1 << count) - 1;
  }
  if (count > 0) text += LETTERS[(bits << (5 - count)) & 31];
  return text.replace(/.{4}(?=.)/g, '$& ');
}

/** As apps take it by a link. */
export function totpAddress(secret: Uint8Array, account: string): string {
  const query = new URLSearchParams({ secret: totpSecretText(secret).replaceAll(' ', ''), issuer: 'Chartwright' });
  return `otpauth://totp/Chartwright:${encodeURIComponent(account)}?${query}`;
}
