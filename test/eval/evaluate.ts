// Scores a reasoner by all cases, one after the other. Says how far it is.
import { chooseTemplate, type TemplateName } from '../../src/domain/template.ts';
import type { Transcript } from '../../src/domain/transcript.ts';
import type { Reasoner } from '../../src/ports/reasoner.ts';
import { scoreTalk, type TalkScore } from './score-talk.ts';
import { scoreVignette, type VignetteScore } from './score-vignette.ts';
import { readTalks, readVignettes, type Talk } from './sets.ts';

export type Evaluation = { readonly vignettes: readonly VignetteScore[]; readonly talks: readonly TalkScore[] };

type Judged = Pick<Reasoner, 'diagnose' | 'writeNote'>;

export async function evaluate(
  reasoner: Judged,
  signal: AbortSignal,
  onDone: (done: number, of: number) => void = () => undefined,
): Promise<Evaluation> {
  const [vignettes, talks] = await Promise.all([readVignettes(), readTalks()]);
  const of = vignettes.length + talks.length;
  const diagnoses: VignetteScore[] = [];
  const notes: TalkScore[] = [];
  for (const vignette of vignettes) {
    const request = { clinicalHistory: vignette.text, attachments: [], language: vignette.language };
    diagnoses.push(scoreVignette(vignette, await reasoner.diagnose(request, signal)));
    onDone(diagnoses.length, of);
  }
  for (const talk of talks) {
    const { language } = talk;
    const request = { transcript: transcriptOf(talk), template: templateOf(talk), language };
    notes.push(scoreTalk(talk, await reasoner.writeNote(request, signal)));
    onDone(diagnoses.length + notes.length, of);
  }
  return { vignettes: diagnoses, talks: notes };
}

const SECONDS_A_TURN = 5;

function transcriptOf({ talk, language }: Talk): Transcript {
  const utterances = talk.map(([speaker, text], index) => ({
    speaker,
    text,
    startSeconds: index * SECONDS_A_TURN,
    endSeconds: (index + 1) * SECONDS_A_TURN,
    confidence: 0.9,
  }));
  return { language, durationSeconds: talk.length * SECONDS_A_TURN, utterances };
}

function templateOf({ template, custom, language }: Talk) {
  return chooseTemplate({
    noteType: undefined,
    template: template as TemplateName | undefined,
    customTemplate: custom,
    language,
  });
}
