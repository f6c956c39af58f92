// Opens what all tests of a file share before the first of them, and closes it after the last one.
import { afterAll, beforeAll } from '@jest/globals';

/** Call it at the top of a file. The members of the returned object can be used in hooks and tests, not before. */
export function openedForFile<Opened extends { readonly close: () => Promise<void> }>(
  open: () => Promise<Opened>,
): Opened {
  const held: { opened?: Opened } = {};
  beforeAll(async () => {
    held.opened = await open();
  });
  afterAll(() => held.opened?.close());
  const opened = (): Opened => {
    if (held.opened === undefined) throw new Error('it is open only while hooks and tests of the file run');
    return held.opened;
  };
  return new Proxy({} as Opened, {
    get: (_, name) => Reflect.get(opened(), name),
    ownKeys: () => Reflect.ownKeys(opened()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(opened(), name),
  });
}
