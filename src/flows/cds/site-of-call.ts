// Which site a call of an EHR is about.
import { AppError } from '../../domain/errors.ts';
import type { LoadedSite } from '../../ports/sites.ts';

/** Throws `conflict` (412 to the EHR): the charts are of a server that is none of this EHR's sites, or of one of several. */
export function siteOfCall(sites: readonly LoadedSite[], fhirServer: string | undefined): LoadedSite {
  const own = fhirServer === undefined ? sites : sites.filter((site) => isOf(site, fhirServer));
  const [site, ...others] = own;
  if (site === undefined) throw new AppError('conflict', 'fhirServer is not the ehr.baseUrl of a site of this EHR');
  if (others.length > 0) throw new AppError('conflict', 'This EHR has several sites here: fhirServer says which one');
  return site;
}

function isOf({ settings: { ehr } }: LoadedSite, fhirServer: string): boolean {
  return ehr !== undefined && ehr.baseUrl.replace(/\/+$/, '') === fhirServer.replace(/\/+$/, '');
}
