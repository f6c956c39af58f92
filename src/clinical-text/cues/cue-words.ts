// The shape of the table of cues of one language. cues.ts says what each list does.

export const CUE_LISTS = [
  // Denials
  'denies',
  'before',
  'after',
  'always',
  'behindAfter',
  'affirms',
  'pseudo',
  'goesOn',
  'between',
  'unsure',
  // Ends of a denial
  'scopeEnd',
  'having',
  'copulas',
  'taken',
  'purposes',
  'only',
  'occasions',
  'links',
  'large',
  // Readings other than present and own
  'supposed',
  'past',
  'self',
  'owners',
  'belonging',
  'emphatic',
  'who',
  'are',
  // Questions and answers
  'leadIns',
  'openers',
  'fillers',
  'yes',
  'no',
  'notSure',
  'stopped',
  'healthy',
  'allOfThem',
  'nothingElse',
  // What numbers are about
  'morning',
  'noon',
  'evening',
  'night',
  'dosing',
  'needing',
  'scales',
  'pressures',
] as const;
export type CueListName = (typeof CUE_LISTS)[number];

/** The phrases of each list have a bar between them; a star is any ending. All are without accents. */
export type CueWords = Readonly<Record<CueListName, string>> & {
  /** Members of a family, each with the words for it: `mother = mother, mom`. */
  readonly kin: Readonly<Record<string, string>>;
};
