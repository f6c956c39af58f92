// The sandbox as the product sees it: a made-up hospital with its own EHR, patients and drills. The parts of a running sandbox are imported
// when the first files of the sites show that it is on. Until then, and if it is off, its routes answer 409.
import type { HttpExtension } from '../inbound/http/http-extension.ts';
import type { LinkRuntime } from '../platform/amqp-session-link.ts';
import type { Logger } from '../platform/logger.ts';
import type { Shutdown } from '../platform/shutdown.ts';
import type { Reasoner } from '../ports/reasoner.ts';
import type { Runs } from '../ports/runs.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { LoadedSite, Sites } from '../ports/sites.ts';
import type { Speech } from '../ports/speech.ts';
import { SANDBOX_SITE } from '../wire/sandbox-names.ts';
import type { EngineAddresses } from './cds/cds-client.ts';
import { makeOpenChart } from './cds/open-chart.ts';
import { type DrilledEngines, makeDrilledEngines } from './drills/drilled-engines.ts';
import { sandboxPaths } from './http/openapi-sandbox.ts';
import { makeSandboxRoutes } from './http/sandbox-routes.ts';
import { type NarrationOutput, narrateFirstRun } from './narrate-first-run.ts';
import type { OpenedSandbox, SandboxParts } from './open-sandbox.ts';
import { makeOperateSandbox, type OperateSandboxParts } from './operate-sandbox.ts';
import type { Sandbox } from './sandbox-model.ts';
import { makeSandboxSite, type SandboxSite } from './sandbox-site.ts';
import { readScenarios, type SandboxScenarios } from './scenarios.ts';

export type SandboxSettings = {
  readonly wanted: 'auto' | 'on' | 'off';
  readonly folder: string;
  readonly port: number;
  readonly amqpUrl: string | undefined;
  readonly version: string;
  readonly logger: Pick<Logger, 'warn'>;
  readonly shutdown: Pick<Shutdown, 'add'>;
  readonly runtime: Pick<Runtime, 'now' | 'monotonicMs' | 'pause'> & LinkRuntime;
};

/** What the engine has stored about the site of the sandbox. */
export type SandboxMemory = {
  readonly forget: (site: string) => Promise<number>;
  readonly rebind: (site: string, baseUrl: string) => Promise<void>;
};

type Engines = { readonly reasoner: Reasoner; readonly speech: Speech };

type EngineParts = EngineAddresses & {
  readonly runs: Pick<Runs, 'ofEncounter' | 'list' | 'find' | 'steps'>;
  readonly audit: OperateSandboxParts['audit'];
  readonly sites: Pick<Sites, 'current'>;
  readonly charts: { readonly renewEhr: (site: string) => Promise<void> };
  readonly events: { readonly broker: { readonly hold: () => () => void } | undefined };
};

export type SandboxExtension = Pick<SandboxSite, 'adaptSites' | 'ready'> & {
  readonly site: string;
  readonly wrapEngines: (engines: Engines) => Engines;
  readonly attach: (parts: EngineParts) => void;
  readonly http: () => HttpExtension;
  readonly startupLines: () => {
    readonly rows: readonly (readonly [name: string, text: string])[];
    readonly next?: { readonly title: string; readonly commands: readonly string[] };
  };
  readonly afterStart: (output: NarrationOutput) => void;
};

const FIRST_VISIT = 'en-chest-pressure';

export function makeSandbox(settings: SandboxSettings) {
  // Reading them takes a third of a second, and an engine without a sandbox and with a speech recognition needs none of them.
  let read: SandboxScenarios | undefined;
  const scenarios = (): SandboxScenarios => {
    read ??= readScenarios();
    return read;
  };
  return {
    recordings: () => scenarios().recordings,
    withMemory: (memory: SandboxMemory): SandboxExtension => extend({ ...settings, scenarios, memory }),
  };
}

type ExtensionSettings = SandboxSettings & {
  readonly scenarios: () => SandboxScenarios;
  readonly memory: SandboxMemory;
};

function extend(settings: ExtensionSettings): SandboxExtension {
  const { wanted, memory, shutdown, runtime } = settings;
  let opened: OpenedSandbox | undefined;
  let drilled: DrilledEngines | undefined;
  let sandbox: Sandbox | undefined;
  let engine: EngineParts | undefined;
  return {
    site: SANDBOX_SITE,
    ...makeSandboxSite({
      wanted,
      async open(site) {
        const redirectUris = () => (engine === undefined ? [] : [redirectUriOf(engine.publicUrl)]);
        opened = await openFor(site, { ...settings, redirectUris });
        return opened.baseUrl;
      },
    }),
    wrapEngines(engines) {
      if (opened === undefined) return engines;
      drilled = makeDrilledEngines({ ...engines, runtime });
      return drilled;
    },
    attach(parts) {
      engine = parts;
      if (opened === undefined || drilled === undefined) return;
      const drills = openDrillsOf(opened, drilled, parts);
      shutdown.add({ name: 'drills', close: drills.close });
      sandbox = { ...opened, drills };
    },
    http() {
      if (engine === undefined) throw new Error('the sandbox is attached before its routes are served');
      const operate = makeOperateSandbox({
        sandbox,
        forget: () => memory.forget(SANDBOX_SITE),
        openChart: makeOpenChart({ engine, now: runtime.now }),
        audit: engine.audit,
      });
      return { site: SANDBOX_SITE, opsRoutes: makeSandboxRoutes(operate), openApiPaths: sandboxPaths };
    },
    startupLines() {
      if (opened === undefined) return { rows: [] };
      const rows = [['Sandbox', `${opened.baseUrl}: made-up patients and their charts`]] as const;
      const commands = [`sandbox finish ${FIRST_VISIT}`, `sandbox show ${FIRST_VISIT}`];
      return { rows, next: { title: 'See an encounter become a chart entry, in another terminal:', commands } };
    },
    afterStart(output) {
      if (sandbox === undefined || engine === undefined) return;
      const narration = narrateFirstRun({ ...output, runs: engine.runs, runtime });
      shutdown.add({ name: 'first run', close: narration.stop });
    },
  };
}

/** The EHR opens while the files of the sites are read, before the first request to it, and closes after the last one. */
async function openFor(
  { settings: site }: LoadedSite,
  settings: ExtensionSettings & Pick<SandboxParts, 'redirectUris'>,
): Promise<OpenedSandbox> {
  const { port, logger, shutdown, memory } = settings;
  const { openSandbox } = await import('./open-sandbox.ts');
  const opened = await openSandbox({
    ...settings,
    ...settings.scenarios(),
    auth: site.ehr?.auth ?? { type: 'none' },
    launch: site.launch,
  });
  shutdown.add({ name: 'sandbox', close: opened.close });
  if (opened.isOtherPort) {
    logger.warn(`port ${port} is in use: the sandbox listens at ${opened.baseUrl} (SANDBOX_PORT)`);
  }
  await memory.rebind(SANDBOX_SITE, opened.baseUrl);
  return opened;
}

function redirectUriOf(publicUrl: string): string {
  return `${publicUrl.replace(/\/$/, '')}/launch/${SANDBOX_SITE}/callback`;
}

function openDrillsOf(
  opened: OpenedSandbox,
  engines: DrilledEngines,
  { runs, sites, charts, events: { broker } }: EngineParts,
) {
  return opened.openDrills({
    engines,
    ...(broker && { broker }),
    refreshEhr: () => charts.renewEhr(SANDBOX_SITE),
    otherSites: () => otherLiveSites(sites),
    hasEnded: async (encounter) => {
      const all = await runs.ofEncounter(SANDBOX_SITE, encounter);
      return all.length > 0 && all.every(({ status }) => !GOING.has(status));
    },
  });
}

const GOING: ReadonlySet<string> = new Set(['queued', 'running', 'waiting']);

function otherLiveSites(sites: Pick<Sites, 'current'>): readonly string[] {
  const all = [...sites.current().sites.values()];
  return all.filter(({ name, settings }) => name !== SANDBOX_SITE && settings.mode === 'live').map(({ name }) => name);
}
