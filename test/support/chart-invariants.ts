// Rules of a chart that hold whatever happened: nothing twice, nothing lost, nothing on another patient, only frozen bytes, nothing deleted,
// nothing of a person overwritten. Each function returns a sentence for each broken rule.
import type { Resource } from '@medplum/fhirtypes';
import type { ChartFacts } from '../../src/domain/chart/chart.ts';
import type { ChartWrite, Revision, WriteOutcome } from '../../src/domain/chart/chart-write.ts';
import { documentUrn, identifierSystem } from '../../src/domain/chart/identity.ts';
import { mapDocuments } from '../../src/flows/chart-writing/map-documents.ts';
import type { LoadedSite } from '../../src/ports/sites.ts';
import type { FakeStore, StoredVersion } from '../fakes/ehr-store.ts';

type ChartParts = { readonly store: FakeStore; readonly site: LoadedSite };

/** The engine's resources by identity and, because identities may be broken, by content. */
export function whatIsTwice({ store, site }: ChartParts): readonly string[] {
  const made = madeByEngine(store).map(([first]) => first);
  const names = made.flatMap(({ resource }) => identitiesOf(resource, site).map((value) => `identity ${value}`));
  // A further record of the same documents has the same content.
  const statements = made.filter(({ resource }) => resource.resourceType !== 'Provenance');
  const contents = statements.map(({ resource }) => `content of a ${resource.resourceType}: ${contentOf(resource)}`);
  return [...repeated(names), ...repeated(contents)].map((name) => `more than once: ${name}`);
}

export function whatIsElsewhere({ store }: ChartParts, patient = 'Patient/p-1'): readonly string[] {
  return madeByEngine(store).flatMap((versions) =>
    versions.flatMap(({ resource, reference }) => {
      const subject = 'subject' in resource ? referenceIn(resource.subject) : undefined;
      return subject === undefined || subject === patient ? [] : [`${reference} is on another patient`];
    }),
  );
}

export function whatIsDeleted({ store }: ChartParts): readonly string[] {
  return store.removed().map((reference) => `${reference} was deleted`);
}

/** Resources of a person that the engine has changed. */
export function whatIsOverwritten({ store }: ChartParts): readonly string[] {
  return store.references().flatMap((reference) => {
    const versions = store.history(reference);
    const touchedAt = versions.findIndex(({ by }) => by === 'person');
    const isOverwritten = touchedAt >= 0 && versions.slice(touchedAt).some(({ by }) => by === 'engine');
    return isOverwritten ? [`${reference} was changed after a person had changed it`] : [];
  });
}

/** Every version that the engine made is, byte for byte, a frozen one, with its urns replaced by the right references. */
export function whatIsNotFrozen({ store, site }: ChartParts, revisions: readonly Revision[]): readonly string[] {
  const writes = revisions.flatMap((revision) => revision.writes);
  return madeByEngine(store)
    .flat()
    .filter(({ by }) => by === 'engine')
    .filter((version) => !writes.some((write) => isSentAs(write, version, { store, site })))
    .map(({ reference, version }) => `version ${version} of ${reference} is not as it was frozen`);
}

function isSentAs(write: ChartWrite, { sent, resource }: StoredVersion, chart: ChartParts): boolean {
  if (resource.resourceType !== write.type) return false;
  const restored = restoreUrns(JSON.parse(write.body), JSON.parse(sent), chart);
  return JSON.stringify(restored) === write.body;
}

/** The sent bytes, with the urn in place of each reference that correctly replaced it. */
function restoreUrns(frozen: unknown, sent: unknown, chart: ChartParts): unknown {
  if (Array.isArray(frozen) && Array.isArray(sent)) {
    return sent.map((item, index) => restoreUrns(frozen[index], item, chart));
  }
  if (!isObject(frozen) || !isObject(sent)) return sent;
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => {
      const urn = frozen[name];
      const isUrn = name === 'reference' && typeof urn === 'string' && urn.startsWith('urn:uuid:');
      if (!isUrn) return [name, restoreUrns(urn, value, chart)];
      return [name, typeof value === 'string' && isNamed(value, urn, chart) ? urn : value];
    }),
  );
}

function isNamed(reference: string, urn: string, { store, site }: ChartParts): boolean {
  const stored = store.get(reference);
  if (stored === undefined) return false;
  const bases = identitiesOf(stored.resource, site).flatMap((value) => [value, value.replace(/\/\d+$/, '')]);
  return bases.some((value) => documentUrn({ system: identifierSystem(site.name), value }) === urn);
}

type Claim = {
  readonly facts: ChartFacts;
  readonly outcome: WriteOutcome;
  /** Types that the EHR does not accept. */
  readonly refused: ReadonlySet<string>;
};

/** For an outcome `written`: each document of the result is in the chart once with its content, unless it was left. */
export function whatIsMissing(chart: ChartParts, { facts, outcome, refused }: Claim): readonly string[] {
  if (outcome.status !== 'written') return [];
  const left = new Set(outcome.left.map(({ document }) => document));
  const { documents } = mapDocuments({ site: chart.site, facts });
  const wanted = documents.filter(
    ({ document, resource }) =>
      resource.resourceType !== 'Provenance' && !refused.has(resource.resourceType) && !left.has(document),
  );
  const missing = wanted.flatMap(({ document, identity, resource }) => {
    const standing = liveOf(chart, identity.value).filter(({ resourceType }) => resourceType === resource.resourceType);
    const current =
      resource.resourceType === 'Device' ? standing : standing.filter((one) => saysTheSame(one, resource));
    // A document that a person has changed may be beside a newer one of the engine or instead of it.
    const ours = current.filter((one) => !isTouched(chart, one));
    const isRight = ours.length === 1 || (ours.length === 0 && current.length > 0);
    return isRight ? [] : [`${document} stands there ${ours.length} times`];
  });
  const names = new Set(documents.map(({ identity }) => identity.value));
  const session = `${facts.encounter.id}/${facts.session.key}/`;
  const surplus = madeByEngine(chart.store)
    .map((versions) => versions.at(-1))
    .filter((version) => version !== undefined)
    .filter(({ resource }) => resource.resourceType === 'Condition' && !isRetired(resource))
    .filter(({ resource }) => !isTouched(chart, resource))
    .flatMap(({ resource }) => identitiesOf(resource, chart.site))
    .filter((value) => value.startsWith(session))
    .filter((value) => !names.has(value) && !names.has(value.replace(/\/\d+$/, '')) && !left.has('condition'));
  return [...missing, ...surplus.map((value) => `${value} stands there and is not meant any more`)];
}

/** For an outcome `retracted`: no document of the session is in force. */
export function whatStillStands(
  { store, site }: ChartParts,
  { facts, outcome }: Pick<Claim, 'facts' | 'outcome'>,
): readonly string[] {
  if (outcome.status !== 'retracted') return [];
  const session = `${facts.encounter.id}/${facts.session.key}/`;
  // A person may bring a retracted document into force again.
  return madeByEngine(store)
    .filter(([first, ...later]) => ![first, ...later].some(({ resource }) => isRetired(resource)))
    .map(([first]) => first)
    .filter(({ resource }) => resource.resourceType !== 'Provenance')
    .filter(({ resource }) => identitiesOf(resource, site).some((value) => value.startsWith(session)))
    .map(({ reference }) => `${reference} is still in force after it was taken back`);
}

function liveOf({ store, site }: ChartParts, base: string): readonly Resource[] {
  return store.all().filter((resource) => {
    const names = identitiesOf(resource, site);
    return !isRetired(resource) && names.some((value) => value === base || value.replace(/\/\d+$/, '') === base);
  });
}

function isTouched({ store }: ChartParts, { resourceType, id }: Resource): boolean {
  return store.history(`${resourceType}/${id}`).some(({ by }) => by === 'person');
}

/** Without the time and the references, which may be those of an earlier run. */
function saysTheSame(standing: Resource, meant: Resource): boolean {
  const words = (resource: Resource) => {
    const { description, section, code } = membersOf(resource);
    return JSON.stringify([description, section, code]);
  };
  return words(standing) === words(meant);
}

export function isRetired(resource: Resource): boolean {
  const { status, verificationStatus } = membersOf(resource);
  return status === 'entered-in-error' || JSON.stringify(verificationStatus ?? '').includes('entered-in-error');
}

/** The resources that the engine created, each with all its versions. */
function madeByEngine(store: FakeStore): readonly (readonly [StoredVersion, ...StoredVersion[]])[] {
  return store.references().flatMap((reference) => {
    const [first, ...later] = store.history(reference);
    return first?.by === 'engine' ? [[first, ...later] as const] : [];
  });
}

/** The engine's own identities of a resource. */
function identitiesOf(resource: Resource, site: LoadedSite): readonly string[] {
  const system = identifierSystem(site.name);
  const { identifier, meta } = membersOf(resource);
  const tags = isObject(meta) && Array.isArray(meta['tag']) ? meta['tag'] : [];
  return [identifier, ...tags]
    .flat()
    .filter((one) => isObject(one) && one['system'] === system)
    .map((one) => String(one['value'] ?? one['code']));
}

/** The whole content without identities and references. */
function contentOf(resource: Resource): string {
  const { id: _id, meta: _meta, identifier: _identifier, ...content } = membersOf(resource);
  return JSON.stringify(content, (name, value) =>
    name === 'reference' && !/^(Patient|Encounter)\//.test(value) ? '' : value,
  );
}

function repeated(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}

function referenceIn(value: unknown): string | undefined {
  return isObject(value) && typeof value['reference'] === 'string' ? value['reference'] : undefined;
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(resource: Resource): { readonly [name in Member]?: unknown } {
  return resource;
}

type Member = 'id' | 'meta' | 'identifier' | 'status' | 'verificationStatus' | 'description' | 'section' | 'code';

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
