// Sends notices by mail. The connection is encrypted, or the server is on this machine: what is not encrypted is not sent.
import { createTransport } from 'nodemailer';
import { AppError } from '../../domain/errors.ts';
import { isOnThisMachine } from '../../domain/site/this-machine.ts';
import { unlessAborted } from '../../domain/unless-aborted.ts';
import { type NoticeFacts, noticeWords } from './notice-words.ts';

export type MailSettings = {
  /** `smtps://user:password@mail.example.org`, or `smtp://` for STARTTLS. */
  readonly url: string;
  readonly from: string;
  /** Default: unless the server is on this machine. */
  readonly mustEncrypt?: boolean;
  /** PEM certificates that are trusted instead of those of Node. */
  readonly ca?: string;
  readonly timeoutMs?: number;
};

export type SendMail = (
  order: { readonly to: string; readonly facts: NoticeFacts },
  signal: AbortSignal,
) => Promise<void>;

const TIMEOUT_MS = 15_000;
const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;

/** Throws `vendorUnavailable`, and `vendorRejected` if the server refuses this receiver or message for good. */
export function makeSendMail(settings: MailSettings): SendMail {
  const { from, timeoutMs = TIMEOUT_MS } = settings;
  return async ({ to, facts }, signal) => {
    signal.throwIfAborted();
    const transport = createTransport(transportOptions(settings, timeoutMs));
    const { subject, text } = noticeWords(facts);
    // A server that answers a byte at a time must not hold the others up.
    const limit = AbortSignal.any([signal, AbortSignal.timeout(3 * timeoutMs)]);
    const sending = transport.sendMail({
      from,
      to: { name: '', address: to },
      subject,
      text,
      // The same in each try, so that a mailbox can tell a repeat.
      messageId: `<${facts.id}@chartwright.invalid>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      await unlessAborted(sending, limit);
    } catch (thrown) {
      throw asFailure(thrown);
    } finally {
      transport.close();
    }
  };
}

function transportOptions({ url, mustEncrypt, ca }: MailSettings, timeoutMs: number) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === 'smtps:';
  const isLocal = isOnThisMachine(`http://${hostname}`);
  const encrypts = mustEncrypt ?? !isLocal;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? PORTS[isSecure ? 'smtps:' : 'smtp:'] : Number(port),
    secure: isSecure,
    requireTLS: encrypts && !isSecure,
    // A relay on this machine offers STARTTLS with a certificate of its own making.
    ignoreTLS: !encrypts && !isSecure,
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    tls: { minVersion: 'TLSv1.2' as const, ...(ca !== undefined && { ca }) },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  };
}

/** The texts of mail servers name addresses: only their codes go into the message. */
function asFailure(cause: unknown): AppError {
  const { code, responseCode } = (cause ?? {}) as { readonly code?: unknown; readonly responseCode?: unknown };
  const status = typeof responseCode === 'number' ? responseCode : 0;
  // Signing in may work again when the operator has mended the settings.
  const isRefused = status >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE');
  const words = [typeof code === 'string' ? code : '', status === 0 ? '' : String(status)].filter((one) => one !== '');
  const why = words.length === 0 ? '' : ` (${words.join(' ')})`;
  if (isRefused) return new AppError('vendorRejected', `The mail server refuses this mail${why}`, { cause });
  return new AppError('vendorUnavailable', `The mail server did not take the mail${why}`, { cause });
}
