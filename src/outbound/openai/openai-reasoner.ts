// A Reasoner behind any server that speaks OpenAI's chat completions. Every answer is streamed, checked against its form and
// complete, or a throw. Holds no state between calls.
import type { OfficialNames } from '../../domain/coding/official-codes.ts';
import { codesOf, type Diagnosis } from '../../domain/diagnosis/diagnosis.ts';
import { findBadForm, repairDiagnosis } from '../../domain/diagnosis/repair-diagnosis.ts';
import { present } from '../../domain/present.ts';
import type {
  DiagnosisAnswer,
  DiagnosisEvent,
  DiagnosisRequest,
  NoteAnswer,
  NoteRequest,
  Reasoner,
} from '../../ports/reasoner.ts';
import { readDiagnosis } from './diagnosis-answer.ts';
import { askForDiagnosis } from './diagnosis-prompt.ts';
import { callModel, lastAnswer, type ModelParts, type ModelTask, openModel } from './model-call.ts';
import { readNote } from './note-answer.ts';
import { askForNote } from './note-prompt.ts';
import { isAnyShown, makePartialDiagnosis } from './partial-diagnosis.ts';
import { promptVersion } from './prompt-version.ts';

export type OpenAiReasonerParts = ModelParts & {
  /** The official names of codes, in any language; empty if there are none. Absent: there are none. It does not throw. */
  readonly findNames?: ((codes: readonly string[]) => Promise<OfficialNames>) | undefined;
};

const nothingIsShown = (): boolean => false;

export function makeOpenAiReasoner(given: OpenAiReasonerParts): Reasoner {
  const parts = openModel(given);
  const namesOf = onceForEach(async (diagnosis) => given.findNames?.(codesOf(diagnosis)) ?? new Map());
  return {
    engine: `openai:${parts.model}`,
    prompt: promptVersion(),

    async diagnose(request: DiagnosisRequest, signal: AbortSignal): Promise<DiagnosisAnswer> {
      const task = { ...diagnosisTask(request, namesOf), operation: 'diagnose', isShown: nothingIsShown } as const;
      const { answer, answeredBy } = await lastAnswer(callModel(parts, task, signal));
      const repaired = repairDiagnosis(answer, request.language, await namesOf(answer));
      return { ...repaired, ...present({ answeredBy }) };
    },

    async *streamDiagnosis(request: DiagnosisRequest, signal: AbortSignal): AsyncGenerator<DiagnosisEvent> {
      const task = { ...diagnosisTask(request, namesOf), operation: 'stream', isShown: isAnyShown } as const;
      const toPartialDiagnosis = makePartialDiagnosis();
      for await (const step of callModel(parts, task, signal)) {
        if (step.kind === 'grew') {
          yield { kind: 'progress', snapshot: () => toPartialDiagnosis(step.json.root) };
          continue;
        }
        const { answer, answeredBy } = step;
        const diagnosis = repairDiagnosis(answer, request.language, await namesOf(answer));
        yield { kind: 'final', diagnosis, ...present({ answeredBy }) };
      }
    },

    async writeNote(request: NoteRequest, signal: AbortSignal): Promise<NoteAnswer> {
      const { answer, answeredBy } = await lastAnswer(callModel(parts, noteTask(request), signal));
      return answer.isMedical ? { ...answer, ...present({ answeredBy }) } : answer;
    },
  };
}

type NamesOf = (diagnosis: Diagnosis) => Promise<OfficialNames>;

/** The names of an answer are needed to judge it, and again to repair it. */
function onceForEach(findNames: NamesOf): NamesOf {
  const found = new WeakMap<Diagnosis, Promise<OfficialNames>>();
  return (diagnosis) => {
    const names = found.get(diagnosis) ?? findNames(diagnosis);
    found.set(diagnosis, names);
    return names;
  };
}

function diagnosisTask(request: DiagnosisRequest, namesOf: NamesOf) {
  const findDoubts = async (answer: Diagnosis) => findBadForm(answer, await namesOf(answer));
  return { question: askForDiagnosis(request), read: readDiagnosis, findDoubts };
}

function noteTask(request: NoteRequest): ModelTask<NoteAnswer> {
  return {
    operation: 'note',
    question: askForNote(request),
    read: (value) => readNote(value, { ...request, utterances: request.transcript.utterances.length }),
    findDoubts: async () => [],
    isShown: nothingIsShown,
  };
}
