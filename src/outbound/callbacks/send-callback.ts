// Calls an address of a client, signed as Standard Webhooks 1.0 has it. A redirect is not followed: it would lead to an address that no operator
// allowed. The body of the answer is not read.
import { createHmac } from 'node:crypto';
import type { HttpFetch } from '../../platform/http-fetch.ts';
import type { SendCallback } from '../../ports/callbacks.ts';

const TIMEOUT_MS = 15_000;
const GONE = 410;

export function makeSendCallback({ fetch }: Pick<HttpFetch, 'fetch'>): SendCallback {
  return async ({ url, id, body, secret, at }, signal) => {
    const timestamp = String(Math.floor(at.getTime() / 1_000));
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': `v1,${signature}`,
        },
        body,
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      if (response.ok) return 'delivered';
      return response.status === GONE ? 'gone' : 'failed';
    } catch {
      return 'failed';
    }
  };
}
