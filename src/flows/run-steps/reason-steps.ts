// Steps write-note and diagnose: the reasoner makes a note and a diagnosis, both of the transcript. The facts of the chart are used for the
// diagnosis, never for the note; the note is not used for the diagnosis. Both steps check that the site allows the configured reasoner.

import { type AnsweringModel, describeAnsweringModel } from '../../domain/answering-model.ts';
import { AppError } from '../../domain/errors.ts';
import { makeDiagnosisHistory } from '../../domain/history/diagnosis-history.ts';
import { type Visit, visitOf } from '../../domain/history/visit.ts';
import type { WrittenNote } from '../../domain/note/note.ts';
import { present } from '../../domain/present.ts';
import { speakerLabelledText, type Transcript } from '../../domain/recording/transcript.ts';
import type { Run } from '../../domain/run/run.ts';
import { requireResult, type StepResults, templateOf } from '../../domain/run/step-results.ts';
import { answerRefusal, engineRefusal } from '../../domain/site/engine-choice.ts';
import type { SiteSettings } from '../../domain/site/site.ts';
import type { Reasoner } from '../../ports/reasoner.ts';
import type { Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Diagnose } from '../service/diagnose.ts';
import type { WriteNote } from '../service/write-note.ts';
import type { Services } from './services.ts';
import type { Step, StepOutcome, StepWork } from './step-work.ts';

type ReasonParts = {
  readonly runs: Pick<Runs, 'ofEncounter' | 'results'>;
  readonly reasoner: Pick<Reasoner, 'engine' | 'prompt'>;
  readonly writeNote: WriteNote;
  readonly diagnose: Diagnose;
  readonly services: Services;
  readonly runtime: Pick<Runtime, 'now'>;
};

export function makeWriteNoteStep(parts: ReasonParts): Step<'write-note'> {
  return async (work, signal) => {
    try {
      return await writeNote(parts, work, signal);
    } catch (thrown) {
      if (!isAbsent(thrown) || !hasWaitedLong(parts, work)) throw thrown;
      return { result: transcriptOnly(parts, work) };
    }
  };
}

async function writeNote(
  parts: ReasonParts,
  { run, site, results, meter }: StepWork,
  signal: AbortSignal,
): Promise<StepOutcome<'write-note'>> {
  ensureAllowed(parts.reasoner.engine, site.settings);
  const { transcript } = requireResult(results, 'transcribe');
  const { language, history: chart, wanted } = requireResult(results, 'read-chart');
  const visit = visitOfRun(parts, site, results);
  const { organization } = run;
  const asked = present({ instruction: wanted.instruction });
  const request = { transcript, language, template: templateOf(results), visit, organization, ...asked };
  const order = { service: 'reasoner', run: run.id, site: site.name } as const;
  const answer = await parts.services.call(order, () => parts.writeNote({ request, meter, chart }, signal), signal);
  const { answeredBy, removed, ...note } = answer;
  ensureAnswerAllowed(parts.reasoner.engine, site.settings, answeredBy);
  const madeAt = parts.runtime.now().toISOString();
  return {
    result: { note, language, model: parts.reasoner.engine, madeAt, ...present({ answeredBy, removed }) },
    versions: versionsOf(parts.reasoner, answeredBy),
  };
}

export function makeDiagnoseStep(parts: ReasonParts): Step<'diagnose'> {
  return async ({ run, site, results, meter }, signal) => {
    // Without a model for the note there is none for the diagnosis. Nothing else of that step is used here.
    if (requireResult(results, 'write-note').isTranscriptOnly === true) return {};
    ensureAllowed(parts.reasoner.engine, site.settings);
    const { history, language } = requireResult(results, 'read-chart');
    const { transcript } = requireResult(results, 'transcribe');
    const clinicalHistory = makeDiagnosisHistory({ transcript, history, language });
    const { diagnosis: table } = site.settings.codes;
    const visit = visitOfRun(parts, site, results);
    const request = {
      clinicalHistory,
      attachments: [],
      language,
      visit,
      organization: run.organization,
      ...(table !== 'none' && { codes: table }),
    };
    const order = { service: 'reasoner', run: run.id, site: site.name } as const;
    const { sources = [] } = site;
    const answer = await parts.services.call(order, () => parts.diagnose({ request, meter, sources }, signal), signal);
    const { answeredBy, removed, ...diagnosis } = answer;
    ensureAnswerAllowed(parts.reasoner.engine, site.settings, answeredBy);
    const madeAt = parts.runtime.now().toISOString();
    const isAlarm = isRed(diagnosis) && !run.isDry && !(await wasAlarmSent(parts.runs, run));
    return {
      result: { diagnosis, model: parts.reasoner.engine, madeAt, ...present({ answeredBy, removed }) },
      versions: versionsOf(parts.reasoner, answeredBy),
      // Sent at once, also if the run will be held.
      ...(isAlarm && { outcome: 'attention' as const }),
    };
  };
}

function visitOfRun({ runtime }: ReasonParts, { settings }: StepWork['site'], results: Partial<StepResults>): Visit {
  const { encounter, patient } = requireResult(results, 'read-chart');
  return visitOf({ encounter, patient, timeZone: settings.timeZone, now: runtime.now() });
}

function isRed(diagnosis: StepResults['diagnose']['diagnosis'] | undefined): boolean {
  return diagnosis?.triage.triage_level === 'RED';
}

/** Whether another run of the session has sent the alarm. Dry runs send none; if results were purged, the alarm may be sent again. */
async function wasAlarmSent(runs: ReasonParts['runs'], { id, site, encounter, session }: Run): Promise<boolean> {
  for (const other of await runs.ofEncounter(site, encounter)) {
    if (other.id === id || other.session !== session || other.isDry) continue;
    if (isRed((await runs.results(other.id)).diagnose?.diagnosis)) return true;
  }
  return false;
}

function versionsOf({ engine, prompt }: ReasonParts['reasoner'], answeredBy: AnsweringModel | undefined) {
  return {
    model: engine,
    ...(answeredBy && { answeredBy: describeAnsweringModel(answeredBy) }),
    ...(prompt !== undefined && { prompt }),
  };
}

/** Throws `notConfigured`, for which a run waits. */
function ensureAllowed(engine: string, { engines }: SiteSettings): void {
  const refusal = engineRefusal(engine, engines);
  if (refusal !== undefined) throw new AppError('notConfigured', `${refusal}.`);
}

/** Each further try is a question that has to be paid for, so that it is not tried every minute. */
const OTHER_VERSION_PAUSE_SECONDS = 900;

/** Throws `notConfigured`: what another version than the required one has answered is not used. */
function ensureAnswerAllowed(engine: string, { engines }: SiteSettings, answeredBy: AnsweringModel | undefined): void {
  const refusal = answerRefusal({ engine, answeredBy }, engines);
  if (refusal === undefined) return;
  throw new AppError('notConfigured', `${refusal}.`, { retryAfterSeconds: OTHER_VERSION_PAUSE_SECONDS });
}

function isAbsent(thrown: unknown): boolean {
  return thrown instanceof AppError && ['vendorUnavailable', 'vendorRejected', 'notConfigured'].includes(thrown.code);
}

/** Counts from the moment when the transcript was ready. */
function hasWaitedLong({ runtime }: ReasonParts, { site, results }: StepWork): boolean {
  const { transcriptOnlyAfterMs } = site.settings.engines;
  if (transcriptOnlyAfterMs === undefined) return false;
  return runtime.now().getTime() - Date.parse(requireResult(results, 'transcribe').madeAt) >= transcriptOnlyAfterMs;
}

const TRANSCRIPT_TITLES = {
  en: { title: 'Transcript (no note could be written)', section: 'Transcript' },
  es: { title: 'Transcripción (no se pudo redactar una nota)', section: 'Transcripción' },
  pt: { title: 'Transcrição (não foi possível redigir uma nota)', section: 'Transcrição' },
} as const;

function transcriptOnly({ runtime }: ReasonParts, { results }: StepWork): StepResults['write-note'] {
  const { transcript, speech } = requireResult(results, 'transcribe');
  const { language } = requireResult(results, 'read-chart');
  const note = noteOf(transcript, TRANSCRIPT_TITLES[language]);
  return { note, language, model: speech, madeAt: runtime.now().toISOString(), isTranscriptOnly: true };
}

function noteOf(
  transcript: Transcript,
  { title, section }: { readonly title: string; readonly section: string },
): WrittenNote {
  const text = speakerLabelledText(transcript);
  return { note: { title, sections: [{ key: 'TRANSCRIPT', title: section, text }] } };
}
