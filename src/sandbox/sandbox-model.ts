// What the product needs of the hospital in a laptop: visits of made-up patients that can be finished, spoilt and looked at, and bad
// days to rehearse. It is there only where the engine runs with one.
import type { Bundle } from '@medplum/fhirtypes';
import type { Language } from '../domain/language.ts';

/** One encounter of a made-up patient. A patient whose story is played again comes for another visit. */
export type SandboxVisit = {
  /** `en-chest-pressure`, `en-chest-pressure-2`: the id of the Encounter, too. */
  readonly name: string;
  /** Which patient's story: `en-chest-pressure`. */
  readonly story: string;
  /** `Encounter/en-chest-pressure` */
  readonly encounter: string;
  readonly patient: string;
  readonly language: Language;
  /** `emergency`, `primary` … */
  readonly care: string;
  /** What somebody who only skims the talk gets wrong: `negation`, `silent` … */
  readonly trap?: string;
  /** Why they came, in a few words of their language. */
  readonly reason: string;
  /** Of the Encounter as it is now: `in-progress`, `finished`, `cancelled`, `entered-in-error`. */
  readonly status: string;
  readonly recordings: number;
};

export type DrillName = string;

export type Drill = {
  readonly name: DrillName;
  /** One line: what goes wrong. */
  readonly title: string;
  /** What to look for while it goes on, and what must have become of the visit in the end: a line each. */
  readonly lookFor: readonly string[];
  readonly promise: DrillPromise;
  /** It ends by itself after so long at most. */
  readonly maxSeconds: number;
  /** Why it cannot be rehearsed here and what to do, in words; absent where it can. */
  readonly unavailable?: string;
};

/** How the run of the drill's visit ends, and what then stands in the chart. */
export type DrillPromise = {
  readonly status: 'written' | 'parked' | 'held' | 'skipped';
  readonly reason?: string;
  /** How many resources of each type stand in the chart of the visit, of those that the engine wrote. */
  readonly resources?: Readonly<Record<string, number>>;
};

export type DrillUnderWay = {
  readonly drill: Drill;
  readonly visit: SandboxVisit;
  readonly startedAt: Date;
  readonly endsAt: Date;
};

/**
 * Throws AppErrors: `notFound` where there is no such visit, story or drill; `conflict` where it cannot be done at this moment, in
 * words that say what can.
 */
export type Sandbox = {
  /** Where its FHIR server is reached. */
  readonly baseUrl: string;
  readonly visits: () => readonly SandboxVisit[];
  /** By the visit's name, the Encounter's reference or the story: then it is the newest visit of it. */
  readonly find: (name: string) => SandboxVisit;
  /** The encounter is over: resolves once whoever wants to know has been told. What is finished is told again. */
  readonly finish: (name: string) => Promise<SandboxVisit>;
  readonly cancel: (name: string) => Promise<SandboxVisit>;
  /** The patient turns out to be another one: their chart and their encounters are the survivor's from now on. */
  readonly merge: (name: string) => Promise<SandboxVisit & { readonly survivor: string }>;
  /** One more recording of the same encounter comes in, after all others. */
  readonly addRecording: (name: string) => Promise<SandboxVisit>;
  /** The same patient with the same complaint, once more. */
  readonly comeAgain: (story: string) => Promise<SandboxVisit>;
  /** What stands in the chart of this encounter, and the patient, practitioner and recordings it refers to: a `collection`. */
  readonly chart: (name: string) => Bundle;
  /** All charts as on the first day. */
  readonly reset: () => Promise<void>;
  readonly drills: SandboxDrills;
};

export type SandboxDrills = {
  readonly list: () => readonly Drill[];
  readonly underWay: () => DrillUnderWay | undefined;
  /** Spoils things, lets the patient of its story come again and finishes that visit. One drill at a time: `conflict`. */
  readonly start: (name: DrillName) => Promise<DrillUnderWay>;
  /** All is well again. Nothing happens where no drill is under way. */
  readonly end: () => Promise<void>;
};
