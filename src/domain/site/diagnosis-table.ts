// Chooses the edition of ICD-10 in which a site names diseases, if its settings do not say it: each country has its own.
import type { SiteSettings } from './site.ts';

type DiagnosisTable = SiteSettings['codes']['diagnosis'];

const NATIONAL: ReadonlyMap<string | undefined, DiagnosisTable> = new Map([
  ['US', 'icd-10-cm'],
  ['ES', 'icd-10-es'],
]);

/** `region` is a country of ISO 3166. Any other country, and none, gets the edition of the WHO. */
export function diagnosisTableOf(region: string | undefined): DiagnosisTable {
  return NATIONAL.get(region) ?? 'icd-10';
}
