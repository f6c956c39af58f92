// Opens a recording of a run: an upload from the store, any other one from the chart.
import { AppError } from '../../domain/errors.ts';
import { LinkRefusal } from '../../domain/recording/link-refusal.ts';
import type { Recording } from '../../domain/recording/recording.ts';
import type { RecordingSource } from '../../domain/recording/recording-source.ts';
import { uploadIdOf } from '../../domain/recording/upload-reference.ts';
import { requireResult } from '../../domain/run/step-results.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { EhrKnowledge } from '../../ports/ehr-knowledge.ts';
import type { Recordings } from '../../ports/recordings.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { FetchRecording } from './fetch-recording.ts';
import type { FindRecordings } from './find-recordings.ts';
import type { RereadRecording } from './reread-recording.ts';
import type { StepWork } from './step-work.ts';

export type OpenRecordingParts = {
  readonly fetchRecording: FetchRecording;
  readonly findRecordings: FindRecordings;
  readonly rereadRecording: RereadRecording;
  readonly recordings: Pick<Recordings, 'find' | 'open'>;
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly knowledge: Pick<EhrKnowledge, 'learn'>;
};

/** Throws `notFound` if the recording was deleted, and what the EHR throws. */
export async function openRecording(
  parts: OpenRecordingParts,
  { site, results }: Pick<StepWork, 'site' | 'results'>,
  reference: string,
  signal: AbortSignal,
): Promise<Recording> {
  const uploadId = uploadIdOf(reference);
  if (uploadId !== undefined) return parts.recordings.open(uploadId);
  try {
    return await openOfChart(parts, { site, results }, reference, signal);
  } catch (thrown) {
    if (thrown instanceof LinkRefusal) await noteOrigin(parts, { site, refusal: thrown }, signal);
    throw thrown;
  }
}

async function openOfChart(
  { findRecordings, fetchRecording, rereadRecording }: OpenRecordingParts,
  { site, results }: Pick<StepWork, 'site' | 'results'>,
  reference: string,
  signal: AbortSignal,
): Promise<Recording> {
  const { encounter, patient, sources } = requireResult(results, 'read-chart');
  const stored = sources.find((source) => source.reference === reference);
  if (stored?.bytes.kind === 'link') {
    const reread = (until: AbortSignal) => rereadRecording({ site, encounter, patient, source: stored }, until);
    return fetchRecording({ site, source: stored, reread }, signal);
  }
  // Bytes that are inside of the chart's resource are not stored with the run: the resource is read again.
  const found = await findRecordings({ site, encounter, patient }, signal);
  const source = found.sources.find((one) => one.reference === reference);
  if (source !== undefined) return fetchRecording({ site, source }, signal);
  if (stored === undefined) throw new AppError('notFound', NOT_THERE);
  const reread = await rereadIfAllowed(() => rereadRecording({ site, encounter, patient, source: stored }, signal));
  return fetchRecording({ site, source: reread }, signal);
}

const NOT_THERE = 'The recording is not in the chart any more';

/** The search found it no more: it says whether the recording is gone, or belongs to another patient or encounter now. */
async function rereadIfAllowed(reread: () => Promise<RecordingSource>): Promise<RecordingSource> {
  try {
    return await reread();
  } catch (thrown) {
    throw thrown instanceof AppError && thrown.code === 'ehrRefused' ? new AppError('notFound', NOT_THERE) : thrown;
  }
}

type Refused = { readonly site: LoadedSite; readonly refusal: LinkRefusal };

/** The probe of the site warns of the server that it does not list. That it cannot be stored now changes nothing for the run. */
async function noteOrigin(
  { ehrs, knowledge }: OpenRecordingParts,
  { site, refusal: { owner, origin } }: Refused,
  signal: AbortSignal,
): Promise<void> {
  if (owner !== 'unlisted' || origin === undefined) return;
  try {
    const { software } = await ehrs.of(site).capabilities(signal);
    await knowledge.learn(site.name, software, { name: 'recording-origin', value: origin });
  } catch {
    // The refusal itself names the origin.
  }
}
