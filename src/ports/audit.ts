// The audit trail: who did what. A change, a removal or an insertion can be detected afterwards.
import type { AuditAction } from '../domain/access/audit-action.ts';
import type { SiteScope } from '../domain/people/role.ts';

/** `Action`: an extension adds entries with actions of its own. */
export type AuditEntry<Action extends string = AuditAction> = {
  readonly action: Action;
  /** `person/<id>`, `token/<id>`, `reviewer/<id>`, `operator`, `engine`, `key/<id>`, or `unknown` of who was refused. */
  readonly actor: string;
  readonly site?: string;
  readonly run?: string;
  /** Ids, codes and counts; never text of a patient's chart. */
  readonly details?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
};

export type StoredAuditEntry = AuditEntry<string> & { readonly seq: number; readonly at: Date };

export type AuditVerdict =
  | { readonly isWhole: true; readonly entries: number; readonly head: string }
  /** `at`: the number of the first entry that differs from what was stored. */
  | { readonly isWhole: false; readonly entries: number; readonly at: number; readonly why: string };

export type Audit<Action extends string = AuditAction> = {
  readonly append: (entry: AuditEntry<Action>) => Promise<void>;
  /** The newest first. Entries without a site are in no scope but `all`. */
  readonly list: (query: {
    readonly scope: SiteScope;
    readonly site?: string;
    readonly run?: string;
    readonly action?: string;
    readonly since?: Date;
    readonly limit: number;
    readonly cursor?: string;
  }) => Promise<{ readonly entries: readonly StoredAuditEntry[]; readonly next?: string }>;
  /** `expected`: number and hash noted at an earlier time; they reveal a tail that was cut off and a chain that was made anew. */
  readonly verify: (expected?: { readonly seq: number; readonly hash: string }) => Promise<AuditVerdict>;
  readonly head: () => Promise<{ readonly seq: number; readonly hash: string }>;
};
