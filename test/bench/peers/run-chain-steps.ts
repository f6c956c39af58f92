// The steps of a hand-written chain in two implementations: one calls the engine's own outlets, mappings and checks one after the other; the
// other one uses plain fetch and unchecked JSON.
import type { Bundle, Encounter, Patient, Resource } from '@medplum/fhirtypes';
import type { Diagnosis } from '../../../src/domain/diagnosis/diagnosis.ts';
import type { WrittenNote } from '../../../src/domain/note/note.ts';
import type { Template } from '../../../src/domain/note/template.ts';
import type { Transcript } from '../../../src/domain/recording/transcript.ts';

export type Documented = {
  /** For example `Device/1`. */
  readonly device: string;
  readonly event: string;
  readonly encounter: Encounter;
  readonly patient: Patient;
  readonly recording: string;
  readonly transcript: Transcript;
  readonly note: WrittenNote;
  readonly diagnosis: Diagnosis;
  readonly time: string;
};

/** `queries`: the searches for its documents before and after the write. */
export type MadeDocuments = { readonly queries: readonly string[]; readonly bundle: string; readonly kept: unknown };

export type ChainSteps = {
  readonly read: <T extends Resource>(reference: string) => Promise<T>;
  /** For example `Media?encounter=Encounter/1`. */
  readonly search: (query: string) => Promise<readonly Resource[]>;
  /** The locations of the created resources, in the order of the Bundle. */
  readonly transact: (bundle: string) => Promise<readonly string[]>;
  readonly transcribe: (audioUrl: string) => Promise<Transcript>;
  readonly writeNote: (transcript: Transcript, template: Template) => Promise<WrittenNote>;
  readonly diagnose: (clinicalHistory: string) => Promise<Diagnosis>;
  readonly makeDocuments: (documented: Documented) => Promise<MadeDocuments>;
  readonly makeDevice: () => Promise<string>;
};

export function deviceBundle(device: Resource): string {
  const fullUrl = 'urn:uuid:5f0f3c1e-6d6b-4c0f-9a3e-8a1d1f0c7d04';
  const entry = [{ fullUrl, resource: device, request: { method: 'POST' as const, url: 'Device' } }];
  return JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry } satisfies Bundle);
}
