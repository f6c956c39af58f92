// What is read for a session before documents are made: the encounter, the patient, and facts of the chart for the diagnosis. Facts that could
// not be read are reported, never guessed.
import type { Encounter, Patient, Practitioner, PractitionerRole } from '@medplum/fhirtypes';
import type { ChartFacts } from '../chart/chart.ts';
import type { HoldReason } from '../chart/chart-write.ts';

export type ChartContext = {
  readonly encounter: Encounter;
  readonly patient: Patient;
  readonly practitioner?: Practitioner | PractitionerRole;
  /** The facts of the chart, as in `%chart`. */
  readonly chart: NonNullable<ChartFacts['chart']>;
  /** For the reasoner: one line per fact, each with its source (`Condition/3`). Empty if there are none. */
  readonly history: string;
  /** In plain words, for the run: `The allergies cannot be read: the EHR refuses it.` */
  readonly omissions: readonly string[];
  /** The highest `v3-Confidentiality` code of all that was read; absent if no resource has one. */
  readonly confidentiality?: string;
};

/** Whether this encounter may be documented. */
export type Permission =
  | { readonly isGranted: true }
  | {
      readonly isGranted: false;
      readonly then: 'hold' | 'skip';
      readonly reason: Extract<HoldReason, 'consent' | 'sensitive' | 'label'>;
      /** In plain words, without patient data. */
      readonly message: string;
    };
