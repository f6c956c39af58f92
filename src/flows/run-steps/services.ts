// The services that runs ask, each with a line of its own: only so many calls at once, and none while it is down. What failed is
// remembered together with the line's verdict on it, so that whoever decides about the run knows whose fault it was.
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import type { ServiceName } from '../../domain/run/run.ts';
import type { LineVerdict } from '../../domain/run/run-failure.ts';
import { makeServiceLine, type ServiceLine } from '../../domain/run/service-line.ts';
import { makeTurns, type Turns } from '../../domain/turns.ts';
import type { Runtime } from '../../ports/runtime.ts';

export type Blame = { readonly service: ServiceName; readonly verdict: LineVerdict };

export type Services = {
  /** Throws what the work throws; or that the service is down, without having asked it. */
  readonly ask: <T>(order: AskOrder, work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
  /** Of an error that `ask` threw; undefined where no service is to blame. */
  readonly blameOf: (error: unknown) => Blame | undefined;
  /** Those that are down now. */
  readonly stopped: () => readonly ServiceName[];
};

type AskOrder = { readonly service: ServiceName; readonly run: string; readonly site: string };

type ServicesParts = {
  readonly runtime: Pick<Runtime, 'monotonicMs'>;
  readonly maxCalls: { readonly reasoner: number; readonly speech: number };
  /** A line that was stopped goes on: runs that wait for it need wait no longer. */
  readonly onRecovered: (service: ServiceName) => void;
};

const VENDOR_FAILURES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['vendorUnavailable', 'vendorRejected']);

export function makeServices({ runtime, maxCalls, onRecovered }: ServicesParts): Services {
  const lines = new Map<ServiceName, ServiceLine>();
  const turns: Readonly<Record<'reasoner' | 'speech', Turns>> = {
    reasoner: makeTurns(maxCalls.reasoner),
    speech: makeTurns(maxCalls.speech),
  };
  const blames = new WeakMap<object, Blame>();
  const lineOf = (service: ServiceName): ServiceLine => {
    const known = lines.get(service);
    if (known) return known;
    const line = makeServiceLine();
    lines.set(service, line);
    return line;
  };

  const takeTurn = (service: ServiceName, signal: AbortSignal): Promise<() => void> => {
    if (service === 'reasoner' || service === 'speech') return turns[service].take(signal);
    return Promise.resolve(() => undefined);
  };

  /** The EHR's bytes go through a call to the speech recognition: each answers for its own. */
  const blame = (error: AppError, { service, run, site }: AskOrder): void => {
    const ehr: ServiceName = `ehr/${site}`;
    const culprit = error.code === 'ehrUnavailable' ? ehr : VENDOR_FAILURES.has(error.code) ? service : undefined;
    if (culprit !== service) lineOf(service).gaveUp(run);
    if (culprit === undefined || blames.has(error)) return;
    blames.set(error, { service: culprit, verdict: lineOf(culprit).failed(run, runtime.monotonicMs()) });
  };

  return {
    async ask(order, work, signal) {
      const { service, run } = order;
      const line = lineOf(service);
      const endTurn = await takeTurn(service, signal);
      try {
        const entered = line.enter(run, runtime.monotonicMs());
        if (!entered.mayGo) {
          const down = new AppError(isEhr(service) ? 'ehrUnavailable' : 'vendorUnavailable', wordsFor(service));
          blames.set(down, { service, verdict: { isOwnFault: false, retryInMs: entered.retryInMs } });
          throw down;
        }
        const result = await work();
        if (line.succeeded(run)) onRecovered(service);
        return result;
      } catch (thrown) {
        if (thrown instanceof AppError && !blames.has(thrown)) blame(thrown, order);
        // One failure may be thrown to several, who waited for the same: none of them may go on probing for ever.
        else line.gaveUp(run);
        throw thrown;
      } finally {
        endTurn();
      }
    },

    blameOf: (error) => (typeof error === 'object' && error !== null ? blames.get(error) : undefined),

    stopped: () =>
      [...lines].flatMap(([service, line]) =>
        line.stoppedForMs(runtime.monotonicMs()) === undefined ? [] : [service],
      ),
  };
}

function isEhr(service: ServiceName): boolean {
  return service.startsWith('ehr/');
}

function wordsFor(service: ServiceName): string {
  if (service === 'reasoner') return 'The reasoner is not available; it is tried again and again.';
  if (service === 'speech') return 'Speech recognition is not available; it is tried again and again.';
  return `The EHR of ${service.slice('ehr/'.length)} is not available; it is tried again and again.`;
}
