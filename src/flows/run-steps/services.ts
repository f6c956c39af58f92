// Calls to the services that runs need (reasoner, speech, EHRs): a limited number at once, and a circuit breaker per service. Each failure
// is remembered with the verdict of the circuit, which decides whether the run or the service is at fault.
import { EhrLimit } from '../../domain/ehr-limit.ts';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import { type Circuit, makeCircuit } from '../../domain/run/circuit.ts';
import type { ServiceName } from '../../domain/run/run.ts';
import type { CircuitVerdict } from '../../domain/run/run-failure.ts';
import { makeSemaphore, type Semaphore } from '../../domain/semaphore.ts';
import type { Runtime } from '../../ports/runtime.ts';

export type ServiceFault = { readonly service: ServiceName; readonly verdict: CircuitVerdict };

export type Services = {
  /** Throws what the work throws. While the circuit is open, throws that the service is down, without a call. */
  readonly call: <T>(order: AskOrder, work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
  /** For a call to a model that no run waits for: it counts as one of the calls to the reasoner that are allowed at once. */
  readonly inReasonerSlot: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
  /** The service at fault for an error that `ask` threw; undefined if no service is. */
  readonly faultOf: (error: unknown) => ServiceFault | undefined;
  /** Services that are down now. */
  readonly unavailable: () => readonly ServiceName[];
};

type AskOrder = { readonly service: ServiceName; readonly run: string; readonly site: string };

type ServicesParts = {
  readonly runtime: Pick<Runtime, 'monotonicMs'>;
  readonly maxCalls: { readonly reasoner: number; readonly speech: number };
  /** The service answers again: runs that wait for it can go on. */
  readonly onRecovered: (service: ServiceName) => void;
};

const VENDOR_FAILURES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['vendorUnavailable', 'vendorRejected']);

export function makeServices({ runtime, maxCalls, onRecovered }: ServicesParts): Services {
  const circuits = new Map<ServiceName, Circuit>();
  const semaphores: Readonly<Record<'reasoner' | 'speech', Semaphore>> = {
    reasoner: makeSemaphore(maxCalls.reasoner),
    speech: makeSemaphore(maxCalls.speech),
  };
  const blames = new WeakMap<object, ServiceFault>();
  const circuitOf = (service: ServiceName): Circuit => {
    const circuit = circuits.get(service) ?? makeCircuit();
    circuits.set(service, circuit);
    return circuit;
  };

  const takeSlot = (service: ServiceName, signal: AbortSignal): Promise<() => void> => {
    if (service === 'reasoner' || service === 'speech') return semaphores[service].take(signal);
    return Promise.resolve(() => undefined);
  };

  /**
   * A call to speech recognition also reads the recording from the EHR: a failure counts for the service that caused it. An EHR that limits
   * requests is not down.
   */
  const blame = (error: AppError, { service, run, site }: AskOrder): void => {
    const ehr: ServiceName = `ehr/${site}`;
    if (error instanceof EhrLimit) {
      circuitOf(service).abandoned(run);
      blames.set(error, { service: ehr, verdict: { isOwnFault: false, retryInMs: 0 } });
      return;
    }
    const culprit = error.code === 'ehrUnavailable' ? ehr : VENDOR_FAILURES.has(error.code) ? service : undefined;
    if (culprit !== service) circuitOf(service).abandoned(run);
    if (culprit === undefined || blames.has(error)) return;
    blames.set(error, { service: culprit, verdict: circuitOf(culprit).failed(run, runtime.monotonicMs()) });
  };

  return {
    async call(order, work, signal) {
      const { service, run } = order;
      const circuit = circuitOf(service);
      const releaseSlot = await takeSlot(service, signal);
      try {
        const entered = circuit.enter(run, runtime.monotonicMs());
        if (!entered.mayCall) {
          const down = new AppError(isEhr(service) ? 'ehrUnavailable' : 'vendorUnavailable', downMessage(service));
          blames.set(down, { service, verdict: { isOwnFault: false, retryInMs: entered.retryInMs } });
          throw down;
        }
        const result = await work();
        if (circuit.succeeded(run)) onRecovered(service);
        return result;
      } catch (thrown) {
        if (thrown instanceof AppError && !blames.has(thrown)) blame(thrown, order);
        // Several callers may receive the same error; none of them may stay the prober.
        else circuit.abandoned(run);
        throw thrown;
      } finally {
        releaseSlot();
      }
    },

    async inReasonerSlot(work, signal) {
      const releaseSlot = await takeSlot('reasoner', signal);
      try {
        return await work();
      } finally {
        releaseSlot();
      }
    },

    faultOf: (error) => (typeof error === 'object' && error !== null ? blames.get(error) : undefined),

    unavailable: () =>
      [...circuits].flatMap(([service, circuit]) =>
        circuit.openForMs(runtime.monotonicMs()) === undefined ? [] : [service],
      ),
  };
}

function isEhr(service: ServiceName): boolean {
  return service.startsWith('ehr/');
}

function downMessage(service: ServiceName): string {
  if (service === 'reasoner') return 'The reasoner is not available; the engine keeps trying.';
  if (service === 'speech') return 'Speech recognition is not available; the engine keeps trying.';
  return `The EHR of ${service.slice('ehr/'.length)} is not available; the engine keeps trying.`;
}
