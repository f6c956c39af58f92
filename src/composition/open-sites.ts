// The hospitals' files, read again whenever they change. One that has problems keeps nobody from starting.
import { DEFAULT_MAPPINGS_DIR } from '../config.ts';
import { describeProblem } from '../domain/mapping.ts';
import { isPlainAbroad } from '../domain/plain-address.ts';
import { openSiteRegistry } from '../outbound/files/site-registry.ts';
import type { LoadReport } from '../outbound/files/sites-snapshot.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sites } from '../ports/sites.ts';
import type { House } from './house.ts';

export async function openSites({ config, logger, shutdown }: House): Promise<Sites> {
  let opened: Sites | undefined;
  const registry = await openSiteRegistry({
    directory: config.MAPPINGS_DIR,
    environment: process.env,
    isOptional: config.MAPPINGS_DIR === DEFAULT_MAPPINGS_DIR,
    onLoad: (report) => {
      logLoad(logger, report);
      if (opened !== undefined) warnOfPlainHttp(logger, opened, report);
    },
  });
  opened = registry;
  shutdown.add({ name: 'mappings', close: registry.close });
  warnOfPlainHttp(logger, registry, { loaded: [...registry.current().sites.values()] });
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

/** Each time such a site comes into force: whoever changed it is looking now. */
function warnOfPlainHttp(
  logger: Logger,
  sites: Sites,
  { loaded }: { readonly loaded: readonly { readonly name: string }[] },
): void {
  for (const { name } of loaded) {
    const { ehr } = sites.current().sites.get(name)?.settings ?? {};
    if (ehr === undefined || !isPlainAbroad(ehr.baseUrl)) continue;
    const warning = `the EHR of ${name} is reached by plain http: everything goes through the network in the open`;
    logger.warn(warning, { component: 'mappings' });
  }
}
