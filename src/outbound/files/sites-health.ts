// Whether all hospitals' files are good, for /readyz. Counts only: anybody may read it.
import type { HealthCheck } from '../../ports/health.ts';
import type { Sites } from '../../ports/sites.ts';

export function makeSitesHealth({ sites }: { readonly sites: Sites }): HealthCheck {
  return async () => {
    const { sites: inForce, stale, problems } = sites.current();
    if (problems.length === 0)
      return { name: 'mappings', status: 'ok', detail: `${count(inForce.size, 'site')} in force.` };
    const old = stale.size === 0 ? '' : `, and ${count(stale.size, 'site')} as last good`;
    const detail = `${count(problems.length, 'problem')} in the mappings: ${count(inForce.size, 'site')} in force${old}. Run npm run cli -- mappings check.`;
    return { name: 'mappings', status: 'degraded', detail };
  };
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
