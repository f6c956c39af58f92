// Decides whether an encounter may be documented: by the patient's consent, the site's list of sensitive encounters, and confidentiality
// labels. It is decided again before each fetch, model call and write, because a refusal may come in between.
import type { Encounter, Patient } from '@medplum/fhirtypes';
import {
  asConfidentiality,
  decideSensitive,
  higherOf,
  highestConfidentiality,
  isRestricted,
} from '../../domain/chart/confidentiality.ts';
import { ownReference } from '../../domain/chart/own-reference.ts';
import { AppError } from '../../domain/errors.ts';
import { spanOf } from '../../domain/fhir-time.ts';
import type { Permission } from '../../domain/history/chart-context.ts';
import { listOf, memberOf } from '../../domain/raw-members.ts';
import { type ConsentRecords, type ConsentTest, decideConsent } from '../../domain/site/consent.ts';
import type { ConsentUse } from '../../domain/site/consent-provision.ts';
import { makeReadSetting, type SettingAnswer } from '../../mapping/mapping.ts';
import type { Ehr, Ehrs } from '../../ports/ehr.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';

export type PermissionOrder = {
  readonly site: LoadedSite;
  readonly encounter: Encounter;
  readonly patient: Patient;
  /** The highest label of the other inputs: recordings, and facts of the chart. */
  readonly confidentiality?: string;
};

/** Throws what the EHR port throws if the EHR cannot be reached: a retry may help. */
export type AskPermission = (order: PermissionOrder, signal: AbortSignal) => Promise<Permission>;

type AskPermissionParts = { readonly ehrs: Ehrs; readonly runtime: Pick<Runtime, 'now'> };

/** Beyond this number not all Consents are read, and the result is uncertain. */
const MAX_CONSENTS = 500;
/** Patients that were merged into this one; with more of them the result is uncertain as well. */
const MAX_FORMER_PATIENTS = 5;

export function makeAskPermission({ ehrs, runtime }: AskPermissionParts): AskPermission {
  const readSetting = makeReadSetting();

  return async (order, signal) => {
    const { site, encounter, patient } = order;
    const { settings } = site;
    const now = runtime.now();
    const input = { encounter, patient, time: now.toISOString(), timeZone: settings.timeZone };
    const ask = (expression: string) => readSetting(expression, input);

    const use = consentUse(order, now);
    const read = patient.id === undefined ? UNREADABLE : await readConsents(ehrs.of(site), use, signal);
    const consent = decideConsent(settings.consent, { read, use, test: testOf(settings.consent.recording, ask) });
    if (consent.kind === 'refused') return withhold('skip', 'consent', consent.message);
    if (consent.kind === 'held') return withhold('hold', 'consent', consent.message);
    return decideByLabels(order, ask);
  };
}

const UNREADABLE: ConsentRecords = { kind: 'unreadable' };

async function readConsents(ehr: Ehr, { patient, formerPatients = [] }: ConsentUse, signal: AbortSignal) {
  const patients = [patient, ...formerPatients];
  const consents: unknown[] = [];
  let isComplete = true;
  for (const one of patients.slice(0, 1 + MAX_FORMER_PATIENTS)) {
    const read = await readConsentsOf(ehr, one, signal);
    if (read.kind !== 'read') return read;
    consents.push(...read.consents);
    isComplete &&= read.isComplete;
  }
  return { kind: 'read', consents, isComplete: isComplete && patients.length <= 1 + MAX_FORMER_PATIENTS } as const;
}

async function readConsentsOf(ehr: Ehr, patient: string, signal: AbortSignal): Promise<ConsentRecords> {
  const capabilities = await ehr.capabilities(signal);
  const offered = capabilities.types.get('Consent');
  if (capabilities.isKnown && offered === undefined) return { kind: 'not-offered' };
  if (capabilities.isKnown && offered?.canSearch === false) return UNREADABLE;
  try {
    // The search has no status parameter, which not every server supports; the status is checked here.
    const found = await ehr.search({ type: 'Consent', parameters: { patient }, maxResources: MAX_CONSENTS }, signal);
    const consents = found.resources.slice(0, MAX_CONSENTS);
    return { kind: 'read', consents, isComplete: found.isComplete && consents.length === found.resources.length };
  } catch (error) {
    if (error instanceof AppError && (error.code === 'ehrRefused' || error.code === 'ehrAnswer')) {
      return UNREADABLE;
    }
    throw error;
  }
}

function consentUse({ site, encounter, patient }: PermissionOrder, now: Date): ConsentUse {
  const { timeZone, ehr } = site.settings;
  const [began, ended] = [spanOf(encounter.period?.start, timeZone), spanOf(encounter.period?.end, timeZone)];
  const nowMs = now.getTime();
  // The last moment of the encounter: a permission may have been signed after its start.
  const recordedMs = Math.min(ended === undefined ? nowMs : ended.untilMs - 1, nowMs);
  const provider = ownReference(encounter.serviceProvider, ehr?.baseUrl);
  return {
    patient: `Patient/${patient.id}`,
    formerPatients: formerPatientsOf(patient, ehr?.baseUrl),
    organizations: [ehr?.organization, provider].filter((reference) => reference !== undefined),
    baseUrl: ehr?.baseUrl,
    timeZone,
    beganMs: Math.min(began?.fromMs ?? recordedMs, recordedMs),
    recordedMs,
    nowMs,
  };
}

/** Only patients of this EHR. */
function formerPatientsOf(patient: Patient, baseUrl: string | undefined): readonly string[] {
  const replaced = listOf(patient, 'link').filter((link) => memberOf(link, 'type') === 'replaces');
  const named = replaced.flatMap((link) => ownReference(memberOf(link, 'other'), baseUrl) ?? []);
  return [...new Set(named.filter((reference) => reference.startsWith('Patient/')))];
}

type Ask = (expression: string) => SettingAnswer;

/** Values of consent.recording that are rules and not expressions. */
const NAMED_RULES = new Set(['required', 'opt-out', 'by-source']);

function testOf(recording: string, ask: Ask): ConsentTest {
  if (NAMED_RULES.has(recording)) return undefined;
  const answer = ask(recording);
  if (answer.kind !== 'value' || typeof answer.value !== 'boolean') return 'unknown';
  return answer.value ? 'yes' : 'no';
}

function decideByLabels({ site, encounter, patient, confidentiality }: PermissionOrder, ask: Ask): Permission {
  const decision = decideSensitive(site.settings.sensitive, (when) => {
    const answer = ask(when);
    // An empty result counts as false, as in FHIRPath's own conditions.
    if (answer.kind === 'empty') return false;
    return answer.kind === 'value' && typeof answer.value === 'boolean' ? answer.value : 'cannot-tell';
  });
  if (decision === 'cannot-tell') return withhold('hold', 'sensitive', SENSITIVE_UNKNOWN);
  if (decision === 'hold' || decision === 'skip') return withhold(decision, 'sensitive', SENSITIVE);
  const highest = higherOf(highestConfidentiality([encounter, patient]), asConfidentiality(confidentiality));
  const isGranted = decision === 'allow' || !isRestricted(highest);
  return isGranted ? { isGranted } : withhold('hold', 'label', LABELLED);
}

type Withheld = Extract<Permission, { readonly isGranted: false }>;

function withhold(then: Withheld['then'], reason: Withheld['reason'], message: string): Withheld {
  return { isGranted: false, then, reason, message };
}

const SENSITIVE = 'The site treats such encounters as sensitive (sensitive in site.yaml).';
const SENSITIVE_UNKNOWN =
  'It is unknown whether this encounter is sensitive: an entry of sensitive in site.yaml cannot be evaluated.';
const LABELLED = 'The encounter is labelled restricted (R or V), and no entry of sensitive in site.yaml allows it.';
