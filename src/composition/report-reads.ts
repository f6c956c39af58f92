// Puts the reporting of reads to EHRs around the audit trail.
import { withReportedReads } from '../flows/people/report-reads.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { Sites } from '../ports/sites.ts';
import type { Stores } from './make-stores.ts';

type ReportParts = { readonly sites: Pick<Sites, 'current'>; readonly publicUrl: string };

export function reportReads(stores: Stores, parts: ReportParts): Stores {
  const audit = withReportedReads(stores.audit, { ...stores, ...parts, runtime: systemRuntime });
  return { ...stores, audit };
}
