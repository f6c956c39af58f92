// Makes the documents of one session that a site wants: each by its mapping, with identity, labels and references to each other.
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
import { isUnknownCode, tableFor } from '../../domain/coding/official-codes.ts';
import { codesOf } from '../../domain/diagnosis/diagnosis.ts';
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
  /** `urn:uuid:…`: the other documents of the set refer to it by this. */
  readonly fullUrl: string;
  readonly resource: Resource;
  /** Lineage of the mapping's result, before it was stamped. */
  readonly lineage?: readonly LineageEntry[];
};

export type MappedSet = {
  /** Each after those that it refers to; `provenance` last. */
  readonly documents: readonly MappedDocument[];
  /** The first line of every document; undefined if the site has no such mapping. */
  readonly notice: string | undefined;
  readonly unmapped: readonly UnmappedCode[];
};

type MapDocumentsParts = {
  readonly site: LoadedSite;
  readonly facts: ChartFacts;
  /** A document to make even if the site does not write it. */
  readonly also?: string | undefined;
  readonly wantsLineage?: boolean;
};

type DocumentChoice = Omit<MapDocumentsParts, 'wantsLineage'>;

type PlannedDocument = {
  readonly document: string;
  readonly mapping: DocumentMapping;
  readonly identity: Identity;
  readonly fullUrl: string;
  readonly disease?: DiseaseVariable | undefined;
};

/**
 * Throws a MappingError if a mapping cannot work with these facts, or makes something that must not leave: no resource, a text without
 * the notice, a signed status for a draft, another patient. Throws an AppError `invalidRequest` if the facts lack what the documents'
 * identities are made of.
 */
export function mapDocuments({ site, facts: input, also, wantsLineage = false }: MapDocumentsParts): MappedSet {
  ensureNames(input);
  const reviewed = withoutUnreviewed(input);
  const facts = withoutUnknownCodes(reviewed, site);
  const variables = { ...documentVariables(facts, site), codes: namedCodes(facts, site) };
  const base = { variables, timeZone: site.settings.timeZone, time: facts.run.time, wantsLineage };
  const notice = mapNotice(site, base);
  const planned = planDocuments({ site, facts, also }, partsOf(reviewed));
  const withNotice = { ...base, variables: { ...variables, notice: notice.text } };
  const { made, unmapped } = mapUntilStable(planned, withNotice, { site, facts, also });
  if (notice.text !== undefined && site.isTrial !== true) ensureNoticeShown(made, notice.text);
  const documents = made.map(({ plan, value, lineage }) => ({
    document: plan.document,
    identity: plan.identity,
    fullUrl: plan.fullUrl,
    resource: stampResource({ resource: resourceOf(plan, value, facts), identity: plan.identity, facts }),
    ...(lineage && { lineage }),
  }));
  return { documents, notice: notice.text, unmapped: [...notice.unmapped, ...unmapped] };
}

/** Checks the result, because a mapping can read the notice and still put it last, or leave it out for one status. */
function ensureNoticeShown(made: readonly MadeDocument[], notice: string): void {
  for (const { plan, value } of made) {
    const hidden = findHiddenNotice(value, notice);
    if (hidden === undefined) continue;
    throw mappingError(plan.mapping, `${hidden} does not begin with the AI notice: put %notice first in it`);
  }
}

/** The names of the documents that this site makes of these facts, in order. Withheld ones are removed after they were made. */
function plannedNames({ site, facts, also }: DocumentChoice): readonly string[] {
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

/** The base's order; documents that a site adds come before the task and the provenance, which refer to the rest. */
function rank(name: string): number {
  const order: readonly string[] = BASE_DOCUMENTS;
  const index = order.indexOf(name);
  return index < 0 ? order.indexOf('task') - 0.5 : index;
}

function planDocuments(parts: DocumentChoice, diseasePartOf: readonly string[]): readonly PlannedDocument[] {
  const { site, facts } = parts;
  const diseases = (facts.diagnosis?.diagnosis.diseases ?? []).map(diseaseVariable);
  return plannedNames(parts).flatMap((document): readonly PlannedDocument[] => {
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

function withUrn(planned: Omit<PlannedDocument, 'fullUrl'>): PlannedDocument {
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

/** Only a note may be final without a review: no candidate of a diagnosis goes with it, whatever the settings are. */
function withoutUnreviewed(facts: ChartFacts): ChartFacts {
  const { diagnosis, review, run } = facts;
  if (diagnosis === undefined || review !== undefined || run.status !== 'final') return facts;
  return { ...facts, diagnosis: { ...diagnosis, diagnosis: { ...diagnosis.diagnosis, diseases: [] } } };
}

/** A code that the official list does not have is left out: the disease is written as text. */
function withoutUnknownCodes(facts: ChartFacts, { codes }: LoadedSite): ChartFacts {
  const { diagnosis, officialCodes } = facts;
  if (diagnosis === undefined || officialCodes === undefined) return facts;
  const diseases = diagnosis.diagnosis.diseases.map((disease) =>
    isUnknownCode(disease.icd10_code, codes['diagnosis'], officialCodes) ? { ...disease, icd10_code: '' } : disease,
  );
  return { ...facts, diagnosis: { ...diagnosis, diagnosis: { ...diagnosis.diagnosis, diseases } } };
}

/** From the codes as the reasoner gave them, so that a new list renames no document. */
function partsOf({ diagnosis }: ChartFacts): readonly string[] {
  return diseaseParts((diagnosis?.diagnosis.diseases ?? []).map(diseaseVariable));
}

function namedCodes({ diagnosis, officialCodes: official }: ChartFacts, { codes }: LoadedSite): LoadedSite['codes'] {
  const table = codes['diagnosis'];
  if (table === undefined || diagnosis === undefined) return codes;
  return { ...codes, diagnosis: tableFor({ codes: codesOf(diagnosis), table, official }) };
}

type MadeDocument = {
  readonly plan: PlannedDocument;
  readonly value: unknown;
  readonly lineage?: readonly LineageEntry[] | undefined;
};

/**
 * No document may refer to one whose mapping made nothing: those that do are made again, without the reference. It ends because each
 * round has fewer documents.
 */
function mapUntilStable(
  planned: readonly PlannedDocument[],
  input: MappingInput,
  { site, facts, also }: DocumentChoice,
): { readonly made: readonly MadeDocument[]; readonly unmapped: readonly UnmappedCode[] } {
  for (let remaining = planned; ; ) {
    const references = countedReferences(remaining, [...site.mappings.keys()]);
    const results = remaining.map((plan) => {
      const variables = { ...input.variables, disease: plan.disease };
      return { plan, ...plan.mapping.apply({ ...input, variables, documents: references.byName }) };
    });
    const isWanted = ({ plan, value }: MadeDocument) => {
      if (value === undefined || value === null) return false;
      const made = { resource: value as Resource, reads: plan.mapping.reads, disease: plan.disease };
      return plan.document === also || !isWithheld(made, site.settings.write, facts);
    };
    const made = results.filter(isWanted);
    const absent = results.filter((result) => !made.includes(result)).map(({ plan }) => plan.document);
    if (!absent.some((document) => references.used.has(document))) {
      // A Device that no document refers to is not written.
      const kept = made.filter(({ plan }) => plan.document !== 'device' || references.used.has('device'));
      return { made: kept, unmapped: kept.flatMap((result) => result.unmapped) };
    }
    remaining = made.map(({ plan }) => plan);
  }
}

/** The references by document, none for a document that is not made, and the names that a mapping has read. */
function countedReferences(
  planned: readonly PlannedDocument[],
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

function resourceOf({ mapping }: PlannedDocument, value: unknown, facts: ChartFacts): Resource {
  const isResource = typeof value === 'object' && value !== null && 'resourceType' in value;
  if (!isResource || typeof value.resourceType !== 'string') {
    throw mappingError(mapping, 'this mapping made something that is no resource: it has no resourceType');
  }
  const broken = brokenRule(value as Resource, facts);
  if (broken !== undefined) throw mappingError(mapping, broken);
  return value as Resource;
}

/** Two encounters must never share an identity, and every document needs a patient. */
function ensureNames(facts: ChartFacts): void {
  const unusable = unusableNames(facts);
  if (unusable.length === 0) return;
  throw new AppError(
    'invalidRequest',
    `${unusable.join(', ')}: it is part of each document's identity, and this value cannot be`,
  );
}

function mappingError(mapping: DocumentMapping, message: string): MappingError {
  return new MappingError({ place: { file: mapping.file, line: 1, column: 1 }, message });
}
