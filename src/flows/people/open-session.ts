// Ends every sign-in: opens a new session for a person whose identity is proven, with a secret that is returned once. A session is never continued
// from an earlier one, so that an id that someone else put into the browser is worth nothing.
import type { OpenedEncounter } from '../../domain/people/caller.ts';
import { present } from '../../domain/present.ts';
import type { Audit } from '../../ports/audit.ts';
import type { NewSession, PersonSession, PersonSessions, SessionKind, SignInWay } from '../../ports/person-sessions.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { randomId, randomSecret } from '../random-names.ts';

export type OpenSessionOrder = {
  /** The id of the person. */
  readonly person: string;
  readonly kind: SessionKind;
  readonly way: SignInWay;
  /** The network address of the request. */
  readonly address: string;
  /** What the browser or program calls itself. */
  readonly agent?: string | undefined;
  readonly opened?: OpenedEncounter | undefined;
  readonly provider?: NewSession['provider'] | undefined;
};

/** `secretText`: `<id>_<secret>`, the value of the cookie; with `ps_` before it a bearer. It cannot be shown again. */
export type OpenedSession = { readonly session: PersonSession; readonly secretText: string };

/** Throws `forbidden` if the account is disabled, and what the stores throw. */
export type OpenSession = (order: OpenSessionOrder) => Promise<OpenedSession>;

export type OpenSessionParts = {
  readonly personSessions: Pick<PersonSessions, 'create'>;
  readonly audit: Pick<Audit, 'append'>;
  readonly runtime: Pick<Runtime, 'makeSecret' | 'digest'>;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const IN_BROWSER = { idleMs: 15 * MINUTE_MS, totalMs: 12 * HOUR_MS } as const;
const LIMITS = {
  browser: IN_BROWSER,
  frame: IN_BROWSER,
  cli: { idleMs: 12 * HOUR_MS, totalMs: 12 * HOUR_MS },
} as const satisfies Record<SessionKind, Pick<NewSession, 'idleMs' | 'totalMs'>>;

const MOST_AGENT_CHARACTERS = 200;

export function makeOpenSession({ personSessions, audit, runtime }: OpenSessionParts): OpenSession {
  return async ({ person, kind, way, address, agent, opened, provider }) => {
    const id = randomId(runtime);
    const secret = randomSecret(runtime);
    const whose = { id, person, kind, way, opened, provider, address, agent: asLine(agent) };
    const session = await personSessions.create(
      present({ ...whose, ...LIMITS[kind], secretDigest: runtime.digest(secret) }),
    );
    // The secret leaves this flow only after the trail has the sign-in.
    await audit.append({
      action: 'person.sign-in',
      actor: `person/${person}`,
      ...(opened !== undefined && { site: opened.site }),
      details: { way, kind, session: id, address },
    });
    return { session, secretText: `${id}_${secret}` };
  };
}

function asLine(agent: string | undefined): string | undefined {
  const line = agent?.replace(/[^\x21-\x7e]+/g, ' ').trim();
  return line === undefined || line === '' ? undefined : line.slice(0, MOST_AGENT_CHARACTERS);
}
