// Is a new document the one that stands there, but for the time when it was made? Told by mapping the new result with the clock of the
// earlier run: what then differs is what was said.
import type { ChartFacts } from '../../domain/chart.ts';
import type { EhrCapabilities, EhrFact } from '../../domain/ehr-capabilities.ts';
import { freezeResource } from '../../domain/frozen-body.ts';
import { devicePlace } from '../../domain/standing-documents.ts';
import { whatIsTaken } from '../../domain/write-ladder.ts';
import type { PlanParts } from '../../domain/write-plan.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { mapChart } from '../map-chart.ts';

type ComparisonParts = {
  readonly site: LoadedSite;
  readonly facts: ChartFacts;
  readonly parts: { readonly ledger: Ledger };
};

type Known = { readonly capabilities: EhrCapabilities; readonly facts: readonly EhrFact[] };

export async function makeComparison(
  { site, facts, parts }: ComparisonParts,
  known: Known,
): Promise<PlanParts['isUnchanged']> {
  const { takesType } = whatIsTaken(known);
  const devices = await parts.ledger.read(devicePlace(site.name));
  const deviceUrns = new Set(devices.flatMap(({ writes }) => writes.map(({ fullUrl }) => fullUrl)));
  const said = new Map<string, ReadonlyMap<string, string>>();
  const saidBy = ({ id, time }: { readonly id: string; readonly time: string }) => {
    const key = JSON.stringify([id, time]);
    const earlier =
      said.get(key) ?? bodiesOf(mapChart({ site, facts: { ...facts, run: { ...facts.run, id, time } }, takesType }));
    said.set(key, earlier);
    return earlier;
  };
  return (document, standing) => {
    const body = saidBy(standing.run).get(document.identity.value);
    if (body === undefined) return false;
    const { system } = document.identity;
    return comparable(body, system, deviceUrns) === comparable(standing.body, system, deviceUrns);
  };
}

function bodiesOf({ documents }: ReturnType<typeof mapChart>): ReadonlyMap<string, string> {
  return new Map(documents.map(({ identity, resource }) => [identity.value, freezeResource(resource)]));
}

/** Without what the engine adds to a further version: its id, its number, what it replaces, and which Device speaks. */
function comparable(body: string, system: string, deviceUrns: ReadonlySet<string>): string {
  const { id: _, relatesTo: __, ...resource } = JSON.parse(body);
  const isOurs = (value: object) => 'system' in value && value.system === system;
  return JSON.stringify(resource, (name, value: unknown) => {
    if (Array.isArray(value))
      return value.filter((item) => !(typeof item === 'object' && item !== null && isOurs(item)));
    if (typeof value === 'object' && value !== null && isOurs(value)) return undefined;
    return name === 'reference' && typeof value === 'string' && deviceUrns.has(value) ? 'device' : value;
  });
}
