// Step read-chart: may it be documented, in which language, as what kind of note, and what does the chart say that helps a diagnosis.
import type { Patient } from '@medplum/fhirtypes';
import { literalOf } from '../../domain/chart/existing-resource.ts';
import { hasNumber, readNamedPatient } from '../../domain/event/upload.ts';
import { isLanguage } from '../../domain/language.ts';
import { chooseNote, requestedNote } from '../../domain/note/note-choice.ts';
import { listOf, memberOf } from '../../domain/raw-members.ts';
import type { RecordingSource } from '../../domain/recording/recording-source.ts';
import { uploadIdOf } from '../../domain/recording/upload-reference.ts';
import { endOfRefusal } from '../../domain/run/refusal-end.ts';
import type { RequestedNote, StepResults } from '../../domain/run/run.ts';
import type { RunEnd } from '../../domain/run/run-end.ts';
import { unsupportedLanguage } from '../../domain/run/unsupported-language.ts';
import type { ReadSetting, SettingInput } from '../../mapping/mapping.ts';
import type { Recordings, StoredRecording } from '../../ports/recordings.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { FindRecordings } from './find-recordings.ts';
import type { ChartReading, ReadChart } from './read-chart.ts';
import type { Step, StepWork } from './step-work.ts';

type ReadChartStepParts = {
  readonly readChart: ReadChart;
  readonly findRecordings: FindRecordings;
  readonly recordings: Pick<Recordings, 'find'>;
  readonly readSetting: ReadSetting;
  readonly runtime: Pick<Runtime, 'now'>;
};

export function makeReadChartStep(parts: ReadChartStepParts): Step<'read-chart'> {
  return async (work, signal) => {
    const { site, run, memory } = work;
    const seen = memory.resolved && { encounter: memory.resolved.encounter, patient: memory.resolved.patient };
    const read = await parts.readChart({ site, encounter: run.encounter, ...(seen && { seen }) }, signal);
    if (!read.permission.isGranted) return { end: endOfRefusal(read.permission) };
    if (read.context === undefined) throw new Error('a permission without a chart');
    const upload = await uploadOf(parts, work);
    const known = [run.patient, upload?.patient].filter((name) => name !== undefined);
    if (!known.every((name) => isStillOf(name, read.context?.patient))) return { end: OTHER_PATIENT };
    const languages = chooseLanguages(parts, { site, context: read.context, upload });
    if ('status' in languages) return { end: languages };
    return {
      result: {
        ...read.context,
        sources: await sourcesOf(parts, work, read.context, signal),
        ...languages,
        wanted: chooseWanted(parts, { site, context: read.context, upload }),
      } satisfies StepResults['read-chart'],
    };
  };
}

/** The same as when its recordings were found, or were handed over; or whoever is left of a merge. */
function isStillOf(known: string, patient: Patient | undefined): boolean {
  const named = readNamedPatient(known);
  if (patient === undefined || named === undefined) return false;
  if (named.kind === 'number') return hasNumber(patient, named);
  if (known === `Patient/${patient.id}`) return true;
  return listOf(patient, 'link').some(
    (link) => memberOf(link, 'type') === 'replaces' && literalOf(memberOf(link, 'other')) === known,
  );
}

const OTHER_PATIENT: RunEnd = {
  status: 'parked',
  reason: 'identity',
  message:
    'The encounter is of another patient now than when its recordings were found or handed over; nothing was written.',
  advice: 'Find out whose it is. Replay the run when the EHR says so too; else document by hand, and cancel the run.',
};

type Context = NonNullable<ChartReading['context']>;
type Chosen = { readonly site: LoadedSite; readonly context: Context; readonly upload: StoredRecording | undefined };

/** A session that was handed over has one recording, with wishes of its own. */
async function uploadOf({ recordings }: ReadChartStepParts, { run }: StepWork): Promise<StoredRecording | undefined> {
  const [id] = run.recordings.flatMap((reference) => uploadIdOf(reference) ?? []);
  return id === undefined ? undefined : recordings.find(id);
}

/** Those of this session. Bytes that lie in the chart itself stay there: what is kept must stay small. */
async function sourcesOf(
  { findRecordings }: ReadChartStepParts,
  { run, site, memory }: StepWork,
  { encounter, patient }: Context,
  signal: AbortSignal,
): Promise<readonly RecordingSource[]> {
  const wanted = run.recordings.filter((reference) => uploadIdOf(reference) === undefined);
  if (wanted.length === 0) return [];
  const sources = memory.resolved?.sources ?? (await findRecordings({ site, encounter, patient }, signal)).sources;
  return sources.filter(({ reference }) => wanted.includes(reference)).map(withoutBytes);
}

function withoutBytes(source: RecordingSource): RecordingSource {
  return source.bytes.kind === 'link' ? source : { ...source, bytes: { kind: 'inline', base64: '' } };
}

function inputOf({ runtime }: ReadChartStepParts, { site, context }: Chosen): SettingInput {
  const { encounter, patient } = context;
  return { encounter, patient, time: runtime.now().toISOString(), timeZone: site.settings.timeZone };
}

function chooseWanted(parts: ReadChartStepParts, chosen: Chosen): RequestedNote {
  const { site, context, upload } = chosen;
  const wish = upload?.template ?? upload?.noteType;
  if (wish !== undefined) return requestedNote(wish, site.templates);
  const input = inputOf(parts, chosen);
  return chooseNote({
    noteType: site.settings.noteType,
    encounter: context.encounter,
    templates: site.templates,
    holds: (expression) => {
      const answer = parts.readSetting(expression, input);
      return answer.kind === 'value' && answer.value === true;
    },
  });
}

type Languages = Pick<StepResults['read-chart'], 'speechLanguage' | 'language'>;

function chooseLanguages(parts: ReadChartStepParts, chosen: Chosen): Languages | RunEnd {
  const { site, upload } = chosen;
  const { speech, note } = site.settings.language;
  const input = inputOf(parts, chosen);
  const answerOf = (setting: string): string | undefined => {
    if (!setting.includes('%')) return setting;
    const answer = parts.readSetting(setting, input);
    return answer.kind === 'value' ? String(answer.value) : undefined;
  };
  const speechLanguage = upload?.language ?? answerOf(speech);
  const noteLanguage =
    upload?.language === undefined || upload.language === 'detect' ? answerOf(note) : upload.language;
  if (speechLanguage !== 'detect' && !isLanguage(speechLanguage))
    return unsupportedLanguage(site.settings, 'recording');
  if (!isLanguage(noteLanguage)) return unsupportedLanguage(site.settings, 'note');
  return { speechLanguage, language: noteLanguage };
}
