// Processes that die, freeze or are stopped at a chosen moment: every await on a port is such a moment. The calls of a dead process never
// return, so nothing of it can catch, clean up or try again.

export type Fate = {
  /** The number of the await, from 1. */
  readonly at: number;
  readonly how: /** The process dies, and the call was never made. */
    | 'dies-before'
    /** The process dies after the call had its effect and before the answer. */
    | 'dies-after'
    /** The process freezes for a while, before or after the call, and continues without noticing. */
    | 'freezes-before'
    | 'freezes-after'
    /** Aborts its signal right before the call. */
    | 'is-stopped';
};

export type Ended<T> =
  | { readonly kind: 'settled'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'died' }
  /** `thaw` lets it continue, and returns its end. */
  | { readonly kind: 'frozen'; readonly thaw: () => Promise<Ended<T>> };

type Wrapping = {
  /** Calls that do not leave the process: they pass unchanged. */
  readonly direct?: readonly string[];
  /** The answer of a call that was frozen before it was made, if its own deadline has passed. */
  readonly late?: (call: string) => Promise<unknown> | undefined;
  readonly onFreeze?: () => void;
};

export type TestProcess = {
  /** The same port; every call is a moment of this process. */
  readonly wrap: <T extends object>(port: T, wrapping?: Wrapping) => T;
  readonly wrapCall: <A extends readonly unknown[], R>(
    name: string,
    call: (...args: A) => Promise<R>,
  ) => (...args: A) => Promise<R>;
  /** Names of the awaits so far: `transact`. */
  readonly moments: readonly string[];
  readonly run: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<Ended<T>>;
};

/** `onMoment` is called as each await begins, with its number. */
export function makeProcess(fate?: Fate, onMoment: (count: number) => void = () => undefined): TestProcess {
  const moments: string[] = [];
  const stop = new AbortController();
  const death = Promise.withResolvers<'died'>();
  const freeze = Promise.withResolvers<'frozen'>();
  const thaw = Promise.withResolvers<void>();
  let isDead = false;

  const die = (): Promise<never> => {
    isDead = true;
    death.resolve('died');
    return forever();
  };
  const standStill = async (): Promise<void> => {
    freeze.resolve('frozen');
    await thaw.promise;
  };

  const live = async <R>(name: string, act: () => Promise<R>, { late, onFreeze }: Wrapping = {}): Promise<R> => {
    if (isDead) return forever();
    moments.push(name);
    onMoment(moments.length);
    const how = fate?.at === moments.length ? fate.how : undefined;
    if (how === 'dies-before') return die();
    if (how === 'is-stopped') stop.abort(new Error('the process was told to stop'));
    if (how === 'freezes-before') {
      onFreeze?.();
      await standStill();
      const answer = late?.(name);
      if (answer !== undefined) return answer as Promise<R>;
    }
    const answer = await act().then(
      (value) => () => value,
      (thrown) => () => {
        throw thrown;
      },
    );
    if (isDead) return forever();
    if (how === 'dies-after') return die();
    if (how === 'freezes-after') await standStill();
    return answer();
  };

  return {
    moments,
    wrap: (port, wrapping = {}) =>
      new Proxy(port, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function' || wrapping.direct?.includes(String(name))) return member;
          return (...args: readonly unknown[]) =>
            live(String(name), async () => Reflect.apply(member, target, args), wrapping);
        },
      }),
    wrapCall:
      (name, call) =>
      (...args) =>
        live(name, () => call(...args)),
    async run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<Ended<T>> {
      const ending = work(stop.signal).then(
        (value): Ended<T> => ({ kind: 'settled', value }),
        (error: unknown): Ended<T> => ({ kind: 'failed', error }),
      );
      const first = await Promise.race([ending, death.promise, freeze.promise]);
      if (first === 'died') return { kind: 'died' };
      if (first !== 'frozen') return first;
      return {
        kind: 'frozen',
        thaw: () => {
          thaw.resolve();
          return ending;
        },
      };
    },
  };
}

function forever(): Promise<never> {
  return new Promise(() => undefined);
}
