// Loads the files of all sites and reloads them when they change. A site with problems does not stop the engine.
import { DEFAULT_MAPPINGS_DIR } from '../config.ts';
import { describeProblem } from '../domain/mapping/mapping.ts';
import { whyNoAmqpEvents } from '../domain/site/amqp-without-broker.ts';
import { whyRunsWait } from '../domain/site/engine-choice.ts';
import { isUnencryptedRemote } from '../domain/site/plain-address.ts';
import { findActiveCandidates } from '../flows/chart-writing/find-active-candidates.ts';
import { makeFindStoppedSites, WHY_STOPPED } from '../flows/operations/find-stopped-sites.ts';
import { openSiteRegistry } from '../outbound/files/site-registry.ts';
import type { LoadReport } from '../outbound/files/sites-snapshot.ts';
import type { Logger } from '../platform/logger.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Reasoner } from '../ports/reasoner.ts';
import type { LoadedSite, Sites } from '../ports/sites.ts';
import type { EngineContext } from './engine-context.ts';
import type { Extension } from './extension.ts';

type SitesParts = {
  readonly ledger: Pick<Ledger, 'dueForCheck'>;
  readonly reasoner: Pick<Reasoner, 'engine'>;
  readonly extension: Pick<Extension, 'site' | 'adaptSites' | 'ready'>;
};

export async function openSites(
  { config, logger, shutdown }: EngineContext,
  { ledger, reasoner, extension }: SitesParts,
): Promise<Sites> {
  let opened: Sites | undefined;
  const hasBroker = config.AMQP_URL !== undefined;
  const findStopped = makeFindStoppedSites({ ledger });
  const warn = (sites: Sites, names: readonly { readonly name: string }[]) => {
    const { sites: inForce } = sites.current();
    const loaded = names.flatMap(({ name }) => inForce.get(name) ?? []);
    for (const site of loaded) warnOf(logger, site, { engine: reasoner.engine, hasBroker });
    return warnOfStopped(logger, findStopped(loaded));
  };
  const registry = await openSiteRegistry({
    directory: config.MAPPINGS_DIR,
    environment: process.env,
    trialSite: extension.site,
    adapt: extension.adaptSites,
    isOptional: config.MAPPINGS_DIR === DEFAULT_MAPPINGS_DIR,
    onLoad: (report) => {
      logLoad(logger, report);
      if (opened !== undefined) void warn(opened, report.loaded);
    },
  });
  opened = registry;
  shutdown.add({ name: 'mappings', close: registry.close });
  await extension.ready();
  await warn(registry, [...registry.current().sites.values()]);
  return registry;
}

function logLoad(logger: Logger, { loaded, stale, unavailable, recovered, removed, problems }: LoadReport): void {
  const from = { component: 'mappings' };
  for (const problem of problems) logger.warn(describeProblem(problem), from);
  for (const site of stale) logger.warn(`the last good mappings of ${site} stay in force`, from);
  for (const site of unavailable) logger.warn(`the site ${site} is not in force: its files have problems`, from);
  for (const site of recovered) logger.info(`the files of ${site} are good again`, from);
  for (const { name, mode } of loaded) logger.info(`the mappings of ${name} are in force (${mode})`, from);
  for (const site of removed) logger.info(`the site ${site} is gone`, from);
}

/** Logged at each start, because an update of the engine is a start. */
async function warnOfStopped(logger: Logger, stopped: Promise<ReadonlySet<string>>): Promise<void> {
  try {
    for (const name of await stopped) logger.warn(`${name}: ${WHY_STOPPED}`, { component: 'mappings' });
  } catch (thrown) {
    logger.warn('it is not known which sites stopped writing: the ledger could not be read', { thrown });
  }
}

/** Logged each time such a site comes into force, because the person who changed it may be reading the log. */
function warnOf(
  logger: Logger,
  site: LoadedSite,
  { engine, hasBroker }: { readonly engine: string; readonly hasBroker: boolean },
): void {
  const from = { component: 'mappings' };
  const { name, settings } = site;
  const { ehr, mode } = settings;
  if (ehr !== undefined && isUnencryptedRemote(ehr.baseUrl)) {
    logger.warn(`the EHR of ${name} is reached by plain http: patient data is sent unencrypted`, from);
  }
  const noEvents = whyNoAmqpEvents(site, hasBroker);
  if (noEvents !== undefined) logger.warn(noEvents, from);
  const refusal = whyRunsWait(engine, settings);
  if (refusal !== undefined) logger.warn(`${name} is ${mode}, and its runs will wait. ${refusal}.`, from);
  for (const problem of findActiveCandidates(site)) logger.warn(`${name}: ${describeProblem(problem)}`, from);
}
