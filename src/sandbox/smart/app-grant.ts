// What an app was granted: by whom, for which visit, and with which scopes. Codes, tokens and launches are texts that end, and that are lost when
// the process ends.
import { randomBytes } from 'node:crypto';

/** The visit and the person in whose chart the app was launched. Ids without a type. */
export type LaunchContext = {
  readonly encounter?: string;
  readonly patient?: string;
  /** Absent: the person is chosen on the page. */
  readonly practitioner?: string;
  /** What a CDS card gave along with its link. */
  readonly appContext?: string;
};

export type AppGrant = Omit<LaunchContext, 'practitioner'> & {
  readonly clientId: string;
  readonly practitioner: string;
  readonly scopes: readonly string[];
  /** All that one sign-in has led to has the same id, so that it can be ended at once. */
  readonly family: string;
};

export type Expiring<Value> = {
  readonly issue: (value: Value) => string;
  readonly find: (text: string) => Value | undefined;
  readonly endOf: (text: string) => Date | undefined;
  /** Returns the value, and forgets it. */
  readonly take: (text: string) => Value | undefined;
  readonly forget: (matches: (value: Value) => boolean) => void;
};

export function makeExpiring<Value>(parts: {
  readonly now: () => Date;
  readonly lifeSeconds: number;
}): Expiring<Value> {
  const nowMs = () => parts.now().getTime();
  const issued = new Map<string, { readonly value: Value; readonly endsAtMs: number }>();
  const find = (text: string): Value | undefined => {
    const found = issued.get(text);
    return found !== undefined && found.endsAtMs > nowMs() ? found.value : undefined;
  };
  return {
    find,
    endOf: (text) => (find(text) === undefined ? undefined : new Date(issued.get(text)?.endsAtMs ?? 0)),
    issue(value) {
      for (const [text, { endsAtMs }] of issued) if (endsAtMs <= nowMs()) issued.delete(text);
      const text = randomBytes(32).toString('base64url');
      issued.set(text, { value, endsAtMs: nowMs() + parts.lifeSeconds * 1000 });
      return text;
    },
    take(text) {
      const value = find(text);
      issued.delete(text);
      return value;
    },
    forget(matches) {
      for (const [text, { value }] of issued) if (matches(value)) issued.delete(text);
    },
  };
}
