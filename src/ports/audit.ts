// Who did what, kept so that nothing of it can be changed, taken out or put in without being noticed.

const AUDIT_ACTIONS = [
  'run.write',
  'run.retract',
  'run.start',
  'run.replay',
  'run.cancel',
  'run.review',
  'run.view',
  'run.recall',
  'site.pause',
  'site.resume',
  'site.probe',
  'site.settings',
  'key.create',
  'key.rotate',
  'key.revoke',
  'plan.change',
  'reviewer.create',
  'reviewer.revoke',
  'sandbox.finish',
  'sandbox.cancel',
  'sandbox.merge',
  'sandbox.recording',
  'sandbox.visit',
  'sandbox.view',
  'sandbox.reset',
  'sandbox.drill',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export type AuditEntry = {
  readonly action: AuditAction;
  /** `operator`, `engine`, `reviewer/<id>` or `key/<id>`. */
  readonly actor: string;
  readonly site?: string;
  readonly run?: string;
  /** Ids, codes and counts; never a word of a patient's chart. */
  readonly details?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
};

export type KeptAuditEntry = AuditEntry & { readonly seq: number; readonly at: Date };

export type AuditVerdict =
  | { readonly isWhole: true; readonly entries: number; readonly head: string }
  /** `at`: the number of the first entry that is not what was kept. */
  | { readonly isWhole: false; readonly entries: number; readonly at: number; readonly why: string };

export type Audit = {
  readonly append: (entry: AuditEntry) => Promise<void>;
  /** The newest first. */
  readonly list: (query: {
    readonly site?: string;
    readonly run?: string;
    readonly action?: AuditAction;
    readonly since?: Date;
    readonly limit: number;
    readonly cursor?: string;
  }) => Promise<{ readonly entries: readonly KeptAuditEntry[]; readonly next?: string }>;
  /** `expected`: number and hash that somebody wrote down before: shows a tail that was cut off, or a chain that was made anew. */
  readonly verify: (expected?: { readonly seq: number; readonly hash: string }) => Promise<AuditVerdict>;
  readonly head: () => Promise<{ readonly seq: number; readonly hash: string }>;
};
