// The types of the sandbox: visits of made-up patients, the actions on them, and drills.
import type { Bundle } from '@medplum/fhirtypes';
import type { Language } from '../domain/language.ts';

/** One encounter of a made-up patient. A scenario that is played again has another visit. */
export type SandboxVisit = {
  /** `en-chest-pressure`, `en-chest-pressure-2`; it is also the id of the Encounter. */
  readonly name: string;
  /** The scenario: `en-chest-pressure`. */
  readonly story: string;
  /** `Encounter/en-chest-pressure` */
  readonly encounter: string;
  readonly patient: string;
  readonly language: Language;
  /** `emergency`, `primary` … */
  readonly care: string;
  /** What a careless reader of the conversation gets wrong: `negation`, `silent` … */
  readonly trap?: string;
  /** The reason for the visit, in a few words of the patient's language. */
  readonly reason: string;
  /** The current status of the Encounter: `in-progress`, `finished`, `cancelled`, `entered-in-error`. */
  readonly status: string;
  readonly recordings: number;
};

export type LaunchOrder = {
  /** `Practitioner/sandbox-nurse` */
  readonly practitioner: string;
  /** What the link of a CDS card gave along for the app. */
  readonly appContext?: string;
};

export type DrillName = string;

export type Drill = {
  readonly name: DrillName;
  /** One line: what goes wrong. */
  readonly title: string;
  /** What to watch during the drill and the expected result of the visit, one line each. */
  readonly lookFor: readonly string[];
  readonly promise: DrillPromise;
  /** The drill ends by itself after this time at the latest. */
  readonly maxSeconds: number;
  /** Why the drill cannot be started here, and what to do; absent if it can. */
  readonly unavailable?: string;
};

/** The expected end of the run of the drill's visit, and the expected chart. */
export type DrillPromise = {
  readonly status: 'written' | 'parked' | 'held' | 'skipped';
  readonly reason?: string;
  /** The number of resources of each type that the engine has written to the chart of the visit. */
  readonly resources?: Readonly<Record<string, number>>;
};

export type DrillUnderWay = {
  readonly drill: Drill;
  readonly visit: SandboxVisit;
  readonly startedAt: Date;
  readonly endsAt: Date;
};

/**
 * The functions throw AppErrors: `notFound` for an unknown visit, scenario or drill; `conflict` if the action is not possible now, with a
 * message that says what is possible.
 */
export type Sandbox = {
  /** The address of its FHIR server. */
  readonly baseUrl: string;
  readonly visits: () => readonly SandboxVisit[];
  /** Takes a visit's name, the Encounter's reference, or a scenario, which means its newest visit. */
  readonly find: (name: string) => SandboxVisit;
  /** Finishes the encounter; resolves once all subscribers are notified. A finished encounter is announced again. */
  readonly finish: (name: string) => Promise<SandboxVisit>;
  readonly cancel: (name: string) => Promise<SandboxVisit>;
  /** Merges the patient into another record, which takes over the chart and the encounters. */
  readonly merge: (name: string) => Promise<SandboxVisit & { readonly survivor: string }>;
  /** Moves the encounter with its recordings to another patient; the next move leads back. */
  readonly move: (name: string) => Promise<SandboxVisit>;
  /** Adds one more recording to the encounter. */
  readonly addRecording: (name: string) => Promise<SandboxVisit>;
  /** Starts another visit of the same patient with the same complaint. */
  readonly comeAgain: (story: string) => Promise<SandboxVisit>;
  /** The chart of this encounter with the patient, practitioner and recordings that it refers to: a `collection`. */
  readonly chart: (name: string) => Bundle;
  /** The one who saw the patient, or another one who works here: `Practitioner/sandbox-nurse`. Throws `notFound`. */
  readonly practitionerAt: (name: string, wanted?: string) => string;
  /** Opens an app in the chart of a visit; returns its `launch` parameter, which is good once, and for ten minutes. */
  readonly launch: (name: string, order: LaunchOrder) => string;
  /** Signs a JWT with which the EHR calls a service. */
  readonly signCall: (claims: Readonly<Record<string, unknown>>) => string;
  /** Restores the first charts. */
  readonly reset: () => Promise<void>;
  readonly drills: SandboxDrills;
};

export type SandboxDrills = {
  readonly list: () => readonly Drill[];
  readonly underWay: () => DrillUnderWay | undefined;
  /** Sets the faults of the drill, starts another visit of its scenario and finishes it. Throws `conflict` if a drill is under way. */
  readonly start: (name: DrillName) => Promise<DrillUnderWay>;
  /** Removes the faults of the drill. Does nothing if no drill is under way. */
  readonly end: () => Promise<void>;
};
