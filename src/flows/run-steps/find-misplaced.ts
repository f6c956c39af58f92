// Recordings of a run that the chart has for another patient or encounter by now.
import type { Encounter, Patient } from '@medplum/fhirtypes';
import { patientOf } from '../../domain/chart/existing-resource.ts';
import { AppError } from '../../domain/errors.ts';
import { ownerMismatch } from '../../domain/recording/recording-owner.ts';
import { growingPauseMs } from '../../domain/run/growing-pause.ts';
import type { Run } from '../../domain/run/run.ts';
import type { RunEnd } from '../../domain/run/run-end.ts';
import type { Ehr } from '../../ports/ehr.ts';
import type { LoadedSite } from '../../ports/sites.ts';

type Search = {
  readonly ehr: Ehr;
  readonly site: LoadedSite;
  readonly encounter: Encounter;
  readonly patient: Patient;
  /** `DocumentReference/9`, `Media/7` */
  readonly references: readonly string[];
};

/** A sentence for each of them, with references only. */
export async function findMisplaced(search: Search, signal: AbortSignal): Promise<readonly string[]> {
  const { ehr, site, encounter, patient, references } = search;
  const owner = { encounter, patient, baseUrl: site.settings.ehr?.baseUrl ?? '' };
  const whose = `Encounter/${encounter.id} to Patient/${patient.id}`;
  const sentences: string[] = [];
  for (const reference of references) {
    const resource = await readIfAllowed(ehr, reference, signal);
    if (resource?.resourceType !== 'DocumentReference' && resource?.resourceType !== 'Media') continue;
    const mismatch = ownerMismatch(resource, owner);
    if (mismatch === undefined) continue;
    const other = mismatch === 'otherEncounter' ? 'another encounter' : (patientOf(resource) ?? 'another patient');
    sentences.push(`The recording ${reference} belongs to ${other} in the chart, and ${whose}.`);
  }
  return sentences;
}

/** A client may be allowed to search for recordings and not to read one. */
async function readIfAllowed(ehr: Ehr, reference: string, signal: AbortSignal) {
  try {
    return (await ehr.read(reference, signal))?.resource;
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'ehrRefused') return undefined;
    throw thrown;
  }
}

type Misplaced = {
  readonly sentences: readonly string[];
  readonly run: Pick<Run, 'trigger'>;
  readonly site: LoadedSite;
  readonly now: Date;
};

/** An EHR may move an encounter first and its recordings later, so a run that an event has started waits for them. */
export function endOfMisplaced({ sentences, run: { trigger }, site, now }: Misplaced): RunEnd {
  const message = sentences.join(' ');
  const ageMs = now.getTime() - trigger.receivedAt.getTime();
  const { waitMs } = site.settings.recording;
  if (trigger.source !== 'operator' && ageMs < waitMs) {
    const until = new Date(now.getTime() + Math.min(growingPauseMs(ageMs), waitMs - ageMs));
    return { status: 'waiting', reason: 'recording', message, advice: message, until, countsAsTry: false };
  }
  return {
    status: 'parked',
    reason: 'identity',
    message: `${message} Nothing was written.`,
    advice:
      'Find out whose the recording is. Correct the EHR and replay the run; otherwise document by hand, and cancel the run.',
  };
}
