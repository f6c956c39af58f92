// The facts of one session, and the variables that mappings read of them. Pure: the same facts give the same variables, and so the same
// documents.
import type { Encounter, Patient, Practitioner, PractitionerRole, Resource } from '@medplum/fhirtypes';
import { cleanTexts } from '../clean-text.ts';
import type { OfficialCodes } from '../coding/official-codes.ts';
import type { Diagnosis, Disease } from '../diagnosis/diagnosis.ts';
import type { Language } from '../language.ts';
import type { Reference } from '../mapping/mapping.ts';
import type { NoteEvidence } from '../note/joined-evidence.ts';
import type { WrittenNote } from '../note/note.ts';
import type { NoteType, TemplateName } from '../note/template.ts';
import type { Transcript } from '../recording/transcript.ts';
import type { SiteSettings, WriteSettings } from '../site/site.ts';
import { identifierSystem } from './identity.ts';
import { noteVariable } from './note-variable.ts';
import type { RunFacts } from './run-facts.ts';
import { transcriptVariable } from './transcript-variable.ts';

/** The documents that every site has, in the order in which they are made; a site may name others. */
export const BASE_DOCUMENTS = [
  'notice',
  'device',
  'composition',
  'document-reference',
  'differential',
  'transcript',
  'evidence',
  'condition',
  'risk-assessment',
  'flag',
  'task',
  'provenance',
] as const;

export type RecordingFacts = {
  /** `DocumentReference/12` or `Media/7`; absent for an upload. */
  readonly reference?: string;
  readonly contentType: string;
  /** A dateTime, with its offset if that is known. */
  readonly start?: string;
  readonly end?: string;
  readonly durationSeconds?: number;
};

/** What a clinician did with the draft. */
export type ReviewFacts = {
  readonly decision: 'approve' | 'edit';
  readonly time: string;
  /** `Practitioner/7` or `PractitionerRole/7`. */
  readonly reviewer: string;
  readonly name?: string;
};

export type ChartFacts = {
  readonly language: Language;
  readonly noteType?: NoteType;
  readonly template?: TemplateName | 'CUSTOM';
  readonly note?: WrittenNote;
  /** What the check found in the note. Absent if it was not checked, or by an earlier version of the engine. */
  readonly evidence?: NoteEvidence;
  readonly diagnosis?: Diagnosis;
  /** What the official list says about the codes of the diagnosis. Absent if no list of the site's system is imported. */
  readonly officialCodes?: OfficialCodes;
  readonly transcript?: Transcript;
  readonly recordings: readonly RecordingFacts[];
  readonly encounter: Encounter;
  readonly patient: Patient;
  readonly practitioner?: Practitioner | PractitionerRole;
  /** The parts of the chart that the reasoner received. */
  readonly chart?: {
    readonly conditions?: readonly Resource[];
    readonly medications?: readonly Resource[];
    readonly allergies?: readonly Resource[];
    readonly observations?: readonly Resource[];
    readonly reports?: readonly Resource[];
  };
  readonly session: { readonly key: string };
  readonly run: RunFacts;
  readonly review?: ReviewFacts;
  /** The highest `v3-Confidentiality` code of the inputs. */
  readonly confidentiality?: string;
};

/** The part of a site that its mappings may read. */
export type SiteFacts = { readonly name: string; readonly settings: SiteSettings };

/**
 * The variables of a session's documents, without `%disease`, `%notice` and `%codes`, which belong to a document or to the site's
 * tables. All text except the EHR's own is free of characters that no resource may hold.
 */
export function documentVariables(facts: ChartFacts, site: SiteFacts): Readonly<Record<string, unknown>> {
  const recordings = cleanTexts(facts.recordings);
  const diseases = (facts.diagnosis?.diagnosis.diseases ?? []).map(diseaseVariable);
  return {
    note: facts.note && noteVariable(facts.note, facts),
    diagnosis: facts.diagnosis && { language: facts.language, diseases },
    triage: facts.diagnosis && cleanTexts(facts.diagnosis.triage),
    transcript: facts.transcript && transcriptVariable(facts.transcript),
    recording: recordings[0],
    recordings,
    encounter: facts.encounter,
    patient: facts.patient,
    practitioner: facts.practitioner,
    organization: organizationOf(site),
    chart: facts.chart,
    site: {
      name: site.name,
      organization: site.settings.organization,
      timeZone: site.settings.timeZone,
      identifierSystem: identifierSystem(site.name),
      write: writeVariable(site.settings.write),
    },
    session: { key: facts.session.key, language: facts.language, confidentiality: facts.confidentiality },
    run: cleanTexts(facts.run),
    review: facts.review && cleanTexts(facts.review),
  };
}

/** A value has one type: limits of what is likely are shown as the word, and what a Provenance is about has a member of its own. */
function writeVariable({ provenance, ...write }: WriteSettings): unknown {
  return {
    ...write,
    provenance: provenance !== false,
    provenanceOf: typeof provenance === 'string' ? provenance : 'document',
    conditions: typeof write.conditions === 'string' ? write.conditions : 'likely',
  };
}

export type DiseaseVariable = Omit<Disease, 'icd10_code'> & {
  /** The position in the reasoner's order, from 1. */
  readonly rank: number;
  /** Absent for a disease without a code. */
  readonly icd10_code?: string;
};

export function diseaseVariable(disease: Disease, index: number): DiseaseVariable {
  const { icd10_code: code, ...rest } = cleanTexts(disease);
  return { rank: index + 1, ...rest, ...(code !== '' && { icd10_code: code }) };
}

function organizationOf({ name, settings }: SiteFacts): Reference {
  if (settings.ehr?.organization !== undefined) return { reference: settings.ehr.organization };
  const value = settings.organization ?? name;
  return { type: 'Organization', identifier: { system: identifierSystem(name), value }, display: value };
}
