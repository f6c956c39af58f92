// Starts the notices to people: outcome events become notices, and notices are delivered by mail and webhook.
import { makeAnnounceAttention } from '../flows/notices/announce-attention.ts';
import { makeDeliverNotices } from '../flows/notices/deliver-notices.ts';
import { startRepeating } from '../inbound/clock/repeat.ts';
import { makeSendMail } from '../outbound/notices/send-mail.ts';
import { makeSendNotice } from '../outbound/notices/send-notice.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { SendCallback } from '../ports/callbacks.ts';
import type { EngineContext } from './engine-context.ts';
import type { Stores } from './make-stores.ts';

type NoticeParts = {
  readonly stores: Pick<Stores, 'attentionEvents' | 'drafts' | 'runs' | 'people' | 'notices'>;
  readonly sendCallback: SendCallback;
  readonly publicUrl: string;
};

/** A RED triage is announced within this time. */
const EVERY_MS = 3_000;

export function startNotices(
  { config, logger }: Pick<EngineContext, 'config' | 'logger'>,
  { stores, sendCallback, publicUrl }: NoticeParts,
): { readonly stop: () => Promise<void> } {
  const { SMTP_URL: url, MAIL_FROM: from, NOTICE_SECRET: webhookSecret } = config;
  const sendMail = url === undefined || from === undefined ? undefined : makeSendMail({ url, from });
  const sendNotice = makeSendNotice({ sendMail, sendCallback, webhookSecret, publicUrl, runtime: systemRuntime });
  const deliver = makeDeliverNotices({
    notices: stores.notices,
    sendNotice,
    runtime: systemRuntime,
    onFailed: ({ notice: { site, run, kind, tries }, why, isGivenUp }) => {
      const fields = { site, state: kind, code: why.code, ...(run !== undefined && { run }) };
      if (isGivenUp) logger.warn(`a notice was given up: ${why.message}`, fields);
      else if (tries === 1) logger.warn(`a notice could not be delivered and is tried again: ${why.message}`, fields);
    },
  });
  const announce = makeAnnounceAttention(stores);
  const delivery = startRepeating({
    runtime: systemRuntime,
    everyMs: EVERY_MS,
    work: async (signal) => {
      // Reviewers have no other channel than mail.
      const hasMore = sendMail !== undefined && (await announce(signal));
      return (await deliver(signal)) || hasMore;
    },
    onFailed: (thrown) => logger.warn('notices could not be delivered', { thrown }),
    reportsOnce: true,
  });
  return { stop: delivery.stop };
}
