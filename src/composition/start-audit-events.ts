// Starts sending AuditEvents about reads to the EHRs of the sites that want them.
import { type AuditEventEnd, makeSendAuditEvents } from '../flows/people/send-audit-events.ts';
import { startRepeating } from '../inbound/clock/repeat.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { Ehrs } from '../ports/ehr.ts';
import type { Sites } from '../ports/sites.ts';
import type { EngineContext } from './engine-context.ts';
import type { Stores } from './make-stores.ts';

type AuditEventParts = {
  readonly stores: Pick<Stores, 'auditEvents' | 'pauses'>;
  readonly sites: Pick<Sites, 'current'>;
  readonly ehrs: Pick<Ehrs, 'of'>;
};

const EVERY_MS = 3_000;

export function startAuditEvents(
  { logger, metrics }: Pick<EngineContext, 'logger' | 'metrics'>,
  { stores, sites, ehrs }: AuditEventParts,
): { readonly stop: () => Promise<void> } {
  const send = makeSendAuditEvents({
    ...stores,
    sites,
    ehrs,
    runtime: systemRuntime,
    onEnded: (end) => {
      metrics.auditEventEnded(end.outcome);
      log(end);
    },
  });
  function log({ event: { site, tries }, outcome, why }: AuditEventEnd): void {
    const fields = { site, ...(why !== undefined && { reason: why }) };
    if (outcome === 'given-up')
      logger.warn('an AuditEvent for the EHR was given up: it is only in the audit trail', fields);
    else if (outcome === 'postponed' && tries === 1)
      logger.warn('the EHR did not take an AuditEvent, which is sent again later', fields);
  }
  return startRepeating({
    runtime: systemRuntime,
    everyMs: EVERY_MS,
    work: send,
    onFailed: (thrown) => logger.warn('AuditEvents could not be sent', { thrown }),
    reportsOnce: true,
  });
}
