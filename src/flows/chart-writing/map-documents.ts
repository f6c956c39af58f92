// The documents of one session: which ones a site wants, each made by its mapping, named, labelled and pointing at each other.
// The same facts and the same site give the same set, byte for byte.
import type { Resource } from '@medplum/fhirtypes';
import {
  BASE_DOCUMENTS,
  type ChartFacts,
  type DiseaseVariable,
  diseaseVariable,
  documentVariables,
} from '../../domain/chart/chart.ts';
import { brokenRule, isWithheld, unusableNames } from '../../domain/chart/chart-rules.ts';
import {
  deviceIdentity,
  diseaseParts,
  documentIdentity,
  documentUrn,
  type Identity,
} from '../../domain/chart/identity.ts';
import { findHiddenNotice } from '../../domain/chart/shown-notice.ts';
import { stampResource } from '../../domain/chart/stamp.ts';
import { AppError } from '../../domain/errors.ts';
import {
  type DocumentMapping,
  type LineageEntry,
  MappingError,
  type MappingInput,
  type Reference,
  type UnmappedCode,
} from '../../domain/mapping/mapping.ts';
import type { LoadedSite } from '../../ports/sites.ts';

export type MappedDocument = {
  /** The mapping's name: `condition`. */
  readonly document: string;
  readonly identity: Identity;
  /** `urn:uuid:…`: what the other documents of the set call it. */
  readonly fullUrl: string;
  readonly resource: Resource;
  /** Of the mapping's result, before it was named and labelled. */
  readonly lineage?: readonly LineageEntry[];
};

export type MappedSet = {
  /** Each after those that it needs; `provenance` last. */
  readonly documents: readonly MappedDocument[];
  /** The first line of every document; undefined where the site has no such mapping. */
  readonly notice: string | undefined;
  readonly unmapped: readonly UnmappedCode[];
};

type MapDocumentsParts = {
  readonly site: LoadedSite;
  readonly facts: ChartFacts;
  /** A document to make although the site does not write it. */
  readonly also?: string | undefined;
  readonly wantsLineage?: boolean;
};

type Wants = Omit<MapDocumentsParts, 'wantsLineage'>;

type Planned = {
  readonly document: string;
  readonly mapping: DocumentMapping;
  readonly identity: Identity;
  readonly fullUrl: string;
  readonly disease?: DiseaseVariable | undefined;
};

/**
 * Throws a MappingError where a mapping cannot work with these facts, or makes what must not leave: no resource, a text without the
 * notice, something signed that is a draft, something of another patient. An AppError `invalidRequest` where the facts lack what
 * documents are named by.
 */
export function mapDocuments({ site, facts: given, also, wantsLineage = false }: MapDocumentsParts): MappedSet {
  ensureNames(given);
  const facts = withoutUnreviewed(given);
  const variables = { ...documentVariables(facts, site), codes: site.codes };
  const base = { variables, timeZone: site.settings.timeZone, time: facts.run.time, wantsLineage };
  const notice = mapNotice(site, base);
  const planned = planDocuments({ site, facts, also });
  const withNotice = { ...base, variables: { ...variables, notice: notice.text } };
  const { made, unmapped } = mapUntilSettled(planned, withNotice, { site, facts, also });
  if (notice.text !== undefined && site.name !== SITE_OF_NOBODY) ensureNoticeShown(made, notice.text);
  const documents = made.map(({ plan, value, lineage }) => ({
    document: plan.document,
    identity: plan.identity,
    fullUrl: plan.fullUrl,
    resource: stampResource({ resource: resourceOf(plan, value, facts), identity: plan.identity, facts }),
    ...(lineage && { lineage }),
  }));
  return { documents, notice: notice.text, unmapped: [...notice.unmapped, ...unmapped] };
}

/** Its patients are made up. */
const SITE_OF_NOBODY = 'sandbox';

/** Checked on what was made: a mapping can read the notice and still put it last, or leave it out for one status. */
function ensureNoticeShown(made: readonly Made[], notice: string): void {
  for (const { plan, value } of made) {
    const hidden = findHiddenNotice(value, notice);
    if (hidden === undefined) continue;
    throw mappingError(plan.mapping, `${hidden} does not begin with the AI notice: put %notice first in it`);
  }
}

/** Which documents this site would have of these facts, by name and in order; what it keeps back is left out when it is made. */
function plannedNames({ site, facts, also }: Wants): readonly string[] {
  const { write } = site.settings;
  const names = new Set([
    ...(facts.note ? write.note : []),
    ...(facts.diagnosis ? write.diagnosis : []),
    ...(facts.diagnosis && write.differential === 'separate-document' ? ['differential'] : []),
    ...(also === undefined ? [] : [also]),
  ]);
  if (names.size > 0) names.add('device');
  if (names.size > 0 && write.provenance) names.add('provenance');
  names.delete('notice');
  return [...names].filter((name) => site.mappings.has(name)).toSorted((one, other) => rank(one) - rank(other));
}

/** The base's order; what a site adds comes before the task and the provenance, which speak of the rest. */
function rank(name: string): number {
  const order: readonly string[] = BASE_DOCUMENTS;
  const index = order.indexOf(name);
  return index < 0 ? order.indexOf('task') - 0.5 : index;
}

function planDocuments(parts: Wants): readonly Planned[] {
  const { site, facts } = parts;
  const diseases = (facts.diagnosis?.diagnosis.diseases ?? []).map(diseaseVariable);
  const diseasePartOf = diseaseParts(diseases);
  return plannedNames(parts).flatMap((document): readonly Planned[] => {
    const mapping = site.mappings.get(document);
    if (mapping === undefined) return [];
    const place = { site: site.name, encounter: facts.encounter.id ?? '', session: facts.session.key, document };
    if (mapping.reads.has('disease')) {
      return diseases.map((disease, index) =>
        withUrn({ document, mapping, disease, identity: documentIdentity({ ...place, part: diseasePartOf[index] }) }),
      );
    }
    const isDevice = document === 'device';
    const identity = isDevice ? deviceIdentity({ site: site.name, run: facts.run }) : documentIdentity(place);
    return [withUrn({ document, mapping, identity })];
  });
}

function withUrn(planned: Omit<Planned, 'fullUrl'>): Planned {
  return { ...planned, fullUrl: documentUrn(planned.identity) };
}

function mapNotice(
  site: LoadedSite,
  input: MappingInput,
): { text: string | undefined; unmapped: readonly UnmappedCode[] } {
  const mapping = site.mappings.get('notice');
  if (mapping === undefined) return { text: undefined, unmapped: [] };
  const { value, unmapped } = mapping.apply({ ...input, wantsLineage: false });
  if (typeof value === 'string' && value.trim() !== '') return { text: value.trim(), unmapped };
  throw mappingError(mapping, 'the AI notice must be a text, and not an empty one');
}

/** What is final without anybody's review is a note: no candidate of a diagnosis goes with it, whatever the settings say of them. */
function withoutUnreviewed(facts: ChartFacts): ChartFacts {
  const { diagnosis, review, run } = facts;
  if (diagnosis === undefined || review !== undefined || run.status !== 'final') return facts;
  return { ...facts, diagnosis: { ...diagnosis, diagnosis: { ...diagnosis.diagnosis, diseases: [] } } };
}

type Made = { readonly plan: Planned; readonly value: unknown; readonly lineage?: readonly LineageEntry[] | undefined };

/**
 * A document that turns out to be nothing must not be pointed at: then those that did are made again, without it. Each round
 * has fewer documents, so it ends.
 */
function mapUntilSettled(
  planned: readonly Planned[],
  input: MappingInput,
  { site, facts, also }: Wants,
): { readonly made: readonly Made[]; readonly unmapped: readonly UnmappedCode[] } {
  for (let remaining = planned; ; ) {
    const references = countedReferences(remaining, [...site.mappings.keys()]);
    const results = remaining.map((plan) => {
      const variables = { ...input.variables, disease: plan.disease };
      return { plan, ...plan.mapping.apply({ ...input, variables, documents: references.byName }) };
    });
    const isWanted = ({ plan, value }: Made) => {
      if (value === undefined || value === null) return false;
      const made = { resource: value as Resource, reads: plan.mapping.reads };
      return plan.document === also || !isWithheld(made, site.settings.write, facts);
    };
    const made = results.filter(isWanted);
    const absent = results.filter((result) => !made.includes(result)).map(({ plan }) => plan.document);
    if (!absent.some((document) => references.used.has(document))) {
      // An author whom no document names is nobody's.
      const kept = made.filter(({ plan }) => plan.document !== 'device' || references.used.has('device'));
      return { made: kept, unmapped: kept.flatMap((result) => result.unmapped) };
    }
    remaining = made.map(({ plan }) => plan);
  }
}

/** The references by document, none for one that is not made, and which of them somebody asked for. */
function countedReferences(
  planned: readonly Planned[],
  names: readonly string[],
): {
  readonly byName: Readonly<Record<string, readonly Reference[]>>;
  readonly used: ReadonlySet<string>;
} {
  const used = new Set<string>();
  const byName: Record<string, readonly Reference[]> = Object.create(null);
  for (const document of names) {
    const plans = planned.filter((plan) => plan.document === document);
    const references = plans.map(({ fullUrl }) => ({ reference: fullUrl }));
    const get = () => {
      used.add(document);
      return references;
    };
    Object.defineProperty(byName, document, { enumerable: true, get });
  }
  return { byName, used };
}

function resourceOf({ mapping }: Planned, value: unknown, facts: ChartFacts): Resource {
  const isResource = typeof value === 'object' && value !== null && 'resourceType' in value;
  if (!isResource || typeof value.resourceType !== 'string') {
    throw mappingError(mapping, 'this mapping made something that is no resource: it has no resourceType');
  }
  const broken = brokenRule(value as Resource, facts);
  if (broken !== undefined) throw mappingError(mapping, broken);
  return value as Resource;
}

/** Two encounters must never share a name, and nothing is written for nobody. */
function ensureNames(facts: ChartFacts): void {
  const unusable = unusableNames(facts);
  if (unusable.length === 0) return;
  throw new AppError('invalidRequest', `${unusable.join(', ')}: documents are named by it, and this cannot name one`);
}

function mappingError(mapping: DocumentMapping, message: string): MappingError {
  return new MappingError({ place: { file: mapping.file, line: 1, column: 1 }, message });
}
