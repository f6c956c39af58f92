// A structured clinical note, with the names of the service interface.

export type NoteSection = { readonly key: string; readonly title: string; readonly text: string };

export type Note = {
  readonly title: string;
  /** Exactly the sections of the template, in its order. */
  readonly sections: readonly NoteSection[];
};

export type WrittenNote = {
  readonly note: Note;
  /** Only if the template defines dynamic fields; a field that was not mentioned is the empty string. */
  readonly dynamicFields?: Readonly<Record<string, string>>;
};
