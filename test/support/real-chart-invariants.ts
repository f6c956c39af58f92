// Rules of the charts of a real EHR that hold whatever it did wrong, checked in its store and its log of writes: nothing twice, nothing
// lost, nothing on another patient, nothing deleted, nothing of a person overwritten. Each function returns a sentence for each broken
// rule, with names of documents and references only.
import type { Resource } from '@medplum/fhirtypes';
import type { ChartFacts } from '../../src/domain/chart/chart.ts';
import type { WriteOutcome } from '../../src/domain/chart/chart-write.ts';
import { devicePlace, summarizeSession } from '../../src/domain/chart/existing-documents.ts';
import { identifierSystem } from '../../src/domain/chart/identity.ts';
import { acceptedContent } from '../../src/domain/chart/write-strategies.ts';
import { mapChart } from '../../src/flows/chart-writing/map-chart.ts';
import type { Ehr } from '../../src/ports/ehr.ts';
import type { LoadedSite } from '../../src/ports/sites.ts';
import type { AcceptedWrite } from '../../src/sandbox/fhir/sandbox-store.ts';
import { placeOf, type RealHospital } from './real-charts.ts';

/** The patient and the encounter of a session's documents. */
export type Belonging = { readonly patient: string; readonly encounter: string };

type Made = {
  readonly reference: string;
  readonly resource: Resource;
  readonly log: readonly AcceptedWrite[];
  /** The engine's identities of a resource. */
  readonly names: readonly string[];
};

const ENGINE = 'client';

/** Checks all writes of the engine. `belonging` by encounter: its patient, and the patients after a merge. */
export async function whatIsWrong(
  hospital: RealHospital,
  belongings: readonly Belonging[],
): Promise<readonly string[]> {
  const made = madeByEngine(hospital);
  return [
    ...twice(made),
    ...elsewhere(made, belongings),
    ...dangling(made, hospital),
    ...byLog(hospital),
    ...(await lostOfLedger(hospital)),
  ];
}

function madeByEngine({ store, site }: RealHospital): readonly Made[] {
  const byReference = Map.groupBy(store.writes(), ({ type, id }) => `${type}/${id}`);
  return [...byReference].flatMap(([reference, log]) => {
    const resource = store.get(reference);
    const isOurs = log[0]?.author === ENGINE && resource !== undefined;
    return isOurs ? [{ reference, resource, log, names: namesOf(resource, site) }] : [];
  });
}

function twice(made: readonly Made[]): readonly string[] {
  const live = made.filter(({ resource }) => !isRetired(resource));
  const names = live.flatMap((one) => one.names.map((name) => documentIn(one, name)));
  // The same content under two identities.
  const contents = live
    .filter(({ resource }) => resource.resourceType !== 'Provenance')
    .map(({ resource }) => contentOf(resource));
  // Of several documents of one name each but the first refers to the one that it replaces or appends.
  const documents = live.filter(({ resource }) => DOCUMENTS.has(resource.resourceType));
  const ofOneName = [...Map.groupBy(documents, (one) => documentIn(one, baseOf(one.names[0] ?? ''))).values()];
  const unrelated = ofOneName.flatMap((several) =>
    several.filter(({ resource }) => !('relatesTo' in resource)).slice(1),
  );
  return [
    ...unrelated.map(({ reference }) => `a second document that says nothing of the first: ${reference}`),
    ...repeated(names).map((name) => `twice in the chart: ${name}`),
    ...repeated(contents).map((content) => `the same said twice by a ${JSON.parse(content).resourceType}`),
    ...made.filter((one) => one.names.length !== 1).map(({ reference }) => `without a name, or with two: ${reference}`),
  ];
}

const DOCUMENTS = new Set(['Composition', 'DocumentReference']);
const STATEMENTS = new Set(['Condition', 'RiskAssessment', 'Flag', 'Device']);

function documentIn({ resource }: Made, name: string): string {
  return `${resource.resourceType} ${name}`;
}

/** Checks the patient of each, the encounter if there is one, and both in the identity. */
function elsewhere(made: readonly Made[], belongings: readonly Belonging[]): readonly string[] {
  return made.flatMap(({ reference, resource, names }) => {
    if (resource.resourceType === 'Device') return [];
    const encounter = names[0]?.split('/')[0];
    const allowed = belongings.filter((one) => one.encounter === encounter);
    if (allowed.length === 0) return [`${reference} is of a session that nobody wrote`];
    const text = JSON.stringify(resource);
    const patients = new Set([...text.matchAll(/"Patient\/([^"]+)"/g)].map(([, id]) => id));
    const encounters = new Set([...text.matchAll(/"Encounter\/([^"]+)"/g)].map(([, id]) => id));
    const isRight =
      [...patients].every((id) => allowed.some(({ patient }) => patient === id)) &&
      [...encounters].every((id) => id === encounter);
    const isNamed = patients.size === 1 || resource.resourceType === 'Provenance';
    return isRight && isNamed ? [] : [`${reference} is on another patient or encounter`];
  });
}

/** Each reference leads to an existing resource. */
function dangling(made: readonly Made[], { store }: RealHospital): readonly string[] {
  return made.flatMap(({ reference, resource }) => {
    const text = JSON.stringify(resource);
    const urns = text.includes('"urn:uuid:') ? [`${reference} points at what it has no name for`] : [];
    const gone = [...text.matchAll(/"reference":"([A-Z][A-Za-z]+\/[^"]+)"/g)]
      .map(([, target = '']) => target)
      .filter((target) => store.get(target) === undefined && !isPerson(target))
      .map((target) => `${reference} points at a ${target.split('/')[0]} that is not there`);
    return [...urns, ...gone];
  });
}

/** Patients may be deleted, and reviewers are not in these charts. */
function isPerson(reference: string): boolean {
  return /^(Patient|Practitioner)\//.test(reference);
}

function byLog({ store }: RealHospital): readonly string[] {
  const byReference = Map.groupBy(store.writes(), ({ type, id }) => `${type}/${id}`);
  return [...byReference].flatMap(([reference, log]) => {
    const authors = log.map(({ author }) => author);
    const touchedAt = authors.findIndex((author) => author !== ENGINE);
    const isOverwritten = touchedAt > 0 && authors.slice(touchedAt).includes(ENGINE);
    const isForeign = authors[0] !== ENGINE && authors.includes(ENGINE);
    const isDeleted = log.some(({ author, method }) => author === ENGINE && method === 'DELETE');
    return [
      ...(isForeign ? [`${reference} was changed, and was never the engine's`] : []),
      ...(isOverwritten ? [`${reference} was changed after a person had changed it`] : []),
      ...(isDeleted ? [`${reference} was deleted`] : []),
    ];
  });
}

async function lostOfLedger({ store, site, ledger }: RealHospital): Promise<readonly string[]> {
  const places = [placeOf(site), devicePlace(site.name)];
  const revisions = (await Promise.all(places.map((place) => ledger.read(place)))).flat();
  const { documents, older } = summarizeSession(revisions);
  const deleted = new Set(
    store.writes().flatMap(({ method, type, id }) => (method === 'DELETE' ? [`${type}/${id}`] : [])),
  );
  return [...documents.values(), ...older]
    .filter(({ reference }) => store.get(reference) === undefined && !deleted.has(reference))
    .map(({ reference }) => `the ledger names ${reference}, which is not there`);
}

type Claim = { readonly facts: ChartFacts; readonly outcome: WriteOutcome; readonly ehr: Ehr };

/** Checks an outcome: each written document is in the chart once with the content of the result, and each retracted one is retired. */
export async function whatIsUntrue(hospital: RealHospital, claim: Claim): Promise<readonly string[]> {
  if (claim.outcome.status === 'retracted') return stillStanding(hospital, claim);
  if (claim.outcome.status !== 'written') return [];
  const { store, site, knowledge } = hospital;
  const { facts, outcome, ehr } = claim;
  const capabilities = await ehr.capabilities(new AbortController().signal);
  const learned = await knowledge.recall(site.name, capabilities.software);
  const { takesType } = acceptedContent({ capabilities, facts: learned });
  const made = madeByEngine(hospital);
  const live = made.filter(({ resource }) => !isRetired(resource));
  const takenAway = made.filter(({ resource, log }) => isRetired(resource) && log.at(-1)?.author !== ENGINE);
  const left = new Set(outcome.left.map(({ document }) => document));
  const missing = mapChart({ site, facts, takesType })
    .documents.filter(({ document }) => !left.has(document))
    .flatMap(({ document, identity, resource }) => {
      const named = live.filter(({ names }) => names.some((name) => isOf(name, identity.value)));
      const saying = named.filter((one) => isSaid(resource, one.resource));
      // Each revision has a record of its own, and a signed document stays beside the one that appends to it.
      const isEnough = STATEMENTS.has(resource.resourceType) ? saying.length === 1 : saying.length > 0;
      if (named.length === 0 && takenAway.some(({ names }) => names.some((name) => isOf(name, identity.value))))
        return [];
      return isEnough ? [] : [`${document} says it ${saying.length} times (${named.length} of that name)`];
    });
  const gone = outcome.resources
    .filter(({ status }) => status !== 'retired')
    .filter(({ reference }) => store.get(reference) === undefined)
    .map(({ reference }) => `${reference} is said to be there and is not`);
  return [...missing, ...gone, ...surplusOf(live, claim, site), ...whatContradicts(hospital, leftOf(outcome))];
}

/** Statements that no person has changed, and of which more than one is in force. */
export function whatContradicts(hospital: RealHospital, left: ReadonlySet<string> = new Set()): readonly string[] {
  const isOurs = ({ log }: Made) => log.every(({ author }) => author === ENGINE);
  const statements = madeByEngine(hospital).filter(
    (one) => STATEMENTS.has(one.resource.resourceType) && !isRetired(one.resource) && isOurs(one),
  );
  const meant = statements.filter(({ reference }) => !left.has(reference));
  const bases = meant.flatMap((one) => one.names.map((name) => documentIn(one, baseOf(name))));
  return repeated(bases).map((name) => `two statements where one is meant: ${name}`);
}

/** A statement of this session that the result lacks. */
function surplusOf(live: readonly Made[], { facts, outcome }: Claim, site: LoadedSite): readonly string[] {
  const left = leftOf(outcome);
  const { documents } = mapChart({ site, facts, takesType: () => true });
  return live
    .filter(({ resource, reference }) => STATEMENTS.has(resource.resourceType) && !left.has(reference))
    .filter(({ names }) => names.some((name) => name.startsWith(sessionOf(facts))))
    .filter(({ names }) => !names.some((name) => documents.some(({ identity }) => isOf(name, identity.value))))
    .map(({ reference }) => `${reference} stands there and is not meant any more`);
}

function leftOf(outcome: WriteOutcome): ReadonlySet<string> {
  return new Set(outcome.status === 'written' ? outcome.left.map(({ reference }) => reference) : []);
}

function stillStanding(hospital: RealHospital, { facts }: Claim): readonly string[] {
  return madeByEngine(hospital)
    .filter(({ resource }) => resource.resourceType !== 'Provenance' && !isRetired(resource))
    .filter(({ names }) => names.some((name) => name.startsWith(sessionOf(facts))))
    .map(({ reference }) => `${reference} is still in force after it was taken back`);
}

function sessionOf({ encounter, session }: ChartFacts): string {
  return `${encounter.id}/${session.key}/`;
}

/** Without the number of a further resource of that name. */
function baseOf(name: string): string {
  return name.replace(/\/\d+$/, '');
}

function isOf(name: string, base: string): boolean {
  return name === base || baseOf(name) === base;
}

/** Its content without times, identities and references, because an existing document may have had it earlier. */
function isSaid(meant: Resource, standing: Resource): boolean {
  return wordsOf(meant) === wordsOf(standing);
}

function wordsOf(resource: Resource): string {
  const { section, content, code, prediction, deviceName, resourceType } = resource as unknown as Members;
  return JSON.stringify([resourceType, section, content, code, prediction, deviceName], (name, value) =>
    ['creation', 'time', 'reference'].includes(name) ? undefined : value,
  );
}

/** The whole content without identities, times and references. */
function contentOf(resource: Resource): string {
  const {
    id: _id,
    meta: _meta,
    identifier: _identifier,
    relatesTo: _relatesTo,
    ...content
  } = resource as unknown as Members;
  return JSON.stringify(content, (name, value) =>
    (name === 'reference' && !/^(Patient|Encounter)\//.test(value)) || name === 'time' ? undefined : value,
  );
}

export function isRetired(resource: Resource): boolean {
  const { status, verificationStatus } = resource as unknown as Members;
  return status === 'entered-in-error' || JSON.stringify(verificationStatus ?? '').includes('entered-in-error');
}

function namesOf(resource: Resource, site: LoadedSite): readonly string[] {
  const system = identifierSystem(site.name);
  const { identifier } = resource as unknown as Members;
  const named = [identifier, resource.meta?.tag].flat() as readonly (Members | undefined)[];
  return named.flatMap((one) => (one?.['system'] === system ? [String(one['value'] ?? one['code'])] : []));
}

type Members = Readonly<Record<string, unknown>>;

function repeated(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}
