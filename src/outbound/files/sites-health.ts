// Checks for /readyz whether all sites' files are valid. It returns counts only, because /readyz needs no key.
import type { HealthCheck } from '../../ports/health.ts';
import type { Sites } from '../../ports/sites.ts';

export function makeSitesHealth({ sites }: { readonly sites: Sites }): HealthCheck {
  return async () => {
    const { sites: inForce, stale, unavailable, problems } = sites.current();
    const good = `${count(inForce.size, 'site')} in force`;
    if (problems.length === 0) return { name: 'mappings', status: 'ok', detail: `${good}.` };
    const absent = unavailable.size === 0 ? '' : `; ${count(unavailable.size, 'site')} not in force`;
    const hint = `${count(problems.length, 'problem')}: run npm run cli -- mappings check.`;
    return {
      name: 'mappings',
      status: 'degraded',
      detail: `${good}${asLastGood(stale.size, inForce.size)}${absent}. ${hint}`,
    };
  };
}

function asLastGood(stale: number, all: number): string {
  if (stale === 0) return '';
  return all === 1 ? ', as last good' : `, ${stale} of them as last good`;
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
