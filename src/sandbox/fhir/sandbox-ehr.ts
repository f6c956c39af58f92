// An EHR in this process: a FHIR R4 server over HTTP. The sandbox stores its charts in a folder; in tests they are in memory only.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { LaunchContext } from '../smart/app-grant.ts';
import { makeHospitalPeople } from '../smart/hospital-people.ts';
import type { SmartServer } from '../smart/smart-server.ts';
import { openBinaryFiles } from './binary-files.ts';
import { openChartsLog } from './charts-log.ts';
import { makeFhirListener } from './fhir-listener.ts';
import { makeOAuth, type OAuth } from './oauth.ts';
import type { SandboxClient } from './oauth-clients.ts';
import { openVersionedStore, type SandboxStore, type StoreDisk } from './sandbox-store.ts';
import { makeSignedLinks } from './signed-links.ts';
import { openSubscriptions, type SandboxSubscriptions, type SubscriptionOptions } from './subscriptions.ts';

export type SandboxEhrOptions = {
  /** 0 or absent: any free port. */
  readonly port?: number;
  readonly host?: string;
  readonly basePath?: string;
  /** Puts a listener in front of the server, for faults. */
  readonly wrap?: (listener: RequestListener) => RequestListener;
  /** False: the request is answered with 401. Called for each request except that for smart-configuration. */
  readonly authorize?: (request: IncomingMessage) => 401 | undefined;
  /** The smart-configuration if there are no `clients`; absent: it is answered with 404. */
  readonly smartConfiguration?: Readonly<Record<string, unknown>>;
  /** If set, requests need a token. A function: the redirects of an app may be known later. */
  readonly clients?: readonly SandboxClient[] | (() => readonly SandboxClient[]);
  /** Accepts requests without a token, for a person on this machine. */
  readonly isOpen?: boolean;
  readonly tokenSeconds?: number;
  /** How long links to recordings open. Absent: they are not signed, and never end. */
  readonly linkSeconds?: number;
  readonly software?: { readonly name: string; readonly version: string };
  readonly now?: () => Date;
  /** The folder of the stored charts, for one process at a time; absent: they are in memory only. */
  readonly folder?: string;
  readonly subscriptions?: SubscriptionOptions;
};

export type SandboxEhr = {
  readonly baseUrl: string;
  readonly store: SandboxStore;
  /** The notifications of its Subscriptions, and their faults. */
  readonly subscriptions: SandboxSubscriptions;
  /** Refuses connections and closes open ones. Stored charts stay. */
  readonly stopListening: () => Promise<void>;
  /** Listens again at the same address. */
  readonly listenAgain: () => Promise<void>;
  /** Ends all links to recordings that were given out. */
  readonly changeLinkKey: () => void;
  /** Deletes all charts and Subscriptions; the server goes on listening. */
  readonly erase: () => Promise<void>;
  /** Opens an app in a chart; returns the value of its `launch` parameter. Only with `clients`. */
  readonly launch: (context: LaunchContext) => string;
  /** Signs ID tokens with a new key from now on. Only with `clients`. */
  readonly rotateKey: SmartServer['rotateKey'];
  /** Signs a JWT with which the EHR calls a service. Only with `clients`. */
  readonly signCall: SmartServer['signCall'];
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
  const { linkSeconds } = options;
  const links =
    linkSeconds === undefined ? undefined : makeSignedLinks({ seconds: linkSeconds, baseUrl: () => baseUrl, now });
  const oauth =
    clients &&
    makeOAuth({
      clients: typeof clients === 'function' ? clients : () => clients,
      isOpen,
      tokenSeconds,
      people: makeHospitalPeople(store.outside),
      baseUrl: () => baseUrl,
      now,
    });
  const withOAuth = (): OAuth => {
    if (oauth === undefined) throw new Error('an EHR without clients launches no apps');
    return oauth;
  };
  const listener = makeFhirListener({
    store,
    subscriptions,
    baseUrl: () => baseUrl,
    basePath,
    software: options.software ?? { name: 'Chartwright Sandbox', version: '1' },
    startedAt: now(),
    authorize: options.authorize,
    smartConfiguration: options.smartConfiguration,
    links,
    oauth,
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
    changeLinkKey: () => links?.changeKey(),
    erase: async () => {
      await store.flushed();
      store.clear();
      subscriptions.clear();
      oauth?.clear();
    },
    launch: (context) => withOAuth().launch(context),
    rotateKey: (options) => withOAuth().rotateKey(options),
    signCall: (claims) => withOAuth().signCall(claims),
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
