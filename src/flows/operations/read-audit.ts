// Reads the audit trail, and verifies that it is unchanged.
import type { Audit } from '../../ports/audit.ts';

export type AuditHead = { readonly seq: number; readonly hash: string };

export type AuditReport = {
  readonly isWhole: boolean;
  readonly entries: number;
  /** The number of the first entry that differs from what was stored, and the difference. */
  readonly at?: number;
  readonly why?: string;
  readonly head: AuditHead;
};

export type ReadAudit = {
  /** The newest first. */
  readonly list: Audit['list'];
  /** The returned head can be noted elsewhere: passed as `expected` later, it reveals a trail that was cut or made anew. */
  readonly verify: (expected?: AuditHead) => Promise<AuditReport>;
};

export function makeReadAudit({ audit }: { readonly audit: Pick<Audit, 'list' | 'verify' | 'head'> }): ReadAudit {
  return {
    list: (query) => audit.list(query),

    async verify(expected) {
      // The head is read first: it does not cover entries that are added during the verification.
      const head = await audit.head();
      return { ...(await audit.verify(expected)), head };
    },
  };
}
