// Wraps the reasoner and the speech recognition of runs. Calls pass unchanged until a drill makes them fail like those of a vendor.
import { AppError } from '../../domain/errors.ts';
import type { Reasoner } from '../../ports/reasoner.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Speech } from '../../ports/speech.ts';

type EngineService = 'reasoner' | 'speech';

export type EngineFault = {
  readonly service: EngineService;
  /** How many calls the fault affects; absent: all. */
  readonly times?: number;
} & (
  | { readonly mode: 'down' }
  /** An answer of the wrong form. */
  | { readonly mode: 'malformed' }
  /** The answer stops in the middle. */
  | { readonly mode: 'cut' }
  /** The answer is correct and comes later. */
  | { readonly mode: 'slow'; readonly ms: number }
);

export type DrilledEngines = {
  readonly reasoner: Reasoner;
  readonly speech: Speech;
  /** Undefined removes the fault, and slow calls continue immediately. */
  readonly set: (fault: EngineFault | undefined) => void;
  /** How many calls the current fault has affected. */
  readonly met: () => number;
};

type DrilledParts = {
  readonly reasoner: Reasoner;
  readonly speech: Speech;
  readonly runtime: Pick<Runtime, 'pause'>;
};

/** Returns the error to throw instead of the answer of a call; undefined if the call passes. */
type Meet = (service: EngineService, signal: AbortSignal) => Promise<AppError | undefined>;

export function makeDrilledEngines({ reasoner, speech, runtime }: DrilledParts): DrilledEngines {
  let fault: EngineFault | undefined;
  let met = 0;
  let over = new AbortController();

  const meet: Meet = async (service, signal) => {
    if (fault?.service !== service || met >= (fault.times ?? Number.POSITIVE_INFINITY)) return undefined;
    met += 1;
    if (fault.mode !== 'slow') return failureOf(service, fault.mode);
    const either = AbortSignal.any([signal, over.signal]);
    await runtime.pause(fault.ms, either).catch(() => undefined);
    return signal.aborted ? new AppError('cancelled', 'The call was cancelled') : undefined;
  };

  return {
    reasoner: inFrontOfReasoner(reasoner, meet),
    speech: inFrontOfSpeech(speech, meet),
    set(next) {
      over.abort();
      over = new AbortController();
      fault = next;
      met = 0;
    },
    met: () => met,
  };
}

function inFrontOfReasoner(reasoner: Reasoner, meet: Meet): Reasoner {
  const { engine, prompt } = reasoner;
  return {
    engine,
    prompt,
    async diagnose(request, signal) {
      await orThrow(meet('reasoner', signal));
      return reasoner.diagnose(request, signal);
    },
    async *streamDiagnosis(request, signal) {
      const failure = await meet('reasoner', signal);
      if (failure !== undefined && failure.code !== 'vendorAnswer') throw failure;
      for await (const event of reasoner.streamDiagnosis(request, signal)) {
        if (failure !== undefined && event.kind === 'final') throw failure;
        yield event;
      }
    },
    async writeNote(request, signal) {
      await orThrow(meet('reasoner', signal));
      return reasoner.writeNote(request, signal);
    },
  };
}

function inFrontOfSpeech(speech: Speech, meet: Meet): Speech {
  return {
    engine: speech.engine,
    ensureConfigured: () => speech.ensureConfigured(),
    async transcribe(request, signal) {
      await orThrow(meet('speech', signal));
      return speech.transcribe(request, signal);
    },
  };
}

async function orThrow(meeting: Promise<AppError | undefined>): Promise<void> {
  const failure = await meeting;
  if (failure !== undefined) throw failure;
}

function failureOf(service: EngineService, mode: 'down' | 'malformed' | 'cut'): AppError {
  const who = service === 'reasoner' ? 'The reasoner' : 'Speech recognition';
  if (mode === 'down') return new AppError('vendorUnavailable', `${who} cannot be reached (a drill)`);
  if (mode === 'cut') return new AppError('vendorAnswer', `${who} gave an answer that was cut off (a drill)`);
  return new AppError('vendorAnswer', `${who} gave an answer of another form than was asked for (a drill)`);
}
