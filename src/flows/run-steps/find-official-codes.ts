// Looks up what the imported list of the site's code system says about the codes of a diagnosis, and about those above them.
import { listedSystem } from '../../domain/coding/code-system.ts';
import type { OfficialCodes } from '../../domain/coding/official-codes.ts';
import { shorterCodes } from '../../domain/coding/shorter-codes.ts';
import { codesOf, type Diagnosis } from '../../domain/diagnosis/diagnosis.ts';
import type { CodeLists } from '../../ports/codes.ts';
import type { LoadedSite } from '../../ports/sites.ts';

type OfficialOrder = { readonly site: LoadedSite; readonly diagnosis: Diagnosis | undefined };

/** Undefined without a diagnosis, and if no list of the site's system is imported. Throws what the store throws (`overloaded`). */
export async function findOfficialCodes(
  codes: Pick<CodeLists, 'find'>,
  { site, diagnosis }: OfficialOrder,
): Promise<OfficialCodes | undefined> {
  if (diagnosis === undefined) return undefined;
  const system = listedSystem({ table: site.codes['diagnosis'], chosen: site.settings.codes.diagnosis });
  const given = codesOf(diagnosis);
  return system && codes.find(system, [...given, ...given.flatMap((code) => shorterCodes(code, system))]);
}
