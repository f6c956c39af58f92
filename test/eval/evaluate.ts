// Scores a reasoner by cases, a few at once. A case without an answer counts as one with an empty answer. Says how far it is.
import { chooseTemplate, type TemplateName } from '../../src/domain/note/template.ts';
import type { Transcript } from '../../src/domain/recording/transcript.ts';
import type { Reasoner } from '../../src/ports/reasoner.ts';
import { toNoAnswer } from './no-answer.ts';
import { scoreTalk, type TalkScore } from './score-talk.ts';
import { scoreVignette, type VignetteScore } from './score-vignette.ts';
import type { Cases, Talk } from './sets.ts';
import { someAtOnce } from './some-at-once.ts';

export type Evaluation = { readonly vignettes: readonly VignetteScore[]; readonly talks: readonly TalkScore[] };

export type EvaluationParts = {
  readonly reasoner: Pick<Reasoner, 'diagnose' | 'writeNote'>;
  readonly cases: Cases;
  readonly signal: AbortSignal;
  readonly atOnce?: number;
  readonly onDone?: (done: number, of: number) => void;
};

/** Throws only if the signal is aborted. */
export async function evaluate({
  reasoner,
  cases,
  signal,
  atOnce = 1,
  onDone = () => undefined,
}: EvaluationParts): Promise<Evaluation> {
  const of = cases.vignettes.length + cases.talks.length;
  let done = 0;
  const ask = async <T>(call: () => Promise<T>) => {
    const answer = await call().catch((thrown: unknown) => toNoAnswer(thrown, signal));
    done += 1;
    onDone(done, of);
    return answer;
  };
  const vignettes = await someAtOnce(cases.vignettes, atOnce, async (vignette) => {
    const request = { clinicalHistory: vignette.text, attachments: [], language: vignette.language };
    return scoreVignette(vignette, await ask(() => reasoner.diagnose(request, signal)));
  });
  const talks = await someAtOnce(cases.talks, atOnce, async (talk) => {
    const request = { transcript: transcriptOf(talk), template: templateOf(talk), language: talk.language };
    return scoreTalk(talk, await ask(() => reasoner.writeNote(request, signal)));
  });
  return { vignettes, talks };
}

const SECONDS_A_TURN = 5;

export function transcriptOf({ talk, language }: Talk): Transcript {
  const utterances = talk.map(([speaker, text], index) => ({
    speaker,
    text,
    startSeconds: index * SECONDS_A_TURN,
    endSeconds: (index + 1) * SECONDS_A_TURN,
    confidence: 0.9,
  }));
  return { language, durationSeconds: talk.length * SECONDS_A_TURN, utterances };
}

export function templateOf({ template, custom, language }: Talk) {
  return chooseTemplate({
    noteType: undefined,
    template: template as TemplateName | undefined,
    customTemplate: custom,
    language,
  });
}
