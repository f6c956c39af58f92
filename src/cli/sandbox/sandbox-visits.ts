// Names of the sandbox's visits on the command line.
import { CliError } from '../shared/cli-error.ts';

export const SANDBOX_SITE = 'sandbox';

/** Encodes the name of a visit for an address. It may be bare, `Encounter/<name>`, or a scenario (its newest visit). */
export function visitPath(given: string, verb?: string): string {
  const name = given.replace(/^Encounter\//, '');
  if (name === '' || name.includes('/')) {
    throw new CliError('No encounter has this name. List the visits: npm run cli -- sandbox list');
  }
  return `/sandbox/visits/${encodeURIComponent(name)}${verb === undefined ? '' : `/${verb}`}`;
}
