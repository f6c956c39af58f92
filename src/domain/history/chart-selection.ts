// Which of the resources that an EHR gave are facts of this patient now. A server's search is not trusted to have filtered.
import type { Resource } from '@medplum/fhirtypes';
import { ownReference } from '../chart/own-reference.ts';
import { AI_LABEL } from '../chart/stamp.ts';
import { spanOf } from '../fhir-time.ts';
import { codesOf, hasMember, listOf, memberOf, textOf } from '../raw-members.ts';
import { momentOf, observationCategories } from './chart-lines.ts';

export type FactType =
  | 'AllergyIntolerance'
  | 'Condition'
  | 'MedicationRequest'
  | 'MedicationStatement'
  | 'Observation'
  | 'DiagnosticReport';

type SelectionParts = {
  readonly resources: readonly Resource[];
  readonly type: FactType;
  /** `Patient/1`, `Encounter/2`. */
  readonly patient: string;
  readonly encounter: string;
  readonly baseUrl: string | undefined;
  readonly timeZone: string;
  readonly maxCount: number;
};

export type Selection = {
  /** The most telling first; the same resources are always in the same order. */
  readonly facts: readonly Resource[];
  /** Facts beyond `maxCount`. */
  readonly surplus: number;
  /** Of another patient, or of nobody. */
  readonly foreign: number;
  /** Drafts that an AI made and nobody has confirmed: a model would only hear itself. */
  readonly drafts: number;
  /** Without a name, or with something that changes its meaning in a way that nobody here knows. */
  readonly unusable: number;
};

export function selectFacts(parts: SelectionParts): Selection {
  const { type, patient, baseUrl, timeZone, maxCount } = parts;
  const counts = { foreign: 0, drafts: 0, unusable: 0 };
  const wanted = new Map<string, Resource>();
  for (const resource of parts.resources) {
    if (textOf(resource, 'resourceType') !== type || !isWanted(resource, parts)) continue;
    const owner = memberOf(resource, type === 'AllergyIntolerance' ? 'patient' : 'subject');
    if (ownReference(owner, baseUrl) !== patient) counts.foreign += 1;
    else if (!isUsable(resource)) counts.unusable += 1;
    else if (isUnconfirmedDraft(resource)) counts.drafts += 1;
    else wanted.set(resource.id ?? '', resource);
  }
  const sorted = [...wanted.values()]
    .map((resource) => ({ resource, rank: rankOf(resource), atMs: timeOf(resource, timeZone) }))
    .sort((one, other) => one.rank - other.rank || other.atMs - one.atMs || byId(one.resource, other.resource));
  const facts = sorted.slice(0, maxCount).map(({ resource }) => resource);
  return { facts, surplus: sorted.length - facts.length, ...counts };
}

const ID = /^[A-Za-z0-9.-]{1,64}$/;

function isUsable(resource: Resource): boolean {
  return (
    ID.test(resource.id ?? '') && !hasMember(resource, 'modifierExtension') && !hasMember(resource, 'implicitRules')
  );
}

function isUnconfirmedDraft(resource: Resource): boolean {
  const labels = listOf(memberOf(resource, 'meta'), 'security');
  if (!labels.some((label) => textOf(label, 'code') === AI_LABEL.code)) return false;
  const status = textOf(resource, 'status');
  if (status === 'final' || status === 'amended' || status === 'corrected') return false;
  return !statusCodes(resource, 'verificationStatus').includes('confirmed');
}

/** Of whatever system: older servers write another address, and the codes are the same. */
function statusCodes(resource: unknown, name: 'clinicalStatus' | 'verificationStatus'): readonly string[] {
  return codesOf(memberOf(resource, name));
}

const ACTIVE = new Set(['active', 'recurrence', 'relapse']);
const RESULT_STATUSES = new Set(['preliminary', 'final', 'amended', 'corrected', 'appended', 'partial']);
const WANTED_CATEGORIES = new Set(['vital-signs', 'laboratory']);

function isWanted(resource: Resource, { type, encounter, baseUrl }: SelectionParts): boolean {
  switch (type) {
    case 'AllergyIntolerance':
    case 'Condition':
      return isActive(resource);
    case 'MedicationRequest':
    case 'MedicationStatement':
      return textOf(resource, 'status') === 'active';
    case 'Observation': {
      const categories = observationCategories(resource);
      const isOfKind = categories.length === 0 || categories.some((code) => WANTED_CATEGORIES.has(code));
      return isOfKind && isResultOf(resource, encounter, baseUrl);
    }
    case 'DiagnosticReport':
      return isResultOf(resource, encounter, baseUrl);
  }
}

/** Servers that keep no clinical status mean what they list. */
function isActive(resource: Resource): boolean {
  const verification = statusCodes(resource, 'verificationStatus');
  if (verification.includes('refuted') || verification.includes('entered-in-error')) return false;
  const clinical = statusCodes(resource, 'clinicalStatus');
  return clinical.length === 0 || clinical.some((code) => ACTIVE.has(code));
}

function isResultOf(resource: Resource, encounter: string, baseUrl: string | undefined): boolean {
  return (
    RESULT_STATUSES.has(textOf(resource, 'status') ?? '') &&
    ownReference(memberOf(resource, 'encounter'), baseUrl) === encounter
  );
}

/** What must not be missed stands first. */
function rankOf(resource: Resource): number {
  if (resource.resourceType === 'AllergyIntolerance') return textOf(resource, 'criticality') === 'high' ? 0 : 1;
  if (resource.resourceType !== 'Condition') return 0;
  const codes = listOf(resource, 'category').flatMap((category) => codesOf(category, CONDITION_CATEGORIES));
  return codes.includes('problem-list-item') ? 0 : 1;
}

const CONDITION_CATEGORIES = new Set(['http://terminology.hl7.org/CodeSystem/condition-category']);

const DATES = ['recordedDate', 'onsetDateTime', 'authoredOn', 'dateAsserted'] as const;

function timeOf(resource: Resource, timeZone: string): number {
  const moment = momentOf(resource) ?? DATES.map((name) => memberOf(resource, name)).find((date) => date !== undefined);
  return spanOf(moment, timeZone)?.fromMs ?? 0;
}

function byId(one: Resource, other: Resource): number {
  return (one.id ?? '') < (other.id ?? '') ? -1 : 1;
}
