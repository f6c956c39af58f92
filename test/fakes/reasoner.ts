// A reasoner that a test scripts, and that records its questions. It passes the contract suite of the port.
import type { AnsweringModel } from '../../src/domain/answering-model.ts';
import type { Diagnosis, PartialDiagnosis } from '../../src/domain/diagnosis/diagnosis.ts';
import { AppError } from '../../src/domain/errors.ts';
import { present } from '../../src/domain/present.ts';
import type { DiagnosisEvent, DiagnosisRequest, NoteAnswer, NoteRequest, Reasoner } from '../../src/ports/reasoner.ts';

export type ReasonerScript = {
  diagnosis: (request: DiagnosisRequest) => Diagnosis;
  /** The diagnoses that a stream shows before the final event. */
  showings: (diagnosis: Diagnosis) => readonly PartialDiagnosis[];
  note: (request: NoteRequest) => NoteAnswer;
  /** The model that the answers name. */
  answeredBy: AnsweringModel | undefined;
  /** The error in place of an answer; a stream throws it after its partial diagnoses. */
  failure: AppError | undefined;
  /** Awaited before each answer and each event of a stream. A promise that never settles is a reasoner that hangs. */
  wait: (about: 'answer' | 'showing' | 'final') => Promise<void>;
};

export type FakeReasoner = Reasoner & {
  /** A test may change it at any time. */
  readonly script: ReasonerScript;
  readonly diagnosisRequests: readonly DiagnosisRequest[];
  readonly noteRequests: readonly NoteRequest[];
  /** The number of questions that are not answered yet. */
  readonly openCalls: () => number;
};

export function makeFakeReasoner(overrides: Partial<ReasonerScript> = {}): FakeReasoner {
  const script: ReasonerScript = {
    diagnosis: aDiagnosis,
    showings: growInThree,
    note: aNote,
    answeredBy: undefined,
    failure: undefined,
    wait: async () => undefined,
    ...overrides,
  };
  const diagnosisRequests: DiagnosisRequest[] = [];
  const noteRequests: NoteRequest[] = [];
  let openCalls = 0;

  const answered = () => present({ answeredBy: script.answeredBy });

  const answer = async <Answer>(make: () => Answer, signal: AbortSignal): Promise<Answer> => {
    refuseAborted(signal);
    openCalls += 1;
    try {
      await orAborted(script.wait('answer'), signal);
      if (script.failure) throw script.failure;
      return make();
    } finally {
      openCalls -= 1;
    }
  };

  return {
    engine: 'fake:reasoner',
    prompt: '0123456789ab',
    script,
    diagnosisRequests,
    noteRequests,
    openCalls: () => openCalls,
    async diagnose(request, signal) {
      diagnosisRequests.push(request);
      return await answer(() => ({ ...script.diagnosis(request), ...answered() }), signal);
    },
    async *streamDiagnosis(request, signal): AsyncGenerator<DiagnosisEvent> {
      diagnosisRequests.push(request);
      refuseAborted(signal);
      openCalls += 1;
      try {
        const diagnosis = script.diagnosis(request);
        for (const showing of script.showings(diagnosis)) {
          await orAborted(script.wait('showing'), signal);
          yield { kind: 'progress', snapshot: () => showing };
        }
        await orAborted(script.wait('final'), signal);
        if (script.failure) throw script.failure;
        yield { kind: 'final', diagnosis, ...answered() };
      } finally {
        openCalls -= 1;
      }
    },
    async writeNote(request, signal) {
      noteRequests.push(request);
      return await answer(() => {
        const note = script.note(request);
        return note.isMedical ? { ...note, ...answered() } : note;
      }, signal);
    },
  };
}

/** Returns a made-up diagnosis that names the language. */
function aDiagnosis({ language }: Pick<DiagnosisRequest, 'language'>): Diagnosis {
  return {
    diagnosis: {
      diseases: [
        {
          name: `Pneumonia (${language})`,
          icd10_code: 'J18.9',
          probability: 0.62,
          why: 'Fever and a productive cough.',
          diagnostic_tests: ['Chest radiograph'],
          standard_care: [{ name: 'Assess severity', url: 'https://www.nice.org.uk/guidance/cg191' }],
          category: 'most-likely',
        },
      ],
    },
    triage: {
      triage_level: 'WHITE',
      triage_justification: 'Nothing that was said is urgent.',
      triage_recommendation: 'To be seen this week.',
    },
  };
}

/** Returns a made-up note in exactly the form of the template. */
function aNote({ template, language }: NoteRequest): NoteAnswer {
  return {
    isMedical: true,
    note: {
      title: `Visit for cough (${language})`,
      sections: template.sections.map(({ key, title }) => ({ key, title, text: `Made-up content of ${key}.` })),
    },
    ...(template.dynamicFields.length > 0 && {
      dynamicFields: Object.fromEntries(template.dynamicFields.map(({ name }) => [name, `value of ${name}`])),
    }),
  };
}

function growInThree({ diagnosis, triage }: Diagnosis): readonly PartialDiagnosis[] {
  const names = diagnosis.diseases.map(({ name }) => ({ name }));
  const more = diagnosis.diseases.map(({ name, icd10_code, probability }) => ({ name, icd10_code, probability }));
  return [
    { diagnosis: { diseases: names } },
    { diagnosis: { diseases: more } },
    { diagnosis, triage: { triage_level: triage.triage_level } },
  ];
}

function refuseAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new AppError('cancelled', 'The request was cancelled');
}

async function orAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  refuseAborted(signal);
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(new AppError('cancelled', 'The request was cancelled'));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
