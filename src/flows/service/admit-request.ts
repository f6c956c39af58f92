// Authenticates a request by its API key, and checks the limits of its plan: per minute, per month, and audio.
import { type ApiKey, type Caller, splitApiKey } from '../../domain/access/api-key.ts';
import type { Plan } from '../../domain/access/plan.ts';
import { AppError } from '../../domain/errors.ts';
import type { Keys, Plans } from '../../ports/keys.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Limits, MinuteVerdict } from '../../ports/usage.ts';

type AdmitParts = {
  readonly keys: Keys;
  readonly plans: Plans;
  readonly limits: Limits;
  readonly runtime: Runtime;
};

export type Admission = {
  /** Undefined if the plan has no limit per minute. */
  readonly minute: MinuteVerdict | undefined;
  /** Set if the request is refused; the caller gets the figures of the minute all the same. */
  readonly refusal: AppError | undefined;
};

export type AdmitRequest = {
  /** Throws `unauthorized` for any invalid key, with the same message and in the same time for each reason. */
  readonly authenticate: (keyText: string | undefined) => Promise<Caller>;
  /** For a ticket that was made with the key of this id. Throws `unauthorized` if the key has ended. */
  readonly callerOf: (keyId: string) => Promise<Caller>;
  readonly admit: (request: { readonly caller: Caller; readonly needsAudio: boolean }) => Promise<Admission>;
};

const USE_NOTED_WITHIN_MS = 30_000;

export function makeAdmitRequest({ keys, plans, limits, runtime }: AdmitParts): AdmitRequest {
  const dummyDigest = runtime.digest('');

  async function authenticate(keyText: string | undefined): Promise<Caller> {
    const parts = splitApiKey(keyText ?? '');
    const key = parts && (await keys.find(parts.id));
    // An unknown id is compared as well, so that the time does not reveal whether an id exists.
    const isSecretRight = runtime.isSameDigest(runtime.digest(parts?.secret ?? ''), key?.secretDigest ?? dummyDigest);
    if (key === undefined || !isSecretRight || hasEnded(key)) {
      throw new AppError('unauthorized', 'The API key is missing or invalid');
    }
    return useOf(key);
  }

  async function callerOf(keyId: string): Promise<Caller> {
    const key = await keys.find(keyId);
    if (key === undefined || hasEnded(key)) throw new AppError('unauthorized', 'The API key is not valid any more');
    return useOf(key);
  }

  function hasEnded({ revokedAt, expiresAt }: ApiKey): boolean {
    return revokedAt !== undefined || (expiresAt !== undefined && expiresAt <= runtime.now());
  }

  async function useOf({ id: keyId, organization, plan, lastUsedAt }: ApiKey): Promise<Caller> {
    if (isNews(runtime.now(), lastUsedAt)) await keys.noteUse(keyId);
    return { keyId, organization, plan };
  }

  async function admit({ caller, needsAudio }: { caller: Caller; needsAudio: boolean }): Promise<Admission> {
    const plan = await plans.find(caller.plan);
    if (plan === undefined) throw new AppError('internal', 'The plan of this key does not exist');
    const minute = await limits.takeMinute(caller.keyId, plan);
    if (minute !== undefined && !minute.isAllowed) {
      return { minute, refusal: tooManyThisMinute(minute) };
    }
    return { minute, refusal: await monthRefusal(caller, plan, needsAudio) };
  }

  async function monthRefusal(caller: Caller, plan: Plan, needsAudio: boolean): Promise<AppError | undefined> {
    if (needsAudio && !(await limits.hasAudioLeft(caller.organization, plan))) {
      return new AppError('quotaExceeded', "The plan's audio for this month is used up");
    }
    if (!(await limits.takeMonth(caller.organization, plan))) {
      return new AppError('quotaExceeded', "The plan's requests for this month are used up");
    }
    return undefined;
  }

  return { authenticate, callerOf, admit };
}

/** The operator needs the minute of the last use, so that a busy key is not written at each request. */
function isNews(now: Date, lastUsedAt: Date | undefined): boolean {
  return lastUsedAt === undefined || Math.abs(now.getTime() - lastUsedAt.getTime()) > USE_NOTED_WITHIN_MS;
}

function tooManyThisMinute({ limit, resetSeconds }: MinuteVerdict): AppError {
  return new AppError('rateLimited', `Rate limit exceeded: ${limit} requests a minute`, {
    retryAfterSeconds: Math.max(1, resetSeconds),
  });
}
