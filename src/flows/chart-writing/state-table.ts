// A workflow as a table of named states: each state does one thing and returns the next state with the data that it needs. A state
// that is not in the table is an end.

/** `Data`: by the state's name, what that state needs. */
export type State<Data, Name extends keyof Data = keyof Data> = {
  [N in Name]: { readonly state: N } & Data[N];
}[Name];

type Entry<Work, From, To extends { readonly state: string }> = {
  readonly enter: (work: Work, from: From, signal: AbortSignal) => Promise<To>;
  /** Each state that may follow, and when it does: the compiler accepts neither one more nor one less. */
  readonly next: Readonly<Record<To['state'], string>>;
};

export type StateTable<Work, Data, Active extends keyof Data> = {
  readonly [N in Active]: {
    readonly enter: (work: Work, from: State<Data, N>, signal: AbortSignal) => Promise<State<Data>>;
    readonly next: Readonly<Partial<Record<keyof Data, string>>>;
  };
};

export function state<Work, From, To extends { readonly state: string }>(
  enter: Entry<Work, From, To>['enter'],
  next: Entry<Work, From, To>['next'],
): Entry<Work, From, To> {
  return { enter, next };
}

/** Goes from state to state, and returns the end. */
export async function runStates<Work, Data, Active extends keyof Data>(
  table: StateTable<Work, Data, Active>,
  { work, first }: { readonly work: Work; readonly first: State<Data> },
  signal: AbortSignal,
): Promise<State<Data, Exclude<keyof Data, Active>>> {
  for (let current = first; ; ) {
    // The compiler cannot see that an entry takes the state of its own name.
    const entry = (table as Partial<Record<keyof Data, Entry<Work, State<Data>, never>>>)[current.state];
    if (entry === undefined) return current as State<Data, Exclude<keyof Data, Active>>;
    current = await entry.enter(work, current, signal);
  }
}
