// Sign-ins under way, in memory.
import type { SignInAttempt, SignInAttempts } from '../../src/ports/sign-in-attempts.ts';

export function makeFakeSignInAttempts({ now = () => new Date() }: { readonly now?: () => Date } = {}): SignInAttempts {
  const attempts = new Map<string, SignInAttempt & { readonly expiresAt: number }>();
  const used = new Map<string, number>();
  const time = () => now().getTime();
  return {
    begin: async (attempt) => {
      const key = textOf(attempt.stateDigest);
      if (attempts.has(key)) throw new Error('This state is under way already');
      attempts.set(key, { ...structuredClone(attempt), expiresAt: time() + attempt.lifeMs });
    },
    take: async (kind, stateDigest, browserDigest) => {
      const key = textOf(stateDigest);
      const attempt = attempts.get(key);
      if (attempt === undefined || attempt.kind !== kind) return undefined;
      attempts.delete(key);
      if (attempt.expiresAt <= time()) return undefined;
      return textOf(attempt.browserDigest) === textOf(browserDigest) ? attempt.details : 'wrong-browser';
    },
    useOnce: async (issuer, tokenId, until) => {
      const key = JSON.stringify([issuer, tokenId]);
      const isNew = !used.has(key);
      if (isNew) used.set(key, until.getTime());
      return isNew;
    },
    sweep: async () => {
      for (const [key, { expiresAt }] of attempts) if (expiresAt <= time()) attempts.delete(key);
      for (const [key, until] of used) if (until <= time()) used.delete(key);
    },
  };
}

function textOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('hex');
}
