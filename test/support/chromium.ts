// Finds the system's Chromium for the tests that open pages.
import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export function findChromium(): string | undefined {
  return [process.env['CHROMIUM'] ?? '', ...PLACES].find((place) => place !== '' && existsSync(place));
}

/** Chromium runs without its sandbox, because the tests may run as root, and makes no requests of its own in the background. */
export const CHROMIUM_ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
