// A structured clinical note, with the names of the service interface.

export type NoteSection = { readonly key: string; readonly title: string; readonly text: string };

export type Note = {
  readonly title: string;
  /** Exactly the sections of the template, in its order. */
  readonly sections: readonly NoteSection[];
};

/** A statement as its writer gave it. The text of a section is its statements, joined. */
export type WrittenStatement = {
  /** The key of a section. */
  readonly section: string;
  readonly text: string;
  /** Indexes of the utterances on which it rests. */
  readonly cites: readonly number[];
};

export type WrittenNote = {
  readonly note: Note;
  /** What each sentence rests on, as its writer says it. Absent if the writer does not say it. */
  readonly statements?: readonly WrittenStatement[];
  /** Only if the template defines dynamic fields; a field that was not mentioned is the empty string. */
  readonly dynamicFields?: Readonly<Record<string, string>>;
};
