// Plays the server of a client that receives call-backs: it keeps each call with whether its signature is right, and answers as the test says.
import { createHmac } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export type ReceivedCall = {
  readonly path: string;
  readonly id: string;
  readonly body: string;
  /** The signature is that of Standard Webhooks, made with this secret. */
  readonly isSignedWith: (secret: string) => boolean;
};

export type CallbackReceiver = {
  readonly origin: string;
  readonly calls: readonly ReceivedCall[];
  /** The status of all answers from now on. */
  readonly answerWith: (status: number, headers?: Readonly<Record<string, string>>) => void;
  readonly close: () => Promise<void>;
};

export async function startCallbackReceiver(): Promise<CallbackReceiver> {
  const calls: ReceivedCall[] = [];
  let answer: { status: number; headers: Readonly<Record<string, string>> } = { status: 204, headers: {} };
  const server = http.createServer((req, res) => {
    void req.toArray().then((pieces) => {
      const body = Buffer.concat(pieces).toString('utf8');
      const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) =>
        String(req.headers[`webhook-${name}`]),
      );
      calls.push({
        path: req.url ?? '',
        id: id ?? '',
        body,
        isSignedWith: (secret) => {
          const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
          return signature === `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
        },
      });
      res.writeHead(answer.status, answer.headers).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answerWith: (status, headers = {}) => {
      answer = { status, headers };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
