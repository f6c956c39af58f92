// The sessions of people who have signed in, in a browser, in a frame of the EHR, or at the command line. They end by the database's clock.
import type { OpenedEncounter } from '../domain/people/caller.ts';
import type { Person } from '../domain/people/person.ts';
import type { Purpose } from '../domain/people/purpose.ts';
import type { SiteScope } from '../domain/people/role.ts';

export type SessionKind = 'browser' | 'frame' | 'cli';

/** How the person proved who they are. */
export type SignInWay = 'oidc' | 'launch' | 'passkey' | 'password' | 'link' | 'device';

export type PersonSession = {
  /** 16 hex digits. */
  readonly id: string;
  readonly person: string;
  readonly kind: SessionKind;
  readonly way: SignInWay;
  readonly purpose?: Purpose;
  readonly opened?: OpenedEncounter;
  readonly address: string;
  /** The browser or program, cut to a line. */
  readonly agent?: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  /** Without use it ends then. */
  readonly idleAt: Date;
  /** It ends then at the latest. */
  readonly endsAt: Date;
};

export type NewSession = Pick<PersonSession, 'id' | 'person' | 'kind' | 'way' | 'opened' | 'address' | 'agent'> & {
  readonly secretDigest: Uint8Array;
  readonly idleMs: number;
  readonly totalMs: number;
  /** The session at the identity provider, by which a back-channel logout names it. */
  readonly provider?: { readonly issuer: string; readonly subject: string; readonly sessionId?: string };
};

export type SessionEnd = 'signed-out' | 'by-admin' | 'by-provider' | 'person-disabled' | 'replaced';

/** Throws `overloaded` if the database cannot be reached. */
export type PersonSessions = {
  /** Reads the person in the same statement: a disabled person has no session. */
  readonly create: (session: NewSession) => Promise<PersonSession>;
  /**
   * The session with its person, if its secret is the current one (or the former one, for a short time after it was renewed), it has not ended, and
   * the person is not disabled. Its idle time starts anew (a busy session may end up to 30 seconds early, never late), unless it is only watched
   * by an answer that goes on.
   */
  readonly use: (
    id: string,
    secretDigest: Uint8Array,
    how?: { readonly isWatching: boolean },
  ) => Promise<{ readonly session: PersonSession; readonly person: Person } | undefined>;
  /**
   * Replaces the secret of an open session if `former` is the current one and has been for so long; requests under way may use the former one
   * for a few seconds more. False if it is not: another request replaced it, or it is new.
   */
  readonly renew: (
    id: string,
    change: { readonly former: Uint8Array; readonly next: Uint8Array; readonly afterMs: number },
  ) => Promise<boolean>;
  readonly setPurpose: (id: string, purpose: Purpose) => Promise<void>;
  /** Open sessions of people with a grant in the scope, the newest first; none that was opened for an encounter of another site. */
  readonly list: (query: {
    readonly scope: SiteScope;
    readonly person?: string;
    readonly limit: number;
  }) => Promise<readonly PersonSession[]>;
  /** The ids of the sessions that were open, and are ended by this call. */
  readonly end: (
    which:
      | { readonly id: string }
      | { readonly person: string; readonly except?: string }
      | { readonly issuer: string; readonly subject: string }
      | { readonly issuer: string; readonly providerSession: string },
    why: SessionEnd,
  ) => Promise<readonly string[]>;
  /** Deletes what has ended for longer than a day. */
  readonly sweep: () => Promise<void>;
};
