// Notices to a webhook: signed, over https or on this machine only, and with references alone.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeSendCallback } from '../../../src/outbound/callbacks/send-callback.ts';
import { makeSendNotice } from '../../../src/outbound/notices/send-notice.ts';
import { type HttpFetch, openHttpFetch } from '../../../src/platform/http-fetch.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import type { Notice } from '../../../src/ports/notices.ts';
import { type CallbackReceiver, startCallbackReceiver } from '../../support/callback-receiver.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const RUN = '0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a77';

let receiver: CallbackReceiver;
let http: HttpFetch;
beforeEach(async () => {
  receiver = await startCallbackReceiver();
  http = openHttpFetch();
});
afterEach(async () => {
  http.close();
  await receiver.close();
});

function send(notice: Partial<Notice> = {}, webhookSecret: string | undefined = SECRET) {
  const publicUrl = 'https://charts.example.org';
  const sendNotice = makeSendNotice({
    sendCallback: makeSendCallback(http),
    webhookSecret,
    publicUrl,
    runtime: systemRuntime,
  });
  const channel = { kind: 'webhook', to: `${receiver.origin}/notices` } as const;
  const whole: Notice = {
    id: '0198c5b2-6d1e-8a40-9c55-2f8b1e0d4a77',
    kind: 'break-glass',
    channel,
    site: 'mercy',
    run: RUN,
    details: { by: 'person/0123456789abcdef' },
    createdAt: new Date(),
    tries: 1,
    ...notice,
  };
  return sendNotice(whole, new AbortController().signal);
}

describe('a notice to a webhook', () => {
  it('is signed and holds kind, site, run and link', async () => {
    await send();
    const [call] = receiver.calls;
    expect([call?.path, call?.id]).toEqual(['/notices', 'notice_0198c5b2-6d1e-8a40-9c55-2f8b1e0d4a77']);
    expect(call?.isSignedWith(SECRET)).toBe(true);
    expect(JSON.parse(call?.body ?? '')).toEqual({
      type: 'notice.break-glass',
      timestamp: expect.any(String),
      data: {
        id: '0198c5b2-6d1e-8a40-9c55-2f8b1e0d4a77',
        kind: 'break-glass',
        site: 'mercy',
        run: RUN,
        url: `https://charts.example.org/review/${RUN}`,
        details: { by: 'person/0123456789abcdef' },
      },
    });
  });

  it.each([
    [500, 'vendorUnavailable'],
    [302, 'vendorUnavailable'],
    [410, 'vendorRejected'],
  ])('that is answered with %i fails as %s, and no redirect is followed', async (status, code) => {
    receiver.answerWith(status, { location: `${receiver.origin}/elsewhere` });
    await expect(send()).rejects.toMatchObject({ code });
    expect(receiver.calls.map(({ path }) => path)).toEqual(['/notices']);
  });

  it.each(['http://hooks.example.org/notices', 'not an address'])('is not sent to %s', async (to) => {
    await expect(send({ channel: { kind: 'webhook', to } })).rejects.toMatchObject({ code: 'vendorRejected' });
  });

  it('is not sent without a secret that signs it', async () => {
    const sendNotice = makeSendNotice({
      sendCallback: makeSendCallback(http),
      publicUrl: 'https://charts.example.org',
      runtime: systemRuntime,
    });
    const channel = { kind: 'webhook', to: `${receiver.origin}/notices` } as const;
    const notice = {
      id: '1',
      kind: 'red',
      channel,
      site: 'mercy',
      details: {},
      createdAt: new Date(),
      tries: 1,
    } as const;
    await expect(sendNotice(notice, new AbortController().signal)).rejects.toMatchObject({ code: 'notConfigured' });
    expect(receiver.calls).toEqual([]);
  });
});

it('a notice by mail is not sent without a mail server', async () => {
  await expect(send({ channel: { kind: 'mail', to: 'ana@example.org' } })).rejects.toMatchObject({
    code: 'notConfigured',
    message: expect.stringContaining('SMTP_URL'),
  });
});
