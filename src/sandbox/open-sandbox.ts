// Opens a running sandbox: its FHIR server behind the layer of faults, its patients and its drills.
import path from 'node:path';
import { AppError } from '../domain/errors.ts';
import type { LaunchSettings } from '../domain/site/launch-settings.ts';
import type { EhrAuth } from '../domain/site/site.ts';
import type { LinkRuntime } from '../platform/amqp-session-link.ts';
import type { Runtime } from '../ports/runtime.ts';
import { type DrillParts, type OpenedDrills, openDrills } from './drills/open-drills.ts';
import { type Faults, makeFaults } from './faults/make-faults.ts';
import type { SandboxClient } from './fhir/oauth-clients.ts';
import { openSandboxEhr, type SandboxEhr } from './fhir/sandbox-ehr.ts';
import { openBrokerEvents } from './hospital/broker-events.ts';
import { type Hospital, makeHospital } from './hospital/open-hospital.ts';
import type { IndexedRecording } from './patients/recording-index.ts';
import type { SandboxPatient } from './patients/sandbox-patient.ts';
import type { Sandbox } from './sandbox-model.ts';

export type SandboxParts = {
  /** The folder of its charts. */
  readonly folder: string;
  /** If the port is in use, another free one is taken. */
  readonly port: number;
  /** How the engine authenticates. */
  readonly auth: EhrAuth;
  /** How the engine is registered as an app. */
  readonly launch: LaunchSettings | undefined;
  /** Where the EHR sends the browser back to the engine after a launch. */
  readonly redirectUris: () => readonly string[];
  readonly scenarios: readonly SandboxPatient[];
  readonly recordings: readonly IndexedRecording[];
  readonly amqpUrl: string | undefined;
  readonly version: string;
  readonly runtime: Pick<Runtime, 'now' | 'monotonicMs' | 'pause'> & LinkRuntime;
};

export type OpenedSandbox = Omit<Sandbox, 'drills'> & {
  readonly openDrills: (parts: Omit<DrillParts, 'hospital' | 'faults' | 'runtime'>) => OpenedDrills;
  readonly isOtherPort: boolean;
  readonly close: () => Promise<void>;
};

/** As long as the links of some real EHRs. */
const LINK_SECONDS = 3_600;
const TOKEN_SECONDS = 300;

export async function openSandbox(parts: SandboxParts): Promise<OpenedSandbox> {
  const { scenarios, recordings, amqpUrl, runtime } = parts;
  const { ehr, faults, isOtherPort } = await openEhr(parts);
  const broker = amqpUrl === undefined ? undefined : openBrokerEvents({ url: amqpUrl, runtime });
  const publish = broker?.publish ?? (async () => undefined);
  const { open, ...hospital }: Hospital = makeHospital({
    ehr,
    scenarios,
    recordings,
    publish,
    now: runtime.now,
  });
  open();
  return {
    ...hospital,
    baseUrl: ehr.baseUrl,
    openDrills: (drillParts) => openDrills({ ...drillParts, hospital, faults, runtime }),
    isOtherPort,
    async close() {
      faults.close();
      await Promise.all([ehr.close(), broker?.close()]);
    },
  };
}

type OpenedEhr = { readonly ehr: SandboxEhr; readonly faults: Faults; readonly isOtherPort: boolean };

async function openEhr({
  folder,
  port,
  auth,
  launch,
  redirectUris,
  version,
  runtime,
}: SandboxParts): Promise<OpenedEhr> {
  const held: { faults?: Faults } = {};
  const open = (wanted: number) =>
    openSandboxEhr({
      // Only on this machine, whatever HOST is: every local user may read and change these charts.
      host: '127.0.0.1',
      port: wanted,
      folder: path.join(folder, 'fhir'),
      clients: () => [...clientsOf(auth), ...appsOf(launch, redirectUris())],
      tokenSeconds: TOKEN_SECONDS,
      isOpen: true,
      linkSeconds: LINK_SECONDS,
      software: { name: 'Chartwright Sandbox', version },
      now: runtime.now,
      subscriptions: { hasTopics: true },
      wrap: (listener) => {
        held.faults = makeFaults(listener, { now: runtime.now });
        return held.faults.listener;
      },
    });
  const first = await open(port).catch((thrown: unknown) => {
    if (!isTaken(thrown)) throw thrown;
    return undefined;
  });
  const ehr = first ?? (await open(0));
  if (held.faults === undefined) throw new AppError('internal', 'The sandbox has nothing in front of its EHR');
  return { ehr, faults: held.faults, isOtherPort: first === undefined };
}

function clientsOf(auth: EhrAuth) {
  return auth.type === 'client-credentials' ? [{ clientId: auth.clientId, secret: auth.clientSecret }] : [];
}

/** A launch with a key is not played: the sandbox knows no keys of the engine. */
function appsOf(launch: LaunchSettings | undefined, redirectUris: readonly string[]): readonly SandboxClient[] {
  if (launch?.client.kind !== 'secret') return [];
  return [{ clientId: launch.clientId, secret: launch.client.clientSecret, redirectUris }];
}

function isTaken(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'EADDRINUSE';
}
