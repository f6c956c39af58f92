// Selects the current facts of this patient from the resources that an EHR returned. The filters of a server's search are not trusted.
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
  /** The most important first; the order is always the same for the same resources. */
  readonly facts: readonly Resource[];
  /** The number of facts beyond `maxCount`. */
  readonly surplus: number;
  /** The number of resources of another patient, or without one. */
  readonly foreign: number;
  /** The number of unconfirmed drafts of an AI: a model would only repeat itself. */
  readonly drafts: number;
  /** The number of resources without an id, or with a modifier that the engine does not understand. */
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

/** The system is ignored: older servers use another one with the same codes. */
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

/** A resource without a clinical status counts as active: some servers do not store one. */
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

/** High-criticality allergies and problem list items come first. */
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
