// An EHR in this process: a FHIR R4 server over HTTP with a store in memory. For the sandbox and for tests; it forgets all at the end.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeFhirListener } from './fhir-listener.ts';
import { openVersionedStore, type SandboxStore } from './sandbox-store.ts';
import { openSubscriptions, type SandboxSubscriptions, type SubscriptionOptions } from './subscriptions.ts';

export type SandboxEhrOptions = {
  /** 0, and where it is absent: any that is free. */
  readonly port?: number;
  readonly host?: string;
  readonly basePath?: string;
  /** Something in front of it: faults. */
  readonly wrap?: (listener: RequestListener) => RequestListener;
  /** 401: these credentials are not good. Asked for each request but that for the smart-configuration. */
  readonly authorize?: (request: IncomingMessage) => 401 | undefined;
  /** What `.well-known/smart-configuration` says; absent: 404. */
  readonly smartConfiguration?: Readonly<Record<string, unknown>>;
  readonly software?: { readonly name: string; readonly version: string };
  readonly now?: () => Date;
  readonly subscriptions?: SubscriptionOptions;
};

export type SandboxEhr = {
  readonly baseUrl: string;
  readonly store: SandboxStore;
  /** What it tells its subscribers, and how to make that go wrong. */
  readonly subscriptions: SandboxSubscriptions;
  /** Connections are refused and those that are open are cut. What is stored stays. */
  readonly stopListening: () => Promise<void>;
  /** At the same address as before. */
  readonly listenAgain: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export async function openSandboxEhr(options: SandboxEhrOptions = {}): Promise<SandboxEhr> {
  const { host = '127.0.0.1', basePath = '/fhir/R4', now = () => new Date(), wrap = (listener) => listener } = options;
  const store = openVersionedStore({ now });
  let baseUrl = '';
  const subscriptions = openSubscriptions({ store, baseUrl: () => baseUrl, now }, options.subscriptions ?? {});
  const listener = makeFhirListener({
    store,
    subscriptions,
    baseUrl: () => baseUrl,
    basePath,
    software: options.software ?? { name: 'Chartwright Sandbox', version: '1' },
    startedAt: now(),
    authorize: options.authorize,
    smartConfiguration: options.smartConfiguration,
  });
  const server = createServer(wrap(listener));
  const port = await listen(server, { host, port: options.port ?? 0 });
  baseUrl = `http://${host}:${port}${basePath}`;
  return {
    baseUrl,
    store: store.outside,
    subscriptions: subscriptions.outside,
    stopListening: () => stop(server),
    listenAgain: async () => {
      await listen(server, { host, port });
    },
    close: () => {
      subscriptions.close();
      return stop(server);
    },
  };
}

function listen(server: Server, address: { readonly host: string; readonly port: number }): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('error', reject);
  server.listen(address.port, address.host, () => {
    server.off('error', reject);
    resolve((server.address() as AddressInfo).port);
  });
  return promise;
}

function stop(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  return promise;
}
