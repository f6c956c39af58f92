// Notices by mail, to a real SMTP server and its faults.
import { afterEach, describe, expect, it } from '@jest/globals';
import type { NoticeFacts } from '../../../src/outbound/notices/notice-words.ts';
import { type MailSettings, makeSendMail } from '../../../src/outbound/notices/send-mail.ts';
import { startMailServer, startSilentServer } from '../../support/mail-server.ts';
import { tlsFile } from '../../support/tls-server.ts';

const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

const FACTS: NoticeFacts = {
  id: '0198c5b2-6d1e-8a40-9c55-2f8b1e0d4a77',
  kind: 'red',
  site: 'mercy',
  run: '0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a77',
  url: 'https://charts.example.org/review/0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a77',
  details: {},
};

async function mailServer(parts: Parameters<typeof startMailServer>[0] = {}) {
  const server = await startMailServer(parts);
  closings.push(server.close);
  return server;
}

function send(url: string, settings: Partial<MailSettings> = {}, signal = new AbortController().signal) {
  const sendMail = makeSendMail({ url, from: 'charts@example.org', timeoutMs: 5_000, ...settings });
  return sendMail({ to: 'ana@example.org', facts: FACTS }, signal);
}

describe('a notice by mail', () => {
  it('has the site, the kind and the link, and is marked as sent by a machine', async () => {
    const server = await mailServer();
    await send(`smtp://127.0.0.1:${server.port}`);
    const [mail] = server.mails;
    expect([mail?.to, mail?.from]).toEqual([['ana@example.org'], 'charts@example.org']);
    expect(mail?.text).toContain('Subject: [Chartwright] mercy: a RED triage needs a clinician now');
    expect(mail?.text).toContain('Auto-Submitted: auto-generated');
    expect(mail?.text.replaceAll('=\r\n', '')).toContain(FACTS.url);
  });

  it('has the same message id in each try, so that a repeat is recognized', async () => {
    const server = await mailServer();
    for (let tries = 0; tries < 2; tries += 1) await send(`smtp://127.0.0.1:${server.port}`);
    const ids = server.mails.map(({ text }) => /^Message-ID: (.*)$/m.exec(text)?.[1]);
    expect(ids).toEqual([`<${FACTS.id}@chartwright.invalid>`, `<${FACTS.id}@chartwright.invalid>`]);
  });

  it.each([
    ['smtps', 'tls'],
    ['smtp', 'starttls'],
  ] as const)('is encrypted with %s, and signs in with user and password', async (protocol, encryption) => {
    const server = await mailServer({ encryption, account: { user: 'charts', password: 'p@ss word' } });
    const settings = { mustEncrypt: true, ca: tlsFile('ca.pem') };
    await send(`${protocol}://charts:p%40ss%20word@localhost:${server.port}`, settings);
    expect(server.mails).toMatchObject([{ wasEncrypted: true, user: 'charts' }]);
  });

  it('is not sent to a server that offers no encryption, unless the server is on this machine', async () => {
    const server = await mailServer();
    await expect(send(`smtp://127.0.0.1:${server.port}`, { mustEncrypt: true })).rejects.toMatchObject({
      code: 'vendorUnavailable',
      message: expect.stringContaining('ETLS'),
    });
    expect(server.mails).toEqual([]);
  });

  it.each(['other-name', 'expired'] as const)(
    'is not sent to a server whose certificate is wrong: %s',
    async (certificate) => {
      const server = await mailServer({ encryption: 'starttls', certificate });
      const settings = { mustEncrypt: true, ca: tlsFile('ca.pem') };
      await expect(send(`smtp://localhost:${server.port}`, settings)).rejects.toMatchObject({
        code: 'vendorUnavailable',
      });
      expect(server.mails).toEqual([]);
    },
  );

  it.each([
    [550, 'vendorRejected'],
    [451, 'vendorUnavailable'],
    [421, 'vendorUnavailable'],
  ])(
    'that the server answers with %i fails as %s, with the status and no address in its message',
    async (status, code) => {
      const server = await mailServer();
      server.refuseWith(status);
      await expect(send(`smtp://127.0.0.1:${server.port}`)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(new RegExp(`^[^@]*${status}\\)$`)),
      });
      server.refuseWith(undefined);
      await send(`smtp://127.0.0.1:${server.port}`);
      expect(server.mails).toHaveLength(1);
    },
  );

  it('with a wrong password is tried again later: the operator can mend it', async () => {
    const server = await mailServer({ account: { user: 'charts', password: 'right' } });
    await expect(send(`smtp://charts:wrong@127.0.0.1:${server.port}`)).rejects.toMatchObject({
      code: 'vendorUnavailable',
      message: expect.stringContaining('EAUTH'),
    });
  });

  it('does not wait for ever for a server that says nothing', async () => {
    const server = await startSilentServer();
    closings.push(server.close);
    await expect(send(`smtp://127.0.0.1:${server.port}`, { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'vendorUnavailable',
    });
  });

  it('does not keep an engine from stopping', async () => {
    const server = await startSilentServer();
    closings.push(server.close);
    const stopping = new AbortController();
    const sending = send(`smtp://127.0.0.1:${server.port}`, { timeoutMs: 600_000 }, stopping.signal);
    stopping.abort(new Error('the engine is stopping'));
    await expect(sending).rejects.toThrow();
  });

  it('to a server that is not there fails as one that may come back', async () => {
    const server = await startMailServer();
    await server.close();
    await expect(send(`smtp://127.0.0.1:${server.port}`)).rejects.toMatchObject({ code: 'vendorUnavailable' });
  });
});
