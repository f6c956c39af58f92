// Leaves out the members of an object that are undefined: an optional member is absent, never undefined.

type OptionalNames<T> = { [Name in keyof T]-?: undefined extends T[Name] ? Name : never }[keyof T];

type Present<T> = Omit<T, OptionalNames<T>> & { [Name in OptionalNames<T>]?: Exclude<T[Name], undefined> };

export function present<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}
