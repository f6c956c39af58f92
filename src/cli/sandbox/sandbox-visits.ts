// How the command line names the visits of the sandbox.
import { CliError } from '../shared/cli-error.ts';

export const SANDBOX_SITE = 'sandbox';

/** Visits are taken bare or as `Encounter/<name>`, stories for the newest visit of them; encoded for an address. */
export function visitPath(given: string, verb?: string): string {
  const name = given.replace(/^Encounter\//, '');
  if (name === '' || name.includes('/')) {
    throw new CliError('There is no encounter of such a name: npm run cli -- sandbox list shows them.');
  }
  return `/sandbox/visits/${encodeURIComponent(name)}${verb === undefined ? '' : `/${verb}`}`;
}
