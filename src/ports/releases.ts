// Encounters that a person released although the site holds them as sensitive. A release is for the patient of that time: if the encounter moves
// to another patient, a person decides again.
export type ReleasedEncounter = {
  readonly site: string;
  /** `Encounter/123` */
  readonly encounter: string;
  /** `Patient/45` */
  readonly patient: string;
  /** Absent: the encounter as a whole. */
  readonly session?: string;
};

/** Both throw `overloaded` if the database cannot be reached. */
export type Releases = {
  readonly add: (released: ReleasedEncounter) => Promise<void>;
  /** True if the session, or the encounter as a whole, was released. */
  readonly has: (asked: ReleasedEncounter) => Promise<boolean>;
};
