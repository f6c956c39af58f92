// What is known of a session before its documents are made: the encounter, the patient, and what of the chart may help a diagnosis.
// What could not be read is said, never guessed.
import type { Encounter, Patient, Practitioner, PractitionerRole } from '@medplum/fhirtypes';
import type { ChartFacts } from '../chart/chart.ts';
import type { HoldReason } from '../chart/chart-write.ts';

export type ChartContext = {
  readonly encounter: Encounter;
  readonly patient: Patient;
  readonly practitioner?: Practitioner | PractitionerRole;
  /** What was read of the chart, as `%chart` has it. */
  readonly chart: NonNullable<ChartFacts['chart']>;
  /** For the reasoner: a line a fact, each with its source (`Condition/3`). Empty where there is nothing. */
  readonly history: string;
  /** In plain words, for the run: `The allergies cannot be read (the EHR refuses it).` */
  readonly omissions: readonly string[];
  /** The highest `v3-Confidentiality` code of all that was read; absent where nothing has one. */
  readonly confidentiality?: string;
};

/** May this encounter be documented? `outside`: also by engines that are not in the house. */
export type Permission =
  | { readonly isGranted: true; readonly mayLeaveTheHouse: boolean }
  | {
      readonly isGranted: false;
      readonly then: 'hold' | 'skip';
      readonly reason: Extract<HoldReason, 'consent' | 'sensitive' | 'label'>;
      /** In plain words, without anything of the patient's. */
      readonly message: string;
    };
