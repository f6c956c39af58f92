// Hands a notice to its channel: a mail server, or a webhook of the site, which is signed like the call-backs of jobs.
import { AppError } from '../../domain/errors.ts';
import { isUnencryptedRemote } from '../../domain/site/plain-address.ts';
import type { SendCallback } from '../../ports/callbacks.ts';
import type { Notice, SendNotice } from '../../ports/notices.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { type NoticeFacts, noticeFacts } from './notice-words.ts';
import type { SendMail } from './send-mail.ts';

type SendNoticeParts = {
  /** Absent: no mail server is configured. */
  readonly sendMail?: SendMail | undefined;
  readonly sendCallback: SendCallback;
  /** `whsec_…`. Absent: no webhook is called. */
  readonly webhookSecret?: string | undefined;
  readonly publicUrl: string;
  readonly runtime: Pick<Runtime, 'now'>;
};

export function makeSendNotice(parts: SendNoticeParts): SendNotice {
  return async (notice, signal) => {
    const facts = noticeFacts(notice, parts.publicUrl);
    const { kind, to } = notice.channel;
    if (kind === 'webhook') return callWebhook(parts, { url: to, facts, notice }, signal);
    if (parts.sendMail === undefined) throw new AppError('notConfigured', 'SMTP_URL is not set: no mail is sent');
    await parts.sendMail({ to, facts }, signal);
  };
}

type WebhookCall = { readonly url: string; readonly facts: NoticeFacts; readonly notice: Notice };

async function callWebhook(
  { sendCallback, webhookSecret: secret, runtime }: SendNoticeParts,
  { url, facts, notice: { id, kind } }: WebhookCall,
  signal: AbortSignal,
): Promise<void> {
  if (secret === undefined) throw new AppError('notConfigured', 'NOTICE_SECRET is not set: no webhook is called');
  if (URL.parse(url) === null || isUnencryptedRemote(url)) {
    throw new AppError('vendorRejected', 'The webhook has no https address: it is not called');
  }
  const at = runtime.now();
  const body = JSON.stringify({ type: `notice.${kind}`, timestamp: at.toISOString(), data: facts });
  const answer = await sendCallback({ url, id: `notice_${id}`, body, secret, at }, signal);
  if (answer === 'gone') throw new AppError('vendorRejected', 'The webhook wants no notices (410)');
  if (answer === 'failed') throw new AppError('vendorUnavailable', 'The webhook did not take the notice');
}
