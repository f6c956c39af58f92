// Steps write-note and diagnose: what the reasoner makes of the transcript. The chart feeds the diagnosis, never the note. Also says
// whether the engines that are here may work for this site at all.

import { AppError } from '../../domain/errors.ts';
import { makeDiagnosisHistory } from '../../domain/history/diagnosis-history.ts';
import type { WrittenNote } from '../../domain/note/note.ts';
import { chooseTemplate, type Template } from '../../domain/note/template.ts';
import { speakerLabelledText, type Transcript } from '../../domain/recording/transcript.ts';
import type { Run, StepResults } from '../../domain/run/run.ts';
import { engineRefusal } from '../../domain/site/engine-choice.ts';
import type { SiteSettings } from '../../domain/site/site.ts';
import type { Reasoner } from '../../ports/reasoner.ts';
import type { Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Diagnose } from '../service/diagnose.ts';
import type { WriteNote } from '../service/write-note.ts';
import type { Services } from './services.ts';
import { need, type Step, type StepOutcome, type StepWork } from './step-work.ts';

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
  const { transcript } = need(results, 'transcribe');
  const { language } = need(results, 'read-chart');
  const request = { transcript, language, template: templateOf(results) };
  const order = { service: 'reasoner', run: run.id, site: site.name } as const;
  const note = await parts.services.ask(order, () => parts.writeNote({ request, meter }, signal), signal);
  const madeAt = parts.runtime.now().toISOString();
  return { result: { note, language, model: parts.reasoner.engine, madeAt }, versions: versionsOf(parts.reasoner) };
}

export function makeDiagnoseStep(parts: ReasonParts): Step<'diagnose'> {
  return async ({ run, site, results, meter }, signal) => {
    const written = need(results, 'write-note');
    // Nobody reasons here now.
    if (written.isTranscriptOnly === true) return {};
    ensureAllowed(parts.reasoner.engine, site.settings);
    const { history, language } = need(results, 'read-chart');
    const { transcript } = need(results, 'transcribe');
    const clinicalHistory = makeDiagnosisHistory({ transcript, note: written.note, history, language });
    const request = { clinicalHistory, attachments: [], language };
    const order = { service: 'reasoner', run: run.id, site: site.name } as const;
    const diagnosis = await parts.services.ask(order, () => parts.diagnose({ request, meter }, signal), signal);
    const madeAt = parts.runtime.now().toISOString();
    const isAlarm = isRed(diagnosis) && !run.isDry && !(await wasTold(parts.runs, run));
    return {
      result: { diagnosis, model: parts.reasoner.engine, madeAt },
      versions: versionsOf(parts.reasoner),
      // At once, also where the run is going to be held: nobody must have to find it.
      ...(isAlarm && { outcome: 'attention' as const }),
    };
  };
}

function isRed(diagnosis: StepResults['diagnose']['diagnosis'] | undefined): boolean {
  return diagnosis?.triage.triage_level === 'RED';
}

/** By another run of the session. One that is dry tells nobody; what was purged was told long ago, or is told again. */
async function wasTold(runs: ReasonParts['runs'], { id, site, encounter, session }: Run): Promise<boolean> {
  for (const other of await runs.ofEncounter(site, encounter)) {
    if (other.id === id || other.session !== session || other.isDry) continue;
    if (isRed((await runs.results(other.id)).diagnose?.diagnosis)) return true;
  }
  return false;
}

export function templateOf(results: Partial<StepResults>): Template {
  const { wanted, language } = need(results, 'read-chart');
  return chooseTemplate({
    language,
    noteType: wanted.noteType,
    template: wanted.template,
    customTemplate: wanted.customTemplate,
  });
}

function versionsOf({ engine, prompt }: ReasonParts['reasoner']) {
  return { model: engine, ...(prompt !== undefined && { prompt }) };
}

/** Throws `notConfigured`, with which a run waits. */
function ensureAllowed(engine: string, { engines }: SiteSettings): void {
  const refusal = engineRefusal(engine, engines);
  if (refusal !== undefined) throw new AppError('notConfigured', `${refusal}.`);
}

function isAbsent(thrown: unknown): boolean {
  return thrown instanceof AppError && ['vendorUnavailable', 'vendorRejected', 'notConfigured'].includes(thrown.code);
}

/** Since there is something to write a note of: what was waited for before is not the reasoner's fault. */
function hasWaitedLong({ runtime }: ReasonParts, { site, results }: StepWork): boolean {
  const { transcriptOnlyAfterMs } = site.settings.engines;
  if (transcriptOnlyAfterMs === undefined) return false;
  return runtime.now().getTime() - Date.parse(need(results, 'transcribe').madeAt) >= transcriptOnlyAfterMs;
}

const TRANSCRIPT_TITLES = {
  en: { title: 'Transcript (no note could be written)', section: 'Transcript' },
  es: { title: 'Transcripción (no se pudo redactar una nota)', section: 'Transcripción' },
  pt: { title: 'Transcrição (não foi possível redigir uma nota)', section: 'Transcrição' },
} as const;

function transcriptOnly({ runtime }: ReasonParts, { results }: StepWork): StepResults['write-note'] {
  const { transcript, speech } = need(results, 'transcribe');
  const { language } = need(results, 'read-chart');
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
