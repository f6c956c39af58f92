// Opens a recording of a run: an upload from the store, any other one from the chart.
import { AppError } from '../../domain/errors.ts';
import type { Recording } from '../../domain/recording/recording.ts';
import { uploadIdOf } from '../../domain/recording/upload-reference.ts';
import { requireResult } from '../../domain/run/step-results.ts';
import type { Recordings } from '../../ports/recordings.ts';
import type { FetchRecording } from './fetch-recording.ts';
import type { FindRecordings } from './find-recordings.ts';
import type { RereadRecording } from './reread-recording.ts';
import type { StepWork } from './step-work.ts';

export type OpenRecordingParts = {
  readonly fetchRecording: FetchRecording;
  readonly findRecordings: FindRecordings;
  readonly rereadRecording: RereadRecording;
  readonly recordings: Pick<Recordings, 'find' | 'open'>;
};

/** Throws `notFound` if the recording was deleted, and what the EHR throws. */
export async function openRecording(
  { recordings, findRecordings, fetchRecording, rereadRecording }: OpenRecordingParts,
  { site, results }: Pick<StepWork, 'site' | 'results'>,
  reference: string,
  signal: AbortSignal,
): Promise<Recording> {
  const uploadId = uploadIdOf(reference);
  if (uploadId !== undefined) return recordings.open(uploadId);
  const { encounter, patient, sources } = requireResult(results, 'read-chart');
  const stored = sources.find((source) => source.reference === reference);
  if (stored?.bytes.kind === 'link') {
    const reread = (until: AbortSignal) => rereadRecording({ site, encounter, patient, source: stored }, until);
    return fetchRecording({ site, source: stored, reread }, signal);
  }
  // Bytes that are inside of the chart's resource are not stored with the run: the resource is read again.
  const found = await findRecordings({ site, encounter, patient }, signal);
  const source = found.sources.find((one) => one.reference === reference);
  if (source === undefined) throw new AppError('notFound', 'The recording is not in the chart any more');
  return fetchRecording({ site, source }, signal);
}
