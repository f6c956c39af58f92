// The code systems of diseases whose official lists an operator can import.
import type { CodeTable } from '../mapping/code-table.ts';
import type { SiteSettings } from '../site/site.ts';

export const CODE_SYSTEMS = ['icd-10-cm', 'icd-10', 'cie-10-es'] as const;
export type CodeSystem = (typeof CODE_SYSTEMS)[number];

const SYSTEM_URIS: Readonly<Record<CodeSystem, string>> = {
  'icd-10-cm': 'http://hl7.org/fhir/sid/icd-10-cm',
  'icd-10': 'http://hl7.org/fhir/sid/icd-10',
  'cie-10-es': 'http://hl7.org/fhir/sid/icd-10-es',
};

type Choice = { readonly table: CodeTable | undefined; readonly chosen?: SiteSettings['codes']['diagnosis'] };

/**
 * The system whose list names the codes of a site's diagnoses. Undefined for a table of another system. HL7 has registered no URI for
 * CIE-10-ES: its table is recognized by its name also if the site has given it a URI of its own.
 */
export function listedSystem({ table, chosen }: Choice): CodeSystem | undefined {
  if (table === undefined || chosen === 'none') return undefined;
  const system = CODE_SYSTEMS.find((name) => SYSTEM_URIS[name] === table.system);
  return system ?? (chosen === 'icd-10-es' ? 'cie-10-es' : undefined);
}
