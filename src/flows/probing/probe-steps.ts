// Runs the steps of a probe one after the other: each has a result, and a step that cannot be tried has the reason.

import { asAppError } from '../../domain/errors.ts';
import { MappingError } from '../../domain/mapping/mapping.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { ProbeStep } from './probe-report.ts';

export type Verdict<T = unknown> = Pick<ProbeStep, 'result' | 'why'> & { readonly value?: T };

export function passed<T>(why: string, value?: T): Verdict<T> {
  return { result: 'passed', why, ...(value !== undefined && { value }) };
}

/** A failed step may still return a value that later steps can use. */
export function failed<T>(why: string, value?: T): Verdict<T> {
  return { result: 'failed', why, ...(value !== undefined && { value }) };
}

export function notTried<T>(why: string): Verdict<T> {
  return { result: 'not-tried', why };
}

export type ProbeSteps = {
  readonly all: () => readonly ProbeStep[];
  readonly add: (step: ProbeStep) => void;
  /** Never throws: an error becomes the result of the step. */
  readonly run: <T>(name: string, work: () => Promise<Verdict<T>>) => Promise<T | undefined>;
};

type StepsParts = {
  readonly runtime: Pick<Runtime, 'monotonicMs'>;
  readonly signal: AbortSignal;
  /** After this time no further step is begun. */
  readonly limitMs: number;
};

export function makeProbeSteps({ runtime, signal, limitMs }: StepsParts): ProbeSteps {
  const steps: ProbeStep[] = [];
  const startedMs = runtime.monotonicMs();
  return {
    all: () => [...steps],
    add: (step) => {
      steps.push(step);
    },
    async run(name, work) {
      const { value, ...result } = await outcome(work);
      steps.push({ name, ...result });
      return value;
    },
  };

  async function outcome<T>(work: () => Promise<Verdict<T>>): Promise<Verdict<T>> {
    if (signal.aborted) return notTried('The probe was stopped before this step.');
    if (runtime.monotonicMs() - startedMs > limitMs) {
      return notTried(`The probe had taken longer than ${Math.round(limitMs / 1000)} s by then.`);
    }
    try {
      return await work();
    } catch (thrown) {
      return failed(signal.aborted ? 'The probe was stopped during this step.' : describeError(thrown));
    }
  }
}

/** The message of a mapping's failure names its place, and no value. */
export function describeError(thrown: unknown): string {
  return asSentence(thrown instanceof MappingError ? thrown.message : asAppError(thrown).message);
}

function asSentence(message: string): string {
  return message.endsWith('.') ? message : `${message}.`;
}
