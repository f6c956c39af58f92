// Who speaks, in a conversation with labels ("Speaker 1: …").

export type Turn = {
  /** The words of the label; undefined outside of a conversation with labels. */
  readonly speaker: string | undefined;
  /** `patient`: the patient, or a person who came along. */
  readonly role: 'clinician' | 'patient' | undefined;
  /** The sentence begins a line. */
  readonly isNewLine: boolean;
};

export const NO_TURN: Turn = { speaker: undefined, role: undefined, isNewLine: false };
