// Step fetch-recording: opens each recording of the session and detects its type. The next step streams the bytes to the speech recognition;
// they are not stored.
import { higherOf } from '../../domain/chart/confidentiality.ts';
import type { Recording } from '../../domain/recording/recording.ts';
import type { RecordingSource } from '../../domain/recording/recording-source.ts';
import { uploadIdOf } from '../../domain/recording/upload-reference.ts';
import { endOfRefusal } from '../../domain/run/refusal-end.ts';
import { requireResult, type SessionRecording } from '../../domain/run/step-results.ts';
import type { AskPermission } from './ask-permission.ts';
import { type OpenRecordingParts, openRecording } from './open-recording.ts';
import type { Step } from './step-work.ts';

type FetchParts = OpenRecordingParts & { readonly askPermission: AskPermission };

export function makeFetchStep(parts: FetchParts): Step<'fetch-recording'> {
  return async (work, signal) => {
    const { run, site, results } = work;
    const { encounter, patient, sources } = requireResult(results, 'read-chart');
    const fetched: SessionRecording[] = [];
    let confidentiality: RecordingSource['confidentiality'];
    for (const reference of run.recordings) {
      const source = sources.find((one) => one.reference === reference);
      if (source?.confidentiality !== undefined) {
        // Checked before the first byte is read: the label of the recording may forbid that.
        const labels = { confidentiality: source.confidentiality };
        const permission = await parts.askPermission(
          { site, encounter, patient, session: run.session, ...labels },
          signal,
        );
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

type Described = {
  readonly reference: string;
  readonly recording: Recording;
  readonly source: RecordingSource | undefined;
};

async function describe(
  { recordings }: Pick<FetchParts, 'recordings'>,
  { reference, recording, source }: Described,
): Promise<SessionRecording> {
  const uploadId = uploadIdOf(reference);
  const upload = uploadId === undefined ? undefined : await recordings.find(uploadId);
  const start = source?.start ?? upload?.recordedAt;
  return {
    reference,
    type: recording.type,
    ...(start !== undefined && { start }),
    ...(source?.end !== undefined && { end: source.end }),
    ...(source?.durationSeconds !== undefined && { durationSeconds: source.durationSeconds }),
  };
}
