// A structured clinical note, as the service interface (2.8) names it.

export type NoteSection = { readonly key: string; readonly title: string; readonly text: string };

export type Note = {
  readonly title: string;
  /** Exactly the sections of the template, in its order. */
  readonly sections: readonly NoteSection[];
};

export type WrittenNote = {
  readonly note: Note;
  /** Only where the template defines dynamic fields; a field that nobody spoke of is the empty string. */
  readonly dynamicFields?: Readonly<Record<string, string>>;
};
