// Resources that carry this site's identity and are not in the ledger: written by an engine whose database was lost, by another engine
// with the same site name, or by a copy of a chart. Searched for by type, if the EHR accepts that search.
import type { Resource, ResourceType } from '@medplum/fhirtypes';
import { isRetired, membersOf } from '../../domain/chart/existing-resource.ts';
import { type Identity, identifierSystem } from '../../domain/chart/identity.ts';
import type { Finding, Ledger, OpenFinding } from '../../ports/ledger.ts';
import type { Charts } from './reconcile-charts.ts';

type UnknownParts = {
  readonly ledger: Pick<Ledger, 'knownIdentities'>;
  readonly charts: Charts;
  /** The types that were checked in this pass. */
  readonly types: ReadonlySet<ResourceType>;
  readonly open: readonly OpenFinding[];
};

type UnknownFindings = {
  readonly findings: readonly Finding[];
  readonly judged: readonly Pick<Finding, 'kind' | 'identity'>[];
};

/** The types that a site usually writes, searched even if none of them was due. */
const USUAL_TYPES: readonly ResourceType[] = [
  'Composition',
  'DocumentReference',
  'Condition',
  'RiskAssessment',
  'Flag',
];

export async function findUnknown({ ledger, charts, types, open }: UnknownParts): Promise<UnknownFindings> {
  const { site } = charts;
  const system = identifierSystem(site);
  const references = new Map<string, string[]>();
  const whole = new Set<string>();
  for (const type of new Set([...USUAL_TYPES, ...types])) {
    const answer = await charts.searchBySystem(type, system);
    if (answer === undefined) continue;
    if (answer.isComplete) whole.add(type);
    for (const resource of answer.resources.filter((one) => one.resourceType === type && !isRetired(one))) {
      for (const { value } of identitiesOf(resource, system)) {
        references.set(value, [...(references.get(value) ?? []), `${type}/${resource.id ?? ''}`]);
      }
    }
  }
  const known = await ledger.knownIdentities(site, [...references.keys()]);
  const unknown = [...references].filter(([value]) => !known.has(value));
  const findings = unknown.map(([identity, carriers]): Finding => {
    return { site, kind: 'unknown', identity, references: [...new Set(carriers)].toSorted() };
  });
  const over = open.filter((one) => one.kind === 'unknown' && one.references.every((each) => whole.has(typeOf(each))));
  const lookedFor = await notKnown(ledger, site, over);
  return { findings, judged: [...findings, ...lookedFor].map(({ kind, identity }) => ({ kind, identity })) };
}

/** Findings that the ledger still does not know. A known one is checked by its write, not by a search by type. */
async function notKnown(
  ledger: UnknownParts['ledger'],
  site: string,
  findings: readonly OpenFinding[],
): Promise<readonly OpenFinding[]> {
  const known = await ledger.knownIdentities(
    site,
    findings.map(({ identity }) => identity),
  );
  return findings.filter(({ identity }) => !known.has(identity));
}

/** Filtered again, because servers ignore parameters that they do not know. */
function identitiesOf(resource: Resource, system: string): readonly Identity[] {
  const { identifier, meta } = membersOf(resource);
  const tags = typeof meta === 'object' && meta !== null && 'tag' in meta ? meta.tag : [];
  return [identifier, tags].flat(2).flatMap((one): readonly Identity[] => {
    if (typeof one !== 'object' || one === null || !('system' in one) || one.system !== system) return [];
    const value = 'value' in one ? one.value : 'code' in one ? one.code : undefined;
    return typeof value === 'string' ? [{ system, value }] : [];
  });
}

function typeOf(reference: string): string {
  return reference.slice(0, reference.indexOf('/'));
}
