// Whether a new document differs from the one in the chart in nothing but the time when it was made. The new result is mapped with the
// time of the earlier run: any difference left is in the content. For an approval it is mapped as the draft that it was.
import type { ChartFacts } from '../../domain/chart/chart.ts';
import type { EhrProfile } from '../../domain/chart/ehr-capabilities.ts';
import { devicePlace, type ExistingDocument } from '../../domain/chart/existing-documents.ts';
import { freezeResource } from '../../domain/chart/frozen-body.ts';
import type { PlanParts } from '../../domain/chart/write-plan.ts';
import { acceptedContent } from '../../domain/chart/write-strategies.ts';
import { MappingError } from '../../domain/mapping/mapping.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { mapChart } from './map-chart.ts';

type ComparisonParts = {
  readonly site: LoadedSite;
  readonly facts: ChartFacts;
  readonly parts: { readonly ledger: Pick<Ledger, 'read'> };
  /** The full URLs of the Devices of the new result. A dry replay does not write them, so the ledger may lack them. */
  readonly devices: readonly string[];
};

type Comparison = Required<Pick<PlanParts, 'isUnchanged' | 'isApproval'>>;
type Bodies = ReadonlyMap<string, string>;

export async function makeComparison(
  { site, facts, parts, devices: own }: ComparisonParts,
  profile: EhrProfile,
): Promise<Comparison> {
  const { takesType } = acceptedContent(profile);
  const devices = await parts.ledger.read(devicePlace(site.name));
  const deviceUrns = new Set([...own, ...devices.flatMap(({ writes }) => writes.map(({ fullUrl }) => fullUrl))]);
  const bodiesOf = (each: ChartFacts): Bodies => {
    const { documents } = mapChart({ site, facts: each, takesType });
    return new Map(documents.map(({ identity, resource }) => [identity.value, freezeResource(resource)]));
  };
  const sameAs = (mapAs: (run: ExistingDocument['run']) => Bodies): PlanParts['isUnchanged'] => {
    const mapped = new Map<string, Bodies>();
    return ({ identity: { system, value } }, { run, body: before }) => {
      const key = JSON.stringify([run.id, run.time]);
      const bodies = mapped.get(key) ?? mapAs(run);
      mapped.set(key, bodies);
      const body = bodies.get(value);
      return body !== undefined && comparable(body, system, deviceUrns) === comparable(before, system, deviceUrns);
    };
  };
  const { review, ...unreviewed } = facts;
  return {
    isUnchanged: sameAs(({ id, time }) => bodiesOf({ ...facts, run: { ...facts.run, id, time } })),
    isApproval: sameAs(({ id, time }) => {
      if (review?.decision !== 'approve') return new Map();
      return draftsOf(() => bodiesOf({ ...unreviewed, run: { ...facts.run, id, time, status: 'preliminary' } }));
    }),
  };
}

/** A mapping may work with approved results only. */
function draftsOf(map: () => Bodies): Bodies {
  try {
    return map();
  } catch (thrown) {
    if (thrown instanceof MappingError) return new Map();
    throw thrown;
  }
}

/** Without what the engine adds to a further version: its id, its number, what it replaces, and the Device that is its author. */
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
