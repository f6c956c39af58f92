// Step fetch-recording: each recording of the session is asked for, and its first bytes tell what it is. The bytes themselves go on to
// the speech recognition in the next step, and are kept nowhere.
import { higherOf } from '../../domain/chart/confidentiality.ts';
import { AppError } from '../../domain/errors.ts';
import type { Recording } from '../../domain/recording/recording.ts';
import type { RecordingSource } from '../../domain/recording/recording-source.ts';
import type { SessionRecording } from '../../domain/run/run.ts';
import type { Recordings } from '../../ports/recordings.ts';
import type { AskPermission } from './ask-permission.ts';
import type { FetchRecording } from './fetch-recording.ts';
import type { FindRecordings } from './find-recordings.ts';
import { endOfRefusal } from './refusal-end.ts';
import { need, type Step, type StepWork } from './step-work.ts';

export type FetchParts = {
  readonly fetchRecording: FetchRecording;
  readonly findRecordings: FindRecordings;
  readonly recordings: Pick<Recordings, 'find' | 'open'>;
  readonly askPermission: AskPermission;
};

const UPLOAD = 'upload:';

export function makeFetchStep(parts: FetchParts): Step<'fetch-recording'> {
  return async (work, signal) => {
    const { run, site, results } = work;
    const { encounter, patient, sources } = need(results, 'read-chart');
    const fetched: SessionRecording[] = [];
    let confidentiality: RecordingSource['confidentiality'];
    for (const reference of run.recordings) {
      const source = sources.find((one) => one.reference === reference);
      if (source?.confidentiality !== undefined) {
        // Before a byte of it is asked for: what it is labelled with may forbid even that.
        const labels = { confidentiality: source.confidentiality };
        const permission = await parts.askPermission({ site, encounter, patient, ...labels }, signal);
        if (!permission.isGranted) return { end: endOfRefusal(permission) };
        confidentiality = higherOf(confidentiality, source.confidentiality);
      }
      const recording = await openRecording(parts, work, reference, signal);
      work.memory.fetched.set(reference, recording);
      fetched.push(await describe(parts, { reference, recording, source }));
    }
    return { result: { recordings: fetched, ...(confidentiality !== undefined && { confidentiality }) } };
  };
}

/** Also for whoever goes on later: then it is fetched anew. */
export async function openRecording(
  parts: Pick<FetchParts, 'fetchRecording' | 'findRecordings' | 'recordings'>,
  { site, results }: Pick<StepWork, 'site' | 'results'>,
  reference: string,
  signal: AbortSignal,
): Promise<Recording> {
  if (reference.startsWith(UPLOAD)) return parts.recordings.open(reference.slice(UPLOAD.length));
  const { encounter, patient, sources } = need(results, 'read-chart');
  const known = sources.find((one) => one.reference === reference);
  const source =
    known?.bytes.kind === 'link'
      ? known
      : (await parts.findRecordings({ site, encounter, patient }, signal)).sources.find(
          (one) => one.reference === reference,
        );
  if (source === undefined) throw new AppError('notFound', 'The recording is not in the chart any more');
  return parts.fetchRecording({ site, source }, signal);
}

type Described = {
  readonly reference: string;
  readonly recording: Recording;
  readonly source: RecordingSource | undefined;
};

async function describe(
  { recordings }: Pick<FetchParts, 'recordings'>,
  { reference, recording, source }: Described,
): Promise<SessionRecording> {
  const upload = reference.startsWith(UPLOAD) ? await recordings.find(reference.slice(UPLOAD.length)) : undefined;
  const start = source?.start ?? upload?.recordedAt;
  return {
    reference,
    type: recording.type,
    ...(start !== undefined && { start }),
    ...(source?.end !== undefined && { end: source.end }),
    ...(source?.durationSeconds !== undefined && { durationSeconds: source.durationSeconds }),
  };
}
