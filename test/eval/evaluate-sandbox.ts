// Scores the sandbox's encounters end to end, in an engine that is started for it and stopped again.
import { readPatients } from '../../src/sandbox/patients/read-patients.ts';
import type { SandboxPatient } from '../../src/sandbox/patients/sandbox-patient.ts';
import { openSandboxEngine, type PlayedVisit, playLateRecordings, playSandbox } from './play-sandbox.ts';
import { type SandboxReport, summariseSandbox } from './sandbox-summary.ts';
import { scoreVisit, type VisitScore } from './score-visit.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Parts = {
  readonly environment: Readonly<Record<string, string>>;
  readonly onDone: (done: number, of: number) => void;
};

export async function evaluateSandbox({ environment, onDone }: Parts): Promise<SandboxReport> {
  const engine = await openSandboxEngine(environment);
  try {
    const visits = await playLateRecordings(engine, await playSandbox(engine, onDone));
    return summariseSandbox(scoreVisits(readPatients(), visits));
  } finally {
    await engine.stop();
  }
}

/** In the order of the stories. Throws where one was not played. */
export function scoreVisits(
  patients: readonly SandboxPatient[],
  visits: readonly PlayedVisit[],
): readonly VisitScore[] {
  return patients.map((patient) => {
    const visit = visits.find(({ story }) => story === patient.id);
    if (visit === undefined) throw new Error(`${patient.id} was not played`);
    return scoreVisit(patient, visit);
  });
}

/** The settings of an engine that asks the vendors configured here. */
export function vendorsOf(environment: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      /^(OPENAI|VERIFIER|DEEPGRAM)_/.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  );
}
