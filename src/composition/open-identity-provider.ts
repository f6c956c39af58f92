// Reads what the settings say about the identity provider. Mistakes in them stop the start; the provider itself may be away.
import { readFileSync } from 'node:fs';
import type { ClaimRoles } from '../domain/people/claim-roles.ts';
import { makeIdentityProvider } from '../outbound/oidc/identity-provider.ts';
import { DEFAULT_SCOPES, readRolesFile } from '../outbound/oidc/read-roles.ts';
import { openHttpFetch } from '../platform/http-fetch.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { IdentityProvider } from '../ports/identity-provider.ts';
import type { EngineContext } from './engine-context.ts';

export type ConfiguredProvider = { readonly provider: IdentityProvider; readonly roles: ClaimRoles | undefined };

/** Undefined without OIDC_ISSUER. Throws an Error for the operator. */
export async function openIdentityProvider(context: EngineContext): Promise<ConfiguredProvider | undefined> {
  const { config, logger, shutdown, tracing } = context;
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: secret, OIDC_PRIVATE_KEY: key } = config;
  if (issuer === undefined || clientId === undefined) return undefined;
  const roles = config.OIDC_ROLES === undefined ? undefined : readRolesFile(config.OIDC_ROLES);
  const http = openHttpFetch({ tracing });
  shutdown.add({ name: 'identity provider', close: http.close });
  const provider = await makeIdentityProvider({
    issuer,
    clientId,
    credentials: secret === undefined ? { kind: 'private-key', pem: pemOf(key ?? '') } : { kind: 'secret', secret },
    algorithm: config.OIDC_ALGORITHM,
    scopes: roles?.scopes ?? DEFAULT_SCOPES,
    fetch: http.fetch,
    runtime: systemRuntime,
    onRefused: (code) => logger.warn('sign-in refused: the identity provider’s answer was not accepted', { code }),
  });
  return { provider, roles };
}

/** The key itself, or that of the file that is named. */
function pemOf(given: string): string {
  if (given.includes('-----BEGIN')) return given;
  try {
    return readFileSync(given, 'utf8');
  } catch {
    throw new Error('OIDC_PRIVATE_KEY is neither PEM nor the path of a file that can be read');
  }
}
