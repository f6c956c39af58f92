// Scores an encounter from its recording to its chart against what its scenario expects.
import type { SandboxPatient } from '../../src/sandbox/patients/sandbox-patient.ts';
import { diagnosisMisses, noteMisses } from '../sandbox/patient-misses.ts';
import { diagnosisIn, noteIn } from './chart-answer.ts';
import { type Misread, misreadFacts } from './misread-facts.ts';
import type { PlayedVisit } from './play-sandbox.ts';
import { checkerComplaints, endMisses, resourceMisses } from './resource-misses.ts';
import { scoreTalk, type TalkScore } from './score-talk.ts';
import { scoreVignette, type VignetteScore } from './score-vignette.ts';
import { readVisitList } from './visit-lists.ts';

export type VisitScore = Pick<SandboxPatient, 'id' | 'language'> & {
  readonly isEndedRight: boolean;
  readonly note: TalkScore;
  /** Absent without speech. */
  readonly diagnosis: VignetteScore | undefined;
  readonly isRightlyWritten: boolean;
  readonly complaints: readonly string[];
  readonly misread: readonly Misread[];
  /** Of the late recording. */
  readonly misreadLate?: readonly Misread[];
  /** All that is not as it should be, in words. */
  readonly misses: readonly string[];
  /** Those of them of which the story does not say that the built-in engine does not get them right yet. */
  readonly newMisses: readonly string[];
};

export function scoreVisit(patient: SandboxPatient, visit: PlayedVisit): VisitScore {
  const { id, language, expected } = patient;
  const note = noteIn(visit.chart, { template: expected.template, language });
  const diagnosis = diagnosisIn(visit.chart);
  const ends = endMisses(patient, visit);
  const resources = resourceMisses(visit);
  const complaints = checkerComplaints(visit);
  const ofAnswer = expected.triage === undefined ? [] : diagnosisMisses(patient, diagnosis);
  // Of what was not written there is no more to say; the figures count all of it.
  const ofContent = ends.length > 0 ? [] : [...noteMisses(patient, note), ...ofAnswer];
  const misses = [...ends, ...ofContent, ...resources, ...complaints];
  const known = new Set(expected.notYet.map(({ what }) => what));
  return {
    id,
    language,
    isEndedRight: ends.length === 0,
    note: scoreTalk(talkOf(patient), note),
    diagnosis: scoreDiagnosis(patient, visit),
    isRightlyWritten: resources.length === 0,
    complaints,
    misread: misreadFacts(patient, readVisitList(id), visit.chart),
    ...(visit.late && { misreadLate: misreadFacts(patient, readVisitList(`${id}-late`), visit.late) }),
    misses,
    newMisses: misses.filter((miss) => !known.has(miss)),
  };
}

function talkOf({ id, language, expected }: SandboxPatient): Parameters<typeof scoreTalk>[0] {
  const { medical, template, invented, why } = expected;
  const sections = Object.fromEntries(
    Object.entries(expected.sections).map(([key, { holds, lacks }]) => {
      return [key, { holds: [...holds], lacks: [...lacks], silent: false }];
    }),
  );
  const file = `${id}.yaml`;
  return { id, language, file, medical, template, talk: [], sections, fields: {}, invented: [...invented], why };
}

/** A medical talk of which nothing was written counts as one without an answer: RED is then called nothing. */
function scoreDiagnosis({ id, language, trap, expected }: SandboxPatient, { run, chart }: PlayedVisit) {
  const { first, among3, mustNotMiss, not3, nothing, triage, medical, why } = expected;
  if (triage === undefined) return undefined;
  const isAnswered = run.status === 'written' || !medical;
  const vignette = {
    id,
    language,
    file: `${id}.yaml`,
    part: 'seen' as const,
    kind: trap === undefined ? ('usual' as const) : ('trap' as const),
    text: id,
    expect: {
      ...(first !== undefined && { first }),
      among3: [...among3],
      among5: [],
      mustNotMiss: [...mustNotMiss],
      not3: [...not3],
      nothing,
      triage,
    },
    why,
  };
  return scoreVignette(vignette, isAnswered ? diagnosisIn(chart) : { error: 'internal' });
}
