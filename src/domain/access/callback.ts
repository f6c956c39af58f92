// Call-backs: the engine calls an address of the client when its job has ended.
import { isUnencryptedRemote } from '../site/plain-address.ts';

export const CALLBACK_STATES = ['wanted', 'due', 'delivered', 'given-up'] as const;
/** `wanted`: the job has not ended. `due`: it is being delivered, perhaps again. */
export type CallbackState = (typeof CALLBACK_STATES)[number];

const MOST_CHARACTERS = 2_000;

/**
 * Whether the address is at an origin that the operator has allowed for the key. Whole origins are compared. Nothing is resolved, and need not be:
 * only names that the operator has listed are ever called.
 */
export function isAllowedCallback(address: string, origins: readonly string[]): boolean {
  const url =
    address.length <= MOST_CHARACTERS && /^https?:\/\/[\x21-\x7e]+$/.test(address) ? URL.parse(address) : null;
  if (url === null || url.username !== '' || url.password !== '' || address.includes('\\')) return false;
  return origins.includes(url.origin);
}

/** The origin as it is stored; undefined for a text that is none, or that is plain http to another machine. */
export function readCallbackOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || isUnencryptedRemote(text)) return undefined;
  const isBare =
    url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  return isBare ? url.origin : undefined;
}

const SECONDS = [5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 36_000] as const;

/** How long to wait after so many tries; undefined when a day is nearly over. */
export function pauseAfterTries(tries: number): number | undefined {
  const seconds = SECONDS[tries - 1];
  return seconds === undefined ? undefined : seconds * 1_000;
}
