// Step read-chart: checks the permission, chooses the languages and the kind of note, and reads the facts of the chart for the diagnosis.
import type { Patient } from '@medplum/fhirtypes';
import { literalOf } from '../../domain/chart/existing-resource.ts';
import { hasNumber, readNamedPatient } from '../../domain/event/upload.ts';
import { isLanguage } from '../../domain/language.ts';
import { chooseNote, requestedNote } from '../../domain/note/note-choice.ts';
import { listOf, memberOf } from '../../domain/raw-members.ts';
import type { RecordingSource } from '../../domain/recording/recording-source.ts';
import { uploadIdOf } from '../../domain/recording/upload-reference.ts';
import { endOfRefusal } from '../../domain/run/refusal-end.ts';
import type { RunEnd } from '../../domain/run/run-end.ts';
import type { RequestedNote, StepResults } from '../../domain/run/step-results.ts';
import { unsupportedLanguage } from '../../domain/run/unsupported-language.ts';
import type { ReadSetting, SettingInput } from '../../mapping/mapping.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { Recordings, StoredRecording } from '../../ports/recordings.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { endOfMisplaced, findMisplaced } from './find-misplaced.ts';
import type { FindRecordings } from './find-recordings.ts';
import type { ChartReading, ReadChart } from './read-chart.ts';
import type { Step, StepWork } from './step-work.ts';

type ReadChartStepParts = {
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly readChart: ReadChart;
  readonly findRecordings: FindRecordings;
  readonly recordings: Pick<Recordings, 'find'>;
  readonly readSetting: ReadSetting;
  readonly runtime: Pick<Runtime, 'now'>;
};

export function makeReadChartStep(parts: ReadChartStepParts): Step<'read-chart'> {
  return async (work, signal) => {
    const { site, run, memory } = work;
    const seen = memory.resolved;
    const order = { site, encounter: run.encounter, session: run.session, ...(seen && { seen }) };
    const read = await parts.readChart(order, signal);
    if (!read.permission.isGranted) return { end: endOfRefusal(read.permission) };
    if (read.context === undefined) throw new Error('a permission without a chart');
    const upload = await uploadOf(parts, work);
    const expected = [run.patient, upload?.patient].filter((name) => name !== undefined);
    if (!expected.every((name) => isSamePatient(name, read.context?.patient))) return { end: OTHER_PATIENT };
    const sources = await sourcesOf(parts, work, read.context, signal);
    const sentences = await misplacedOf(parts, work, { ...read.context, sources }, signal);
    if (sentences.length > 0) return { end: endOfMisplaced({ sentences, run, site, now: parts.runtime.now() }) };
    const languages = chooseLanguages(parts, { site, context: read.context, upload });
    if ('status' in languages) return { end: languages };
    return {
      result: {
        ...read.context,
        sources,
        ...languages,
        wanted: chooseWanted(parts, { site, context: read.context, upload }),
      } satisfies StepResults['read-chart'],
    };
  };
}

/** Whether the patient is the one for whom the recordings were found or uploaded, or the survivor of a merge. */
function isSamePatient(expected: string, patient: Patient | undefined): boolean {
  const named = readNamedPatient(expected);
  if (patient === undefined || named === undefined) return false;
  if (named.kind === 'number') return hasNumber(patient, named);
  if (expected === `Patient/${patient.id}`) return true;
  return listOf(patient, 'link').some(
    (link) => memberOf(link, 'type') === 'replaces' && literalOf(memberOf(link, 'other')) === expected,
  );
}

const OTHER_PATIENT: RunEnd = {
  status: 'parked',
  reason: 'identity',
  message:
    'The encounter now belongs to another patient than when its recordings were found or uploaded; nothing was written.',
  advice:
    'Find out which patient is right. Correct the EHR and replay the run; otherwise document by hand, and cancel the run.',
};

type Context = NonNullable<ChartReading['context']>;
type Chosen = { readonly site: LoadedSite; readonly context: Context; readonly upload: StoredRecording | undefined };

/** An uploaded session has one recording, which may name a language, a note type or a template. */
async function uploadOf({ recordings }: ReadChartStepParts, { run }: StepWork): Promise<StoredRecording | undefined> {
  const [id] = run.recordings.flatMap((reference) => uploadIdOf(reference) ?? []);
  return id === undefined ? undefined : recordings.find(id);
}

/** A recording that was found when the run began and is not found any more may be another patient's by now. */
async function misplacedOf(
  { ehrs }: ReadChartStepParts,
  { run, site }: StepWork,
  { encounter, patient, sources }: Context & { readonly sources: readonly RecordingSource[] },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found = new Set(sources.map(({ reference }) => reference));
  const references = run.recordings.filter((name) => uploadIdOf(name) === undefined && !found.has(name));
  if (references.length === 0) return [];
  return findMisplaced({ ehr: ehrs.of(site), site, encounter, patient, references }, signal);
}

/** The recordings of this session, without inline bytes: stored results must stay small. */
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
  const uploaded = upload?.template ?? upload?.noteType;
  if (uploaded !== undefined) return requestedNote(uploaded, site.templates);
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
