// Sign-in of the command line, where no browser is (RFC 8628): the program shows a code, a person who has signed in confirms it on a page of the
// engine, and the program, which asks meanwhile, gets a session. Where there is no page either, a one-time link gives the session.
import { AppError } from '../../domain/errors.ts';
import type { Caller } from '../../domain/people/caller.ts';
import { makeUserCode, readUserCode } from '../../domain/people/user-code.ts';
import { present } from '../../domain/present.ts';
import type { Audit } from '../../ports/audit.ts';
import type { DeviceSignIns } from '../../ports/device-sign-ins.ts';
import type { LocalAccounts } from '../../ports/local-accounts.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { randomSecret } from '../random-names.ts';
import type { OpenedSession, OpenSession } from './open-session.ts';

export const DEVICE_CODE = { lifeSeconds: 600, intervalSeconds: 5 } as const;
const MOST_AGENT_CHARACTERS = 200;

/** The program that signs in, as it is seen from here. */
export type Program = { readonly address: string; readonly agent?: string | undefined };

export type DeviceAnswer =
  | ({ readonly state: 'signed-in' } & OpenedSession)
  /** RFC 8628, section 3.5; `unknown` also stands for a code that was used. */
  | { readonly state: 'pending' | 'too-soon' | 'denied' | 'expired' | 'unknown' };

export type SignInDevice = {
  readonly begin: (program: Program) => Promise<{ readonly deviceCode: string; readonly userCode: string }>;
  /** The program that a person is asked to confirm. Undefined for a code that is wrong, used or too old, which the trail gets. */
  readonly find: (typed: string, by: Pick<Caller, 'actor' | 'address'>) => Promise<Program | undefined>;
  /** The program gets a session of this person. False if the code is good no longer. */
  readonly allow: (typed: string, person: string) => Promise<boolean>;
  readonly deny: (typed: string, by: Pick<Caller, 'actor' | 'address'>) => Promise<boolean>;
  readonly poll: (deviceCode: string, program: Program) => Promise<DeviceAnswer>;
  /** Throws `unauthorized` for a link that is wrong, used or too old. It is used up. */
  readonly withLink: (token: string, program: Program) => Promise<OpenedSession>;
};

export type SignInDeviceParts = {
  readonly deviceSignIns: DeviceSignIns;
  readonly localAccounts: Pick<LocalAccounts, 'useLink'>;
  readonly openSession: OpenSession;
  readonly audit: Pick<Audit, 'append'>;
  readonly runtime: Pick<Runtime, 'makeSecret' | 'digest'>;
};

export function makeSignInDevice(parts: SignInDeviceParts): SignInDevice {
  const { deviceSignIns, localAccounts, openSession, audit, runtime } = parts;
  const digestOf = (typed: string) => {
    const code = readUserCode(typed);
    return code === undefined ? undefined : runtime.digest(code);
  };

  const refused = ({ actor, address }: Pick<Caller, 'actor' | 'address'>, why: string) =>
    audit.append({ action: 'person.sign-in-refused', actor, details: { door: 'device', why, address } });

  return {
    async begin({ address, agent }) {
      const deviceCode = randomSecret(runtime);
      const userCode = makeUserCode(runtime.makeSecret);
      await deviceSignIns.begin({
        deviceDigest: runtime.digest(deviceCode),
        userCodeDigest: runtime.digest(userCode),
        ...present({ address, agent: asLine(agent) }),
        lifeMs: DEVICE_CODE.lifeSeconds * 1_000,
        intervalMs: DEVICE_CODE.intervalSeconds * 1_000,
      });
      return { deviceCode, userCode };
    },

    async find(typed, by) {
      const digest = digestOf(typed);
      const program = digest && (await deviceSignIns.findByUserCode(digest));
      if (program === undefined) await refused(by, 'wrong code');
      return program;
    },

    async allow(typed, person) {
      const digest = digestOf(typed);
      return digest !== undefined && deviceSignIns.decide(digest, { person });
    },

    async deny(typed, by) {
      const digest = digestOf(typed);
      if (digest === undefined || !(await deviceSignIns.decide(digest, 'denied'))) return false;
      await refused(by, 'denied');
      return true;
    },

    async poll(deviceCode, program) {
      const answer = await deviceSignIns.poll(runtime.digest(deviceCode));
      if (answer.state !== 'approved') return answer;
      const session = await openSession({ person: answer.person, kind: 'cli', way: 'device', ...program });
      return { state: 'signed-in', ...session };
    },

    async withLink(token, program) {
      const link = await localAccounts.useLink(runtime.digest(token));
      if (link !== undefined) return openSession({ person: link.person, kind: 'cli', way: 'link', ...program });
      throw new AppError('unauthorized', 'This link was used, has ended, or is wrong: ask an admin for a new one');
    },
  };
}

function asLine(agent: string | undefined): string | undefined {
  const line = agent?.replace(/[^\x21-\x7e]+/g, ' ').trim();
  return line === undefined || line === '' ? undefined : line.slice(0, MOST_AGENT_CHARACTERS);
}
