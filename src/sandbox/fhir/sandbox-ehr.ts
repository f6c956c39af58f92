// An EHR in this process: a FHIR R4 server over HTTP. For the sandbox, which keeps its charts in a folder, and for tests, where it
// forgets all at the end.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { openBinaryFiles } from './binary-files.ts';
import { openChartsLog } from './charts-log.ts';
import { makeFhirListener } from './fhir-listener.ts';
import { makeOAuth } from './oauth.ts';
import type { SandboxClient } from './oauth-clients.ts';
import { openVersionedStore, type SandboxStore, type StoreDisk } from './sandbox-store.ts';
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
  /** What `.well-known/smart-configuration` says where there are no `clients`; absent: 404. */
  readonly smartConfiguration?: Readonly<Record<string, unknown>>;
  /** With it there are tokens, and nobody gets in without one. */
  readonly clients?: readonly SandboxClient[];
  /** Whoever shows no token at all gets in all the same: a hand on this machine. */
  readonly isOpen?: boolean;
  readonly tokenSeconds?: number;
  readonly software?: { readonly name: string; readonly version: string };
  readonly now?: () => Date;
  /** Where its charts are kept, for the next opening; absent: nowhere. One process at a time. */
  readonly folder?: string;
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
  /** All of its charts are gone, and its Subscriptions; it goes on listening. */
  readonly erase: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export async function openSandboxEhr(options: SandboxEhrOptions = {}): Promise<SandboxEhr> {
  const { host = '127.0.0.1', basePath = '/fhir/R4', now = () => new Date(), wrap = (listener) => listener } = options;
  const { clients, isOpen = false, tokenSeconds = 300 } = options;
  const keeper = options.folder === undefined ? undefined : openKeeper(options.folder);
  const store = openVersionedStore({ now, disk: keeper });
  let baseUrl = '';
  const subscriptions = openSubscriptions(
    { store, baseUrl: () => baseUrl, now, log: keeper?.log },
    options.subscriptions ?? {},
  );
  const listener = makeFhirListener({
    store,
    subscriptions,
    baseUrl: () => baseUrl,
    basePath,
    software: options.software ?? { name: 'Chartwright Sandbox', version: '1' },
    startedAt: now(),
    authorize: options.authorize,
    smartConfiguration: options.smartConfiguration,
    oauth: clients && makeOAuth({ clients, isOpen, tokenSeconds, baseUrl: () => baseUrl, now }),
  });
  const server = createServer(wrap(listener));
  const port = await listen(server, { host, port: options.port ?? 0 }).catch((error: unknown) => {
    subscriptions.close();
    keeper?.log.close();
    throw error;
  });
  baseUrl = `http://${host}:${port}${basePath}`;
  return {
    baseUrl,
    store: store.outside,
    subscriptions: subscriptions.outside,
    stopListening: () => stop(server),
    listenAgain: async () => {
      await listen(server, { host, port });
    },
    erase: async () => {
      await store.flushed();
      store.clear();
      subscriptions.clear();
    },
    close: async () => {
      subscriptions.close();
      await Promise.all([stop(server), store.flushed()]);
      keeper?.log.close();
    },
  };
}

function openKeeper(folder: string): StoreDisk {
  return { log: openChartsLog(folder), files: openBinaryFiles(path.join(folder, 'binaries')) };
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
