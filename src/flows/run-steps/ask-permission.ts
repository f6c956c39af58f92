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
import { spanOf } from '../../domain/fhir-time.ts';
import type { Permission } from '../../domain/history/chart-context.ts';
import { type ConsentRecords, type ConsentTest, decideConsent } from '../../domain/site/consent.ts';
import type { ConsentUse } from '../../domain/site/consent-provision.ts';
import { makeReadSetting, type SettingAnswer } from '../../mapping/mapping.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { Releases } from '../../ports/releases.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { consentPatients, type ReadConsents, readConsents } from './read-consents.ts';

export type PermissionOrder = {
  readonly site: LoadedSite;
  readonly encounter: Encounter;
  readonly patient: Patient;
  /** The session that is to be documented, if there is one yet: a person may have released it. */
  readonly session?: string | undefined;
  /** The highest label of the other inputs: recordings, and facts of the chart. */
  readonly confidentiality?: string;
  /** The patient's Consents, if the caller has read them a moment ago. */
  readonly consents?: ReadConsents | undefined;
};

/** Throws what the EHR port throws if the EHR cannot be reached: a retry may help. */
export type AskPermission = (order: PermissionOrder, signal: AbortSignal) => Promise<Permission>;

type AskPermissionParts = {
  readonly ehrs: Ehrs;
  readonly releases: Pick<Releases, 'has'>;
  readonly runtime: Pick<Runtime, 'now'>;
};

export function makeAskPermission({ ehrs, releases, runtime }: AskPermissionParts): AskPermission {
  const readSetting = makeReadSetting();
  const readNow = async ({ site, patient }: PermissionOrder, signal: AbortSignal) =>
    (await readConsents(ehrs.of(site), { site, patient }, signal)).records;

  return async (order, signal) => {
    const { site, encounter, patient } = order;
    const { settings } = site;
    const now = runtime.now();
    const input = { encounter, patient, time: now.toISOString(), timeZone: settings.timeZone };
    const ask = (expression: string) => readSetting(expression, input);

    const patients = consentPatients(site, patient);
    const use = consentUse(order, patients, now);
    const read = fittingConsents(order, patients) ?? (await readNow(order, signal));
    const consent = decideConsent(settings.consent, { read, use, test: testOf(settings.consent.recording, ask) });
    if (consent.kind === 'refused') return withhold('skip', 'consent', consent.message);
    if (consent.kind === 'held') return withhold('hold', 'consent', consent.message);
    const sensitive = decideSensitively(order, ask);
    if (sensitive.isGranted || !(await isReleased(releases, order, sensitive))) return sensitive;
    return decideByLabels(order);
  };
}

/** Undefined if they are of another patient by now: one that was merged has the Consents of both. */
function fittingConsents({ consents }: PermissionOrder, patients: readonly string[]): ConsentRecords | undefined {
  return consents?.patients.join() === patients.join() ? consents.records : undefined;
}

function consentUse(
  { site, encounter }: PermissionOrder,
  [patient = '', ...formerPatients]: readonly string[],
  now: Date,
): ConsentUse {
  const { timeZone, ehr } = site.settings;
  const [began, ended] = [spanOf(encounter.period?.start, timeZone), spanOf(encounter.period?.end, timeZone)];
  const nowMs = now.getTime();
  // The last moment of the encounter: a permission may have been signed after its start.
  const recordedMs = Math.min(ended === undefined ? nowMs : ended.untilMs - 1, nowMs);
  const provider = ownReference(encounter.serviceProvider, ehr?.baseUrl);
  return {
    patient,
    formerPatients,
    organizations: [ehr?.organization, provider].filter((reference) => reference !== undefined),
    baseUrl: ehr?.baseUrl,
    timeZone,
    beganMs: Math.min(began?.fromMs ?? recordedMs, recordedMs),
    recordedMs,
    nowMs,
  };
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

/** Only a hold for a person to decide can be released: not what the site skips, and not a label. */
async function isReleased(
  releases: Pick<Releases, 'has'>,
  { site, encounter, patient, session }: PermissionOrder,
  { then, reason }: Withheld,
): Promise<boolean> {
  if (then !== 'hold' || reason !== 'sensitive') return false;
  const place = { site: site.name, encounter: `Encounter/${encounter.id}`, patient: `Patient/${patient.id}` };
  return releases.has(session === undefined ? place : { ...place, session });
}

function decideSensitively(order: PermissionOrder, ask: Ask): Permission {
  const { site } = order;
  const decision = decideSensitive(site.settings.sensitive, (when) => {
    const answer = ask(when);
    // An empty result counts as false, as in FHIRPath's own conditions.
    if (answer.kind === 'empty') return false;
    return answer.kind === 'value' && typeof answer.value === 'boolean' ? answer.value : 'cannot-tell';
  });
  if (decision === 'cannot-tell') return withhold('hold', 'sensitive', SENSITIVE_UNKNOWN);
  if (decision === 'hold' || decision === 'skip') return withhold(decision, 'sensitive', SENSITIVE);
  return decision === 'allow' ? { isGranted: true } : decideByLabels(order);
}

function decideByLabels({ encounter, patient, confidentiality }: PermissionOrder): Permission {
  const highest = higherOf(highestConfidentiality([encounter, patient]), asConfidentiality(confidentiality));
  return isRestricted(highest) ? withhold('hold', 'label', LABELLED) : { isGranted: true };
}

type Withheld = Extract<Permission, { readonly isGranted: false }>;

function withhold(then: Withheld['then'], reason: Withheld['reason'], message: string): Withheld {
  return { isGranted: false, then, reason, message };
}

const SENSITIVE = 'The site treats such encounters as sensitive (sensitive in site.yaml).';
const SENSITIVE_UNKNOWN =
  'It is unknown whether this encounter is sensitive: an entry of sensitive in site.yaml cannot be evaluated.';
const LABELLED = 'The encounter is labelled restricted (R or V), and no entry of sensitive in site.yaml allows it.';
