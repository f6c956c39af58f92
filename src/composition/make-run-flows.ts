// The flows that a run is made of, put together over the ports alone: the same for an engine and for a test.

import type { CodeCheck } from '../domain/coding/official-codes.ts';
import type { StepName } from '../domain/run/run.ts';
import { makeRetractRun, type RetractRun } from '../flows/chart-writing/retract-run.ts';
import { makeRetractSession, type RetractSession } from '../flows/chart-writing/retract-session.ts';
import { makeWriteChart } from '../flows/chart-writing/write-chart.ts';
import { makeFindNames } from '../flows/codes/official-names.ts';
import { type DocumentSession, makeDocumentSession } from '../flows/document-session.ts';
import { makeAskPermission } from '../flows/run-steps/ask-permission.ts';
import { makeCheckStep } from '../flows/run-steps/check-step.ts';
import { makeCompareChart } from '../flows/run-steps/compare-chart.ts';
import { type CheckAudioHead, makeFetchRecording } from '../flows/run-steps/fetch-recording.ts';
import { makeFetchStep } from '../flows/run-steps/fetch-step.ts';
import { type FindRecordings, makeFindRecordings } from '../flows/run-steps/find-recordings.ts';
import { makeMapStep } from '../flows/run-steps/map-step.ts';
import { makeMoveSessions } from '../flows/run-steps/move-sessions.ts';
import { makePublishStep } from '../flows/run-steps/publish-step.ts';
import { makeReadChart } from '../flows/run-steps/read-chart.ts';
import { makeReadChartStep } from '../flows/run-steps/read-chart-step.ts';
import { makeDiagnoseStep, makeWriteNoteStep } from '../flows/run-steps/reason-steps.ts';
import { makeRereadRecording } from '../flows/run-steps/reread-recording.ts';
import { makeResolveEncounter } from '../flows/run-steps/resolve-encounter.ts';
import { makeServices, type Services } from '../flows/run-steps/services.ts';
import type { Steps } from '../flows/run-steps/step-work.ts';
import { traceSteps } from '../flows/run-steps/trace-steps.ts';
import { makeTranscribeStep } from '../flows/run-steps/transcribe-step.ts';
import { makeWriteStep } from '../flows/run-steps/write-step.ts';
import { makeDiagnose } from '../flows/service/diagnose.ts';
import { makeTranscribeRecording } from '../flows/service/transcribe-recording.ts';
import { makeVerifyNote, type VerifyNoteParts } from '../flows/service/verify-note.ts';
import { makeWriteNote } from '../flows/service/write-note.ts';
import { makeReadSetting } from '../mapping/mapping.ts';
import type { Audit } from '../ports/audit.ts';
import type { CodeLists } from '../ports/codes.ts';
import type { Ehrs } from '../ports/ehr.ts';
import type { EhrKnowledge } from '../ports/ehr-knowledge.ts';
import type { Pauses } from '../ports/feeds.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { NoteChecker } from '../ports/note-checker.ts';
import type { Queue } from '../ports/queue.ts';
import type { Reasoner } from '../ports/reasoner.ts';
import type { Recordings } from '../ports/recordings.ts';
import type { Releases } from '../ports/releases.ts';
import type { CheckResources } from '../ports/resource-check.ts';
import type { Runs } from '../ports/runs.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Sites } from '../ports/sites.ts';
import type { Speech } from '../ports/speech.ts';
import type { InSpan } from '../ports/tracing.ts';
import type { Usage } from '../ports/usage.ts';
import type { Verifier } from '../ports/verifier.ts';
import type { CountRemoved } from './count-removed.ts';

export type RunFlowsParts = {
  readonly queue: Queue;
  readonly runs: Pick<Runs, 'markRetracted' | 'moveSession' | 'noteMove' | 'ofEncounter' | 'results'>;
  readonly recordings: Pick<Recordings, 'find' | 'open'>;
  readonly audit: Pick<Audit, 'append'>;
  readonly pauses: Pick<Pauses, 'current'>;
  readonly releases: Pick<Releases, 'has'>;
  readonly usage: Pick<Usage, 'record'>;
  readonly sites: Pick<Sites, 'current'>;
  readonly ehrs: Ehrs;
  readonly ledger: Ledger;
  readonly knowledge: EhrKnowledge;
  readonly codes: Pick<CodeLists, 'find' | 'displays'>;
  readonly check: CheckResources;
  readonly reasoner: Reasoner;
  readonly speech: Speech;
  readonly noteChecker: NoteChecker;
  /** Absent: there is no second check. */
  readonly verifier?: Verifier | undefined;
  readonly onVerified?: VerifyNoteParts['onVerified'];
  readonly checkAudioHead: CheckAudioHead;
  readonly runtime: Runtime;
  readonly searchLagMs: number;
  readonly engine: { readonly name: string; readonly version: string };
  readonly maxCalls: { readonly reasoner: number; readonly speech: number };
  readonly inSpan: InSpan;
  readonly onCodes: (check: CodeCheck) => void;
  readonly onNoteRemoved?: CountRemoved['onNoteRemoved'];
  readonly onDiagnosisRemoved?: CountRemoved['onDiagnosisRemoved'];
  readonly onStep: (step: {
    readonly name: StepName;
    readonly outcome: 'done' | 'failed';
    readonly durationMs: number;
  }) => void;
};

export type RunFlows = {
  readonly documentSession: DocumentSession;
  readonly retractRun: RetractRun;
  readonly retractSession: RetractSession;
  readonly findRecordings: FindRecordings;
  readonly services: Services;
};

export function makeRunFlows(parts: RunFlowsParts): RunFlows {
  const { queue, runtime } = parts;
  const readSetting = makeReadSetting();
  const findRecordings = makeFindRecordings(parts);
  const retractSession = makeRetractSession(parts);
  const retractRun = makeRetractRun({ ...parts, retractSession });
  const services = makeServices({
    runtime,
    maxCalls: parts.maxCalls,
    // If this fails, the waiting runs are retried later anyway.
    onRecovered: (service) => void queue.wake({ service }).catch(() => undefined),
  });
  const moveSessions = makeMoveSessions({ ...parts, findRecordings, retractRun });
  const resolveEncounter = makeResolveEncounter({ ...parts, findRecordings, retractRun, moveSessions, readSetting });
  const steps = makeSteps(parts, { findRecordings, services, readSetting });
  return {
    documentSession: makeDocumentSession({ ...parts, resolveEncounter, steps, services }),
    retractRun,
    retractSession,
    findRecordings,
    services,
  };
}

type Shared = {
  readonly findRecordings: FindRecordings;
  readonly services: Services;
  readonly readSetting: ReturnType<typeof makeReadSetting>;
};

function makeSteps(given: RunFlowsParts, shared: Shared): Steps {
  const askPermission = makeAskPermission(given);
  const parts = { ...given, ...shared, askPermission };
  const transcribeRecording = makeTranscribeRecording(parts);
  const reasoning = {
    ...parts,
    writeNote: makeWriteNote(parts),
    diagnose: makeDiagnose({ ...parts, findNames: makeFindNames(() => given.codes) }),
  };
  const fetching = {
    ...parts,
    fetchRecording: makeFetchRecording(parts),
    rereadRecording: makeRereadRecording(parts),
  };
  const steps = {
    'read-chart': makeReadChartStep({ ...parts, readChart: makeReadChart(parts) }),
    'fetch-recording': makeFetchStep(fetching),
    transcribe: makeTranscribeStep({ ...fetching, transcribeRecording }),
    'write-note': makeWriteNoteStep(reasoning),
    diagnose: makeDiagnoseStep(reasoning),
    check: makeCheckStep({ ...parts, verifyNote: makeVerifyNote(parts) }),
    map: makeMapStep({ ...parts, compareChart: makeCompareChart(parts) }),
    'write-chart': makeWriteStep({ ...parts, writeChart: makeWriteChart(parts) }),
    publish: makePublishStep(),
  };
  return traceSteps(steps, given.inSpan);
}
