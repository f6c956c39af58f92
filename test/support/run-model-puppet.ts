// A process with several concurrent tasks, which all freeze or end together: when the test says so, or at a call that kills it.
// kills it.
import { makeProcess, type TestProcess } from './crashes.ts';

export type Puppet = TestProcess & {
  /** Freezes all tasks from now on, until the process wakes as if nothing had happened. */
  readonly sleep: () => void;
  readonly wake: () => void;
  readonly isDead: () => boolean;
};

type KillingCall = (name: string, args: readonly unknown[]) => boolean;
type Wrapping = NonNullable<Parameters<TestProcess['wrap']>[1]>;

export function makePuppet(kills: KillingCall = () => false): Puppet {
  let awake: PromiseWithResolvers<void> | undefined;
  let isDead = false;
  const sleepers: (() => void)[] = [];
  const forever = new Promise<never>(() => undefined);

  const live = async <R>(name: string, args: readonly unknown[], act: () => Promise<R>, late?: Wrapping['late']) => {
    const hasSlept = awake !== undefined;
    await awake?.promise;
    if (!isDead && kills(name, args)) isDead = true;
    if (isDead) return forever;
    const answer = await ((hasSlept ? late?.(name) : undefined) ?? act());
    await awake?.promise;
    return isDead ? forever : (answer as R);
  };

  return {
    ...makeProcess(),
    wrap: (port, { direct = [], late, onFreeze } = {}) => {
      if (onFreeze) sleepers.push(onFreeze);
      return new Proxy(port, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function' || direct.includes(String(name))) return member;
          const act = async (args: readonly unknown[]) => Reflect.apply(member, target, args);
          return (...args: readonly unknown[]) => live(String(name), args, () => act(args), late);
        },
      });
    },
    wrapCall:
      (name, call) =>
      (...args) =>
        live(name, args, () => call(...args)),
    sleep: () => {
      awake = Promise.withResolvers();
      for (const note of sleepers) note();
    },
    wake: () => {
      awake?.resolve();
      awake = undefined;
    },
    isDead: () => isDead,
  };
}
