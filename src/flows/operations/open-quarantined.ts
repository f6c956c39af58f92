// Shows what is in a quarantined delivery, and sends it again, corrected or as it is. Each is recorded in the audit trail first.
import { AppError } from '../../domain/errors.ts';
import { present } from '../../domain/present.ts';
import type { Audit } from '../../ports/audit.ts';
import type { Inbox, StoredDelivery } from '../../ports/inbox.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Sites } from '../../ports/sites.ts';
import type { AcceptAnswer } from '../intake/accept-answer.ts';
import type { AcceptEvent } from '../intake/accept-event.ts';
import { requireActiveSite } from './require-active-site.ts';

export type ResendOrder = {
  readonly id: string;
  /** The corrected bytes. Absent: those that came. */
  readonly body?: Uint8Array | undefined;
  readonly contentType?: string | undefined;
};

/** Throws `notFound` for an unknown delivery, `conflict` if its bytes were deleted, and what the stores throw. */
export type OpenQuarantined = {
  readonly show: (id: string) => Promise<StoredDelivery>;
  /** The delivery leaves the list once its encounters are accepted. */
  readonly resend: (order: ResendOrder) => Promise<AcceptAnswer>;
};

type Parts = {
  readonly inbox: Pick<Inbox, 'findQuarantined' | 'settleQuarantined'>;
  readonly acceptEvent: AcceptEvent;
  readonly sites: Pick<Sites, 'current'>;
  readonly audit: Pick<Audit, 'append'>;
  readonly runtime: Pick<Runtime, 'now' | 'makeUuid'>;
};

const DELETED = 'Its bytes are not stored any more, or never were';

export function makeOpenQuarantined({ inbox, acceptEvent, sites, audit, runtime }: Parts): OpenQuarantined {
  async function find(id: string): Promise<StoredDelivery> {
    const found = await inbox.findQuarantined(id);
    if (found === undefined) throw new AppError('notFound', 'There is no quarantined delivery with this id');
    return found;
  }

  return {
    async show(id) {
      const found = await find(id);
      await audit.append({ action: 'event.view', actor: 'operator', site: found.site, details: { delivery: id } });
      return found;
    },

    async resend({ id, body: corrected, contentType }) {
      const found = await find(id);
      const site = requireActiveSite(sites.current(), found.site);
      const body = corrected ?? found.body;
      if (body === undefined) throw new AppError('conflict', `${DELETED}: send a corrected one`);
      const details = { delivery: id, corrected: corrected !== undefined };
      await audit.append({ action: 'event.send', actor: 'operator', site: found.site, details });
      const delivery = {
        source: found.source,
        contentType: contentType ?? found.contentType ?? '',
        headers: {},
        body,
        // An id of its own: with that of the first delivery it could be a repeat.
        messageId: `resent:${runtime.makeUuid()}`,
        receivedAt: runtime.now(),
      };
      const answer = await acceptEvent({ site, delivery });
      if (answer.outcome === 'accepted' || answer.outcome === 'repeated') await inbox.settleQuarantined(id);
      return present(answer);
    },
  };
}
