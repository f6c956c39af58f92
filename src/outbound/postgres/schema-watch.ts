// The tables of feeds, pauses, reviewers and the audit trail as the code sees them. What a column is for stands in the migration that
// makes it.

export type WatchTables = Record<never, never>;
