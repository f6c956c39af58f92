// The tables of events, runs and outcomes as the code sees them. What a column is for stands in the migration that makes it.
import type { GeneratedAlways } from 'kysely';

export type OutboxTable = {
  id: string;
  position: GeneratedAlways<number>;
};

export type RunTables = {
  outbox: OutboxTable;
};
