// Passwords of local accounts: which are taken, and how they are stored. The hash holds its parameters, so that they can grow.
import { scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const LEAST_CHARACTERS = 12;
const MOST_CHARACTERS = 200;
/** The commonest of twelve or more characters in published lists, without their digits and marks at the end. */
const COMMONEST: ReadonlySet<string> = new Set([
  'administrator',
  'changeme',
  'chartwright',
  'correcthorsebatterystaple',
  'iloveyou',
  'letmein',
  'letmeinplease',
  'password',
  'passwordpassword',
  'qwertyuiop',
  'qwertyqwerty',
  'qwertyuiopasdf',
  'welcome',
  'welcomewelcome',
  'hospital',
  'adminadmin',
  'adminadminadmin',
  'thisismypassword',
  'mypassword',
  'trustno',
  'abcdefghijkl',
  'abcdefghijklm',
  'asdfghjkl',
  'unbelievable',
]);
const ROWS = [
  '01234567890123456789',
  '98765432109876543210',
  'qwertyuiopasdfghjklzxcvbnm',
  'abcdefghijklmnopqrstuvwxyz',
];

/** What OWASP asks of scrypt: 128 MiB and about a third of a second for each. */
const SCRYPT = { cost: 17, blockSize: 8, parallel: 1 } as const;
export const SALT_BYTES = 16;
const HASH_BYTES = 32;

type Parameters = { readonly cost: number; readonly blockSize: number; readonly parallel: number };

const derive = promisify<string, Uint8Array, number, object, Buffer>(scrypt);

/** Why a new password is not taken; undefined if it is. */
export function passwordProblem(password: string): string | undefined {
  const { length } = [...password];
  if (length < LEAST_CHARACTERS) return `The password must have at least ${LEAST_CHARACTERS} characters`;
  if (length > MOST_CHARACTERS) return `The password must have at most ${MOST_CHARACTERS} characters`;
  const plain = password.toLowerCase();
  const isCommon = COMMONEST.has(plain.replace(/[\d\W_]+$/, '')) || ROWS.some((row) => row.includes(plain));
  const isRepeated = /^(.{1,4}?)\1+.{0,3}$/u.test(plain);
  return isCommon || isRepeated ? 'This password is one of those that are guessed first: take another one' : undefined;
}

export async function hashPassword(
  password: string,
  salt: Uint8Array,
  parameters: Parameters = SCRYPT,
): Promise<string> {
  const { cost, blockSize, parallel } = parameters;
  const hash = await run(password, salt, parameters);
  return ['scrypt', cost, blockSize, parallel, base64(salt), base64(hash)].join('$');
}

/** `isOutdated`: it was hashed with other parameters than those of today. */
export async function checkPassword(
  password: string,
  stored: string,
): Promise<{ readonly isRight: boolean; readonly isOutdated: boolean }> {
  const [, cost, blockSize, parallel, salt = '', hash = ''] =
    /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/.exec(stored) ?? [];
  if (cost === undefined) return { isRight: false, isOutdated: false };
  const parameters = { cost: Number(cost), blockSize: Number(blockSize), parallel: Number(parallel) };
  const expected = Buffer.from(hash, 'base64url');
  const found = await run(password, Buffer.from(salt, 'base64url'), parameters);
  const isRight = found.length === expected.length && timingSafeEqual(found, expected);
  const names = ['cost', 'blockSize', 'parallel'] as const;
  return { isRight, isOutdated: isRight && names.some((name) => parameters[name] !== SCRYPT[name]) };
}

/** Of no password, so that an account without one takes as long as any other. */
export const NOBODYS_HASH = `scrypt$${SCRYPT.cost}$${SCRYPT.blockSize}$${SCRYPT.parallel}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

function run(password: string, salt: Uint8Array, { cost, blockSize, parallel }: Parameters): Promise<Buffer> {
  const N = 2 ** cost;
  // The same text can be typed in several forms.
  const text = password.normalize('NFKC');
  return derive(text, salt, HASH_BYTES, { N, r: blockSize, p: parallel, maxmem: 2 * 128 * N * blockSize });
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
