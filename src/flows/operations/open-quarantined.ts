// Shows what is in a quarantined delivery, and sends it again, corrected or as it is. Each is recorded in the audit trail first.
import { AppError } from '../../domain/errors.ts';
import type { Access } from '../../domain/people/caller.ts';
import { present } from '../../domain/present.ts';
import type { Audit } from '../../ports/audit.ts';
import type { Inbox, StoredDelivery } from '../../ports/inbox.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Sites } from '../../ports/sites.ts';
import type { AcceptAnswer } from '../intake/accept-answer.ts';
import type { AcceptEvent } from '../intake/accept-event.ts';
import { byCaller } from '../people/by-caller.ts';
import { requireActiveSite } from './require-active-site.ts';

type ShowOrder = { readonly id: string; readonly access: Access };

export type ResendOrder = ShowOrder & {
  /** The corrected bytes. Absent: those that came. */
  readonly body?: Uint8Array | undefined;
  readonly contentType?: string | undefined;
};

/** Throws `notFound` for an unknown delivery, `conflict` if its bytes were deleted, and what the stores throw. */
export type OpenQuarantined = {
  readonly show: (order: ShowOrder) => Promise<StoredDelivery>;
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
  async function find({ id, access }: ShowOrder): Promise<StoredDelivery> {
    const found = await inbox.findQuarantined(id, access.scope);
    if (found === undefined) throw new AppError('notFound', 'There is no quarantined delivery with this id');
    return found;
  }

  return {
    async show({ id, access }) {
      const found = await find({ id, access });
      await audit.append(byCaller(access, { action: 'event.view', site: found.site, details: { delivery: id } }));
      return found;
    },

    async resend({ id, body: corrected, contentType, access }) {
      const found = await find({ id, access });
      const site = requireActiveSite(sites.current(), found.site, access.scope);
      const body = corrected ?? found.body;
      if (body === undefined) throw new AppError('conflict', `${DELETED}: send a corrected one`);
      const details = { delivery: id, corrected: corrected !== undefined };
      await audit.append(byCaller(access, { action: 'event.send', site: found.site, details }));
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
