// A real SMTP server on this machine for tests: it keeps what it has taken, and fails as the test says.
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { tlsFile } from './tls-server.ts';

export type TakenMail = {
  readonly to: readonly string[];
  readonly from: string;
  /** With its headers. */
  readonly text: string;
  readonly wasEncrypted: boolean;
  readonly user: string | undefined;
};

export type MailServer = {
  readonly port: number;
  readonly mails: readonly TakenMail[];
  /** The answer to the next receivers; undefined: they are taken. */
  readonly refuseWith: (status: number | undefined) => void;
  readonly close: () => Promise<void>;
};

type MailServerParts = {
  readonly encryption?: 'none' | 'starttls' | 'tls';
  readonly certificate?: 'server' | 'other-name' | 'expired';
  /** Only these may send. */
  readonly account?: { readonly user: string; readonly password: string };
};

export async function startMailServer(parts: MailServerParts = {}): Promise<MailServer> {
  const { encryption = 'none', certificate = 'server', account } = parts;
  const mails: TakenMail[] = [];
  let refusal: number | undefined;
  const server = new SMTPServer({
    secure: encryption === 'tls',
    disabledCommands: [...(account === undefined ? ['AUTH'] : []), ...(encryption === 'none' ? ['STARTTLS'] : [])],
    authOptional: account === undefined,
    allowInsecureAuth: true,
    ...(encryption !== 'none' && { cert: tlsFile(`${certificate}.pem`), key: tlsFile(`${certificate}.key.pem`) }),
    onAuth: ({ username, password }, _session, done) => {
      const isRight = username === account?.user && password === account?.password;
      done(isRight ? null : new Error('wrong password'), isRight ? { user: username ?? '' } : undefined);
    },
    onRcptTo: (_address, _session, done) => {
      if (refusal === undefined) return done();
      done(Object.assign(new Error('not now'), { responseCode: refusal }));
    },
    onData: (stream, session, done) => {
      void stream.toArray().then((pieces) => {
        const { rcptTo, mailFrom } = session.envelope;
        mails.push({
          to: rcptTo.map(({ address }) => address),
          from: mailFrom === false ? '' : mailFrom.address,
          text: Buffer.concat(pieces).toString('utf8'),
          wasEncrypted: session.secure,
          user: session.user,
        });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    mails,
    refuseWith: (status) => {
      refusal = status;
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** Takes connections and never says a word. */
export async function startSilentServer(): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
