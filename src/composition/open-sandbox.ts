// The hospital in a laptop, put together with the engine that it belongs to. Its EHR is opened while the sites are read, before anybody
// asks it, and closed after everybody who does; its bad days need the rest of the engine.
import path from 'node:path';
import type { Run } from '../domain/run/run.ts';
import type { Database } from '../outbound/postgres/database.ts';
import { makePostgresSiteMemory } from '../outbound/postgres/site-memory.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { Runs } from '../ports/runs.ts';
import type { LoadedSite, Sites } from '../ports/sites.ts';
import { type DrilledEngines, makeDrilledEngines } from '../sandbox/drills/drilled-engines.ts';
import { openDrills } from '../sandbox/drills/open-drills.ts';
import { type OpenedSandbox, openSandbox } from '../sandbox/open-sandbox.ts';
import type { Sandbox } from '../sandbox/sandbox-model.ts';
import { makeSandboxSite, SANDBOX_SITE, type SandboxSite } from '../sandbox/sandbox-site.ts';
import type { SandboxScenarios } from '../sandbox/scenarios.ts';
import type { EngineContext } from './engine-context.ts';
import type { Engines } from './make-engines.ts';
import type { Charts } from './open-charts.ts';
import type { EventWays } from './open-events.ts';

export type SandboxHouse = SandboxSite & {
  /** In front of the engines of runs; where there is no sandbox, nothing is. Once the sites have been read. */
  readonly inFrontOf: (engines: Engines) => Engines;
  /** All of it, once the rest of the engine is there. Undefined where there is none. */
  readonly complete: (parts: EngineParts) => Sandbox | undefined;
  readonly forget: () => Promise<number>;
};

type EngineParts = {
  readonly runs: Pick<Runs, 'ofEncounter'>;
  readonly sites: Pick<Sites, 'current'>;
  readonly charts: Pick<Charts, 'renewEhr'>;
  readonly events: Pick<EventWays, 'broker'>;
};

type Parts = { readonly database: Database; readonly stories: SandboxScenarios };

export function makeSandboxHouse(house: EngineContext, { database, stories }: Parts): SandboxHouse {
  const { config, logger, shutdown, version } = house;
  const memory = makePostgresSiteMemory({ database });
  let opened: OpenedSandbox | undefined;
  let drilled: DrilledEngines | undefined;
  const open = async ({ settings }: LoadedSite): Promise<string> => {
    const sandbox = await openSandbox({
      ...stories,
      folder: path.join(config.DATA_DIR, 'sandbox'),
      port: config.SANDBOX_PORT,
      auth: settings.ehr?.auth ?? { type: 'none' },
      amqpUrl: config.AMQP_URL,
      version,
      runtime: systemRuntime,
    });
    shutdown.add({ name: 'sandbox', close: sandbox.close });
    if (sandbox.isOtherPort) {
      logger.warn(`port ${config.SANDBOX_PORT} is taken: the sandbox is at ${sandbox.baseUrl} (SANDBOX_PORT)`);
    }
    await memory.rebind(SANDBOX_SITE, sandbox.baseUrl);
    opened = sandbox;
    return sandbox.baseUrl;
  };
  return {
    ...makeSandboxSite({ wanted: config.SANDBOX, open }),
    forget: () => memory.forget(SANDBOX_SITE),
    inFrontOf(engines) {
      if (opened === undefined) return engines;
      drilled = makeDrilledEngines({ ...engines, runtime: systemRuntime });
      return drilled;
    },
    complete({ runs, sites, charts, events }) {
      if (opened === undefined || drilled === undefined) return undefined;
      const { faults, isOtherPort: _, close: __, ...hospital } = opened;
      const drills = openDrills({
        hospital,
        faults,
        engines: drilled,
        ...(events.broker && { broker: events.broker }),
        refreshEhr: () => charts.renewEhr(SANDBOX_SITE),
        otherSites: () => liveSitesBeside(sites),
        hasEnded: async (encounter) => haveEnded(await runs.ofEncounter(SANDBOX_SITE, encounter)),
        runtime: systemRuntime,
      });
      shutdown.add({ name: 'drills', close: drills.close });
      return { ...hospital, drills };
    },
  };
}

function liveSitesBeside(sites: Pick<Sites, 'current'>): readonly string[] {
  const all = [...sites.current().sites.values()];
  return all.filter(({ name, settings }) => name !== SANDBOX_SITE && settings.mode === 'live').map(({ name }) => name);
}

const GOING: ReadonlySet<Run['status']> = new Set(['queued', 'running', 'waiting']);

function haveEnded(runs: readonly Pick<Run, 'status'>[]): boolean {
  return runs.length > 0 && runs.every(({ status }) => !GOING.has(status));
}
