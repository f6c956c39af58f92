// Removes one of the engine's safety measures at a time, by ports that do not keep their contract. No product code is changed.
import { asAppError } from '../../src/domain/errors.ts';
import type { Claim, Queue } from '../../src/ports/queue.ts';
import { SABOTAGES as CHART_SABOTAGES } from './chart-sabotage.ts';
import { aHospital, aResult } from './chart-writing.ts';
import type { RunSabotage } from './run-model-testbed.ts';
import type { TestbedPorts } from './run-testbed.ts';

type Sabotaged = {
  readonly sabotage: () => RunSabotage;
  /** The broken invariant that at least one scenario must report. */
  readonly breaks: RegExp;
  /** Scenarios in which one process sleeps while another works; absent: any. */
  readonly shownBy: 'sleepers' | 'any';
};

export const RUN_SABOTAGES: Readonly<Record<string, Sabotaged>> = {
  'one run a session': { sabotage: withoutUniqueSession, breaks: /was documented by \d runs/, shownBy: 'any' },
  'the fence around the one who has the run': {
    sabotage: withoutFence,
    breaks: /by a process that had lost the run/,
    shownBy: 'sleepers',
  },
  'an answer that comes after the commit': {
    sabotage: withoutCommit,
    breaks: /was accepted, and has no run/,
    shownBy: 'any',
  },
  'one writer for each chart': { sabotage: withoutWriterLease, breaks: /^more than once/, shownBy: 'sleepers' },
};

/** Each resolved run gets a session, even if all recordings are documented. */
function withoutUniqueSession(): RunSabotage {
  return (ports) => ({
    ...ports,
    queue: {
      ...ports.queue,
      siblings: async () => [],
      assignSessions: async (claim, sessions) => {
        const determined = await ports.queue.assignSessions(claim, sessions);
        const [first] = sessions;
        if (determined !== 'none' || first === undefined) return determined;
        return { ...claim, run: { ...claim.run, ...first } };
      },
    },
  });
}

/** A process that has lost its run continues with it as if it were still its own. */
function withoutFence(): RunSabotage {
  return (ports) => {
    const fences = new Map<string, number>();
    const { queue, runs } = ports;
    const now = (claim: Claim): Claim => ({ ...claim, fence: fences.get(claim.run.id) ?? claim.fence });
    const lenient = <T>(call: Promise<T>, otherwise: T): Promise<T> =>
      call.catch((thrown: unknown) => {
        if (asAppError(thrown).code !== 'inUse') throw thrown;
        return otherwise;
      });
    const unfenced: Queue = {
      ...queue,
      claim: async (order) => {
        const claims = await queue.claim(order);
        for (const { run, fence } of claims) fences.set(run.id, fence);
        return claims;
      },
      identify: (claim, who) => lenient(queue.identify(now(claim), who), 'mine'),
      assignSessions: (claim, sessions) => lenient<Claim | 'none'>(queue.assignSessions(now(claim), sessions), 'none'),
      siblings: (claim) => lenient(queue.siblings(now(claim)), []),
      fold: (claim) => lenient(queue.fold(now(claim)), undefined),
      results: (claim) => runs.results(claim.run.id),
      finishStep: (claim, done, next) => lenient(queue.finishStep(now(claim), done, next), { isCancelling: false }),
      leave: (claim, ...end) => lenient(queue.leave(now(claim), ...end), undefined),
    };
    return { ...ports, queue: unfenced };
  };
}

/** Reports events as accepted and loses every third one. */
function withoutCommit(): RunSabotage {
  let count = 0;
  return (ports) => ({
    ...ports,
    inbox: {
      ...ports.inbox,
      accept: async (order) => {
        count += 1;
        return count % 3 === 0 ? { kind: 'accepted', runs: ['lost'] } : ports.inbox.accept(order);
      },
    },
  });
}

/** Every request for the write lease succeeds. */
function withoutWriterLease(): RunSabotage {
  return (ports: TestbedPorts): TestbedPorts => {
    const sabotage = CHART_SABOTAGES['fencing of the writer']?.sabotage;
    if (sabotage === undefined) throw new Error('there is no such sabotage');
    const { ledger } = sabotage({ ...aHospital().parts, ledger: ports.ledger }, aResult());
    return { ...ports, ledger };
  };
}
