// Tokens for scripts, in memory.
import { isInScope } from '../../src/domain/people/role.ts';
import type { ServiceToken, ServiceTokens } from '../../src/ports/service-tokens.ts';

export function makeFakeServiceTokens({ now = () => new Date() }: { readonly now?: () => Date } = {}): ServiceTokens {
  const stored = new Map<string, ServiceToken & { readonly secretDigest: Uint8Array }>();
  const change = (id: string, members: Partial<ServiceToken>): boolean => {
    const token = stored.get(id);
    if (token !== undefined) stored.set(id, { ...token, ...members });
    return token !== undefined;
  };
  return {
    create: async (token) => {
      const made = { ...token, createdAt: now() };
      stored.set(token.id, made);
      return withoutSecret(made);
    },
    find: async (id) => {
      const token = stored.get(id);
      return token && { ...token };
    },
    list: async (scope) =>
      [...stored.values()]
        .filter(({ grants }) => scope === 'all' || grants.some(({ site }) => isInScope(scope, site)))
        .toReversed()
        .map(withoutSecret),
    revoke: async (id) => change(id, { revokedAt: stored.get(id)?.revokedAt ?? now() }),
    noteUse: async (id) => void change(id, { lastUsedAt: now() }),
  };
}

function withoutSecret({
  secretDigest: _,
  ...token
}: ServiceToken & { readonly secretDigest: Uint8Array }): ServiceToken {
  return { ...token };
}
