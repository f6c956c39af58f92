// Rules for every document, whatever a site's mapping makes: it belongs to this patient and this encounter, and its status says signed
// only after a clinician has signed. They are in code, so that no file of a site can change them.
import type { Resource } from '@medplum/fhirtypes';
import { codesOf } from '../raw-members.ts';
import type { WriteSettings } from '../site/site.ts';
import type { ChartFacts, DiseaseVariable } from './chart.ts';
import { chooseConditions } from './likely-conditions.ts';

/** In these types a final status means that a clinician answers for the words. An Observation is final once it was made. */
const SIGNABLE = new Set(['Composition', 'DocumentReference', 'RiskAssessment', 'DiagnosticReport']);
const SIGNED = new Set(['final', 'amended', 'corrected']);
const VERDICTS = new Set(['confirmed', 'refuted']);
const DECIDED = new Set([...VERDICTS, 'entered-in-error']);
const ACTIVE = new Set(['active', 'recurrence', 'relapse']);
const SIGNERS = ['attester', 'authenticator'] as const;
const PATIENT_ELEMENTS = ['subject', 'patient', 'for'] as const;
const DIFFERENTIAL_TYPES = new Set(['Condition', 'RiskAssessment']);

/** Ids become parts of identifiers and references: characters that FHIR allows in an id, and none with a meaning there. */
const ID = /^[A-Za-z0-9.-]{1,64}$/;
const SESSION_KEY = /^[A-Za-z0-9._:-]{1,128}$/;

/** Returns the facts that cannot be part of a document's name: `encounter.id`. */
export function unusableNames({ encounter, patient, session }: ChartFacts): readonly string[] {
  const isId = (id: unknown) => typeof id === 'string' && ID.test(id);
  return [
    ...(isId(encounter.id) ? [] : ['encounter.id']),
    ...(isId(patient.id) ? [] : ['patient.id']),
    ...(SESSION_KEY.test(session.key) ? [] : ['session.key']),
  ];
}

type MappedResource = {
  readonly resource: Resource;
  /** The variables that its mapping reads. */
  readonly reads: ReadonlySet<string>;
  /** The candidate that it was made for, if its mapping is applied once for each. */
  readonly disease?: DiseaseVariable | undefined;
};

/** Whether such a resource is written only after a clinician has accepted it, and none has. */
export function waitsForApproval(
  type: string,
  { write, facts }: { readonly write: WriteSettings; readonly facts: Pick<ChartFacts, 'review'> },
): boolean {
  return type === 'Condition' && write.conditions === 'accepted' && facts.review === undefined;
}

/** Whether the site withholds it for now. This depends on its type and on the variables of its mapping, not on the file's name. */
export function isWithheld(made: MappedResource, write: WriteSettings, facts: ChartFacts): boolean {
  const { resource, reads, disease } = made;
  const { resourceType } = resource;
  if (waitsForApproval(resourceType, { write, facts })) return true;
  if (resourceType === 'Condition' && disease !== undefined && !isWantedCondition(disease, write, facts)) return true;
  const isDifferential = DIFFERENTIAL_TYPES.has(resourceType) && (reads.has('disease') || reads.has('diagnosis'));
  return write.differential !== 'resources' && isDifferential;
}

function isWantedCondition(
  { rank }: DiseaseVariable,
  { conditions }: WriteSettings,
  { diagnosis }: ChartFacts,
): boolean {
  const diseases = diagnosis?.diagnosis.diseases ?? [];
  const disease = diseases[rank - 1];
  return disease !== undefined && chooseConditions(diseases, conditions).includes(disease);
}

/**
 * Whether a search for active Conditions finds it, although it is only a candidate. The engine's own mappings make none; a site's mapping
 * may, because some EHRs refuse a Condition without a clinicalStatus.
 */
export function isActiveCandidate(resource: Resource): boolean {
  if (resource.resourceType !== 'Condition') return false;
  const isActive = codesOf(resource.clinicalStatus).some((code) => ACTIVE.has(code));
  return isActive && !codesOf(resource.verificationStatus).some((code) => DECIDED.has(code));
}

/** Returns the first broken rule in words for the author of the mapping. Undefined if there is none. */
export function brokenRule(resource: Resource, facts: ChartFacts): string | undefined {
  const elements = resource as unknown as Readonly<Record<string, unknown>>;
  return signatureProblem(elements, facts) ?? verdictProblem(elements, facts) ?? ownerProblem(elements, facts);
}

type Elements = Readonly<Record<string, unknown>>;

function signatureProblem(elements: Elements, { run, review }: ChartFacts): string | undefined {
  const early = (['status', 'docStatus'] as const).find((name) => SIGNED.has(String(elements[name])));
  if (early !== undefined && run.status === 'preliminary' && SIGNABLE.has(String(elements['resourceType']))) {
    return `${early} says ${String(elements[early])}, and no clinician has approved the draft: write %run.status`;
  }
  const signer = SIGNERS.find((name) => elements[name] !== undefined);
  if (signer === undefined || review !== undefined) return undefined;
  return `${signer} is set, and no clinician has approved the draft: write it below {% if %review.exists() %}`;
}

/** Only a clinician confirms or refutes what the AI states. */
function verdictProblem({ verificationStatus }: Elements, { review }: ChartFacts): string | undefined {
  const verdict = codesOf(verificationStatus).find((code) => VERDICTS.has(code));
  if (verdict === undefined || review !== undefined) return undefined;
  return `verificationStatus says ${verdict}, and no clinician has approved the draft: write differential or provisional`;
}

function ownerProblem(elements: Elements, { patient, encounter }: ChartFacts): string | undefined {
  const other = PATIENT_ELEMENTS.find((name) => isOther(elements[name], 'Patient', patient.id));
  if (other !== undefined) return `${other} is not the patient of this session: write %patient.reference()`;
  const context = elements['context'];
  const inContext = typeof context === 'object' && context !== null && 'encounter' in context ? context.encounter : [];
  const encounters = [elements['encounter'], ...(Array.isArray(inContext) ? inContext : [inContext])];
  if (!encounters.some((reference) => isOther(reference, 'Encounter', encounter.id))) return undefined;
  return 'encounter is not that of this session: write %encounter.reference()';
}

/** Whether it is a literal reference to another resource of the type, with or without the address of a server in front. */
function isOther(reference: unknown, type: string, id: string | undefined): boolean {
  if (typeof reference !== 'object' || reference === null || !('reference' in reference)) return false;
  const literal = String(reference.reference).split('/_history/')[0] ?? '';
  return new RegExp(`(^|/)${type}/[^/]+$`).test(literal) && literal !== `${type}/${id}`;
}
