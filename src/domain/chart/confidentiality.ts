// How confidential a resource is by its labels, and the highest of many. A label that the engine does not understand never counts as
// harmless.
import { listOf, memberOf } from '../raw-members.ts';
import type { SiteSettings } from '../site/site.ts';

/** HL7 v3-Confidentiality, from the least to the most. */
export const CONFIDENTIALITY_ORDER = ['U', 'L', 'M', 'N', 'R', 'V'] as const;
export type Confidentiality = (typeof CONFIDENTIALITY_ORDER)[number];

/** The code systems by all addresses that they have had, and as OIDs. */
const CONFIDENTIALITY_SYSTEM = /\b(?:v3[-/]Confidentiality|2\.16\.840\.1\.113883\.5\.25)$/i;
const ACT_CODE_SYSTEM = /\b(?:v3[-/]ActCode|2\.16\.840\.1\.113883\.5\.4)$/i;
/** A version, or a slash at the end. */
const BEHIND_SYSTEM = /(?:\|.*|[/\s]+)$/;

/** v3-ActCode, InformationSensitivityPolicy: information that must not spread. */
const SENSITIVITY_CODES = new Set(
  [
    'ETH ETHUD ETHUDE OPIOIDUD SUD TBOO HIV STD SEX SEXORIENT SDV DVD VIO PSY PSYTHPN MH BH COGN EMOTDIS',
    'GDIS SCA SICKLE PREGNANT IDS MST SPI ADOL CEL DIA DRGIS EMP EMPL PDS PHY PRS LOCIS SSP VIP HIGHLYSENS',
  ].flatMap((codes) => codes.split(' ')),
);

/** Undefined if neither has a label. */
export function higherOf(
  one: Confidentiality | undefined,
  other: Confidentiality | undefined,
): Confidentiality | undefined {
  return rankOf(one) >= rankOf(other) ? one : other;
}

function rankOf(code: Confidentiality | undefined): number {
  return code === undefined ? -1 : CONFIDENTIALITY_ORDER.indexOf(code);
}

/** A restricted resource needs a decision of the site before anything is made of it. */
export function isRestricted(code: Confidentiality | undefined): boolean {
  return rankOf(code) >= rankOf('R');
}

/** For a code from outside: an unknown one counts as the highest. */
export function asConfidentiality(code: string | undefined): Confidentiality | undefined {
  return code === undefined ? undefined : (CONFIDENTIALITY_ORDER.find((known) => known === code) ?? 'V');
}

export function highestConfidentiality(resources: Iterable<unknown>): Confidentiality | undefined {
  let highest: Confidentiality | undefined;
  for (const resource of resources) highest = higherOf(highest, confidentialityOf(resource));
  return highest;
}

/** Reads `meta.security` and a document's own `securityLabel`; undefined if it has no label of that kind. */
export function confidentialityOf(resource: unknown): Confidentiality | undefined {
  const labels = [
    ...listOf(resource, 'meta').flatMap((meta) => listOf(meta, 'security')),
    ...listOf(resource, 'securityLabel').flatMap(codingsOf),
  ];
  let highest: Confidentiality | undefined;
  for (const label of labels) highest = higherOf(highest, confidentialityOfLabel(label));
  return highest;
}

/** A label that is only a text, or no concept at all, still counts. */
function codingsOf(concept: unknown): readonly unknown[] {
  const codings = listOf(concept, 'coding');
  return codings.length > 0 ? codings : [concept];
}

function confidentialityOfLabel(label: unknown): Confidentiality | undefined {
  const [given, code] = [memberOf(label, 'system'), memberOf(label, 'code')];
  // An unreadable label may mean anything.
  if ((given === undefined && code === undefined) || (given !== undefined && typeof given !== 'string')) return 'V';
  const system = given?.replace(BEHIND_SYSTEM, '');
  if (system !== undefined && CONFIDENTIALITY_SYSTEM.test(system)) {
    return asConfidentiality(typeof code === 'string' ? code : '');
  }
  if (system !== undefined && ACT_CODE_SYSTEM.test(system)) {
    return typeof code === 'string' && SENSITIVITY_CODES.has(code) ? 'R' : undefined;
  }
  // Without a system the code may be of another one: only a restricting code counts.
  if (system !== undefined || typeof code !== 'string') return undefined;
  const meant =
    CONFIDENTIALITY_ORDER.find((known) => known === code) ?? (SENSITIVITY_CODES.has(code) ? 'R' : undefined);
  return isRestricted(meant) ? meant : undefined;
}

type SensitiveEntry = SiteSettings['sensitive'][number];

/** The decision of the site's list for this encounter: that of the first entry that fits. `cannot-tell`: one before it cannot be evaluated. */
export type SensitiveDecision = SensitiveEntry['then'] | 'cannot-tell' | undefined;

export function decideSensitive(
  entries: readonly SensitiveEntry[],
  ask: (when: string) => boolean | 'cannot-tell',
): SensitiveDecision {
  for (const { when, then } of entries) {
    const fits = ask(when);
    if (fits === 'cannot-tell') return 'cannot-tell';
    if (fits) return then;
  }
  return undefined;
}
