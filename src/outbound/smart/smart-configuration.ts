// Asks a FHIR server where its clinicians sign in (SMART App Launch 2, `.well-known/smart-configuration`), and believes no address that is not safe.
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { isOnThisMachine } from '../../domain/site/this-machine.ts';
import type { SmartCalls } from './smart-calls.ts';

const CONFIGURATION = z.object({
  issuer: z.string(),
  jwks_uri: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  code_challenge_methods_supported: z.array(z.string()),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});
export type SmartConfiguration = z.output<typeof CONFIGURATION>;

const ADDRESSES = ['issuer', 'jwks_uri', 'authorization_endpoint', 'token_endpoint'] as const;

/** `fhirBase` is one that the site's settings name. Throws `notConfigured`, `ehrUnavailable`, `ehrAnswer`. */
export async function readSmartConfiguration(
  fhirBase: string,
  { call, json }: Pick<SmartCalls, 'call' | 'json'>,
): Promise<SmartConfiguration> {
  if (!isSafe(fhirBase, fhirBase)) throw new AppError('notConfigured', 'A launch needs https: set launch.issuers');
  const address = `${fhirBase.replace(/\/+$/, '')}/.well-known/smart-configuration`;
  const answer = await call(address, { method: 'GET', headers: { accept: 'application/json' } });
  if (answer.status >= 500 || answer.status === 429) {
    throw new AppError('ehrUnavailable', `The EHR cannot say now where clinicians sign in (HTTP ${answer.status})`);
  }
  if (answer.status !== 200) {
    const why = `The EHR does not say where clinicians sign in (HTTP ${answer.status}): does it have SMART App Launch 2?`;
    throw new AppError('notConfigured', why);
  }
  const { success, data, error } = CONFIGURATION.safeParse(await json(answer));
  if (!success) {
    const lacking = [...new Set(error.issues.map(({ path }) => String(path[0] ?? 'all')))].join(', ');
    throw new AppError('notConfigured', `The EHR's smart-configuration lacks what a launch needs: ${lacking}`);
  }
  if (!data.code_challenge_methods_supported.includes('S256')) {
    throw new AppError('notConfigured', 'The EHR does not support PKCE with S256, which SMART App Launch 2 demands');
  }
  const unsafe = ADDRESSES.find((name) => !isSafe(data[name], fhirBase));
  if (unsafe !== undefined)
    throw new AppError('notConfigured', `The EHR's ${unsafe} is not a safe address: it needs https`);
  return data;
}

/** Plain http stays on this machine. */
function isSafe(address: string, fhirBase: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== '' || url.password !== '' || /[\s\\]/.test(address)) return false;
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && isOnThisMachine(address) && isOnThisMachine(fhirBase);
}
