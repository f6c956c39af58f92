// Finds the first obstacle that prevents the documentation of an encounter now, by the EHR and the settings of the site.
import type { Encounter, Patient } from '@medplum/fhirtypes';
import { ownReference } from '../../domain/chart/own-reference.ts';
import type { AppError } from '../../domain/errors.ts';
import { isInPilot } from '../../domain/site/pilot.ts';
import type { ReadSetting } from '../../mapping/mapping.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { AskPermission } from '../run-steps/ask-permission.ts';
import type { FindRecordings } from '../run-steps/find-recordings.ts';
import { isEhrFailure } from './find-subject.ts';

export type Obstacle =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'no-patient' }
  | { readonly kind: 'trigger' }
  | { readonly kind: 'trigger-failed'; readonly why: string }
  | { readonly kind: 'pilot' }
  | { readonly kind: 'no-recording'; readonly omissions: readonly string[] }
  /** `why` is in plain words, without patient data. */
  | { readonly kind: 'permission'; readonly why: string }
  | { readonly kind: 'ehr'; readonly failure: AppError };

type ObstacleParts = {
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly findRecordings: FindRecordings;
  readonly askPermission: AskPermission;
  readonly readSetting: ReadSetting;
  readonly runtime: Pick<Runtime, 'now'>;
};

type ObstacleOrder = { readonly site: LoadedSite; readonly encounter: Encounter };

/** Undefined if there is no obstacle. */
export async function findObstacle(
  parts: ObstacleParts,
  order: ObstacleOrder,
  signal: AbortSignal,
): Promise<Obstacle | undefined> {
  try {
    return await check(parts, order, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    if (!isEhrFailure(thrown)) throw thrown;
    return { kind: 'ehr', failure: thrown };
  }
}

async function check(
  parts: ObstacleParts,
  { site, encounter }: ObstacleOrder,
  signal: AbortSignal,
): Promise<Obstacle | undefined> {
  if (encounter.status === 'cancelled' || encounter.status === 'entered-in-error') return { kind: 'cancelled' };
  const baseUrl = site.settings.ehr?.baseUrl;
  const reference = ownReference(encounter.subject, baseUrl);
  if (!reference?.startsWith('Patient/')) return { kind: 'no-patient' };
  const patient = (await parts.ehrs.of(site).read(reference, signal))?.resource;
  if (patient?.resourceType !== 'Patient') return { kind: 'no-patient' };
  const refusal = checkTrigger(parts, { site, encounter, patient });
  if (refusal !== undefined) return refusal;
  if (!isInPilot({ pilot: site.settings.pilot, encounter, baseUrl })) return { kind: 'pilot' };
  const { sources, omissions } = await parts.findRecordings({ site, encounter, patient }, signal);
  if (sources.length === 0) return { kind: 'no-recording', omissions };
  const permission = await parts.askPermission({ site, encounter, patient }, signal);
  return permission.isGranted ? undefined : { kind: 'permission', why: permission.message };
}

type TriggerQuestion = ObstacleOrder & { readonly patient: Patient };

function checkTrigger(
  { readSetting, runtime }: ObstacleParts,
  { site, encounter, patient }: TriggerQuestion,
): Obstacle | undefined {
  const { trigger, timeZone } = site.settings;
  const input = { encounter, patient, time: runtime.now().toISOString(), timeZone };
  const answer = readSetting(trigger, input, { hasBareNames: true });
  if (answer.kind === 'failed') return { kind: 'trigger-failed', why: answer.why };
  return answer.kind === 'value' && answer.value === true ? undefined : { kind: 'trigger' };
}
