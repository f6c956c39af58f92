// The audit trail for those who look into it, and whether it is still what was kept.
import type { Audit } from '../../ports/audit.ts';

export type AuditHead = { readonly seq: number; readonly hash: string };

export type AuditReport = {
  readonly isWhole: boolean;
  readonly entries: number;
  /** The number of the first entry that is not what was kept, and what is wrong with it. */
  readonly at?: number;
  readonly why?: string;
  readonly head: AuditHead;
};

export type ReadAudit = {
  /** The newest first. */
  readonly list: Audit['list'];
  /** The head is what to write down elsewhere: given back at the next time, it shows a trail that was cut or made anew. */
  readonly verify: (expected?: AuditHead) => Promise<AuditReport>;
};

export function makeReadAudit({ audit }: { readonly audit: Pick<Audit, 'list' | 'verify' | 'head'> }): ReadAudit {
  return {
    list: (query) => audit.list(query),

    async verify(expected) {
      // Taken first: entries that come while it is looked at are not vouched for.
      const head = await audit.head();
      return { ...(await audit.verify(expected)), head };
    },
  };
}
