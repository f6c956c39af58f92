// The hospital in a laptop, put together with the engine that it belongs to. It is opened while the sites are read, before anybody
// asks its EHR, and closed after everybody who does.
import path from 'node:path';
import type { Database } from '../outbound/postgres/database.ts';
import { makePostgresSiteMemory, type SiteMemory } from '../outbound/postgres/site-memory.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { LoadedSite } from '../ports/sites.ts';
import { type OpenedSandbox, openSandbox } from '../sandbox/open-sandbox.ts';
import type { House } from './house.ts';
import { makeSandboxSite, SANDBOX_SITE, type SandboxSite } from './sandbox-site.ts';
import type { SandboxStories } from './sandbox-stories.ts';

export type SandboxHouse = SandboxSite & {
  /** Absent where there is none. Known once the sites have been read. */
  readonly opened: () => OpenedSandbox | undefined;
  readonly memory: SiteMemory;
};

type Parts = { readonly database: Database; readonly stories: SandboxStories };

export function makeSandboxHouse(
  { config, version, logger, shutdown }: House,
  { database, stories }: Parts,
): SandboxHouse {
  const memory = makePostgresSiteMemory({ database });
  let opened: OpenedSandbox | undefined;
  const open = async ({ settings }: LoadedSite): Promise<string> => {
    const sandbox = await openSandbox({
      ...stories,
      folder: path.join(config.DATA_DIR, 'sandbox'),
      host: config.HOST,
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
  return { ...makeSandboxSite({ wanted: config.SANDBOX, open }), opened: () => opened, memory };
}
