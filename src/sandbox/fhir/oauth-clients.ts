// The clients that may request tokens from the sandbox's EHR, and its description in smart-configuration and in the CapabilityStatement.
import type { JsonWebKey } from 'node:crypto';
import type { CapabilityStatementRestSecurity, Extension } from '@medplum/fhirtypes';

export type SandboxClient =
  | { readonly clientId: string; readonly secret: string }
  /** SMART Backend Services: the client signs an assertion. */
  | { readonly clientId: string; readonly publicJwk: JsonWebKey }
  | { readonly clientId: string; readonly jwksUrl: string };

export const SIGNING_ALGORITHMS = ['RS384', 'ES384'] as const;
/** Each token has this scope, whatever was requested. */
export const GRANTED_SCOPE = 'system/*.cruds';

export function tokenUrlOf(baseUrl: string): string {
  return `${baseUrl}/oauth2/token`;
}

export function smartConfigurationOf(baseUrl: string): Readonly<Record<string, unknown>> {
  return {
    token_endpoint: tokenUrlOf(baseUrl),
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: SIGNING_ALGORITHMS,
    grant_types_supported: ['client_credentials'],
    scopes_supported: [GRANTED_SCOPE],
    capabilities: ['client-confidential-symmetric', 'client-confidential-asymmetric', 'permission-v2'],
  };
}

export function securityOf(baseUrl: string): CapabilityStatementRestSecurity {
  const uris: Extension = {
    url: 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris',
    extension: [{ url: 'token', valueUri: tokenUrlOf(baseUrl) }],
  };
  const system = 'http://terminology.hl7.org/CodeSystem/restful-security-service';
  return { extension: [uris], service: [{ coding: [{ system, code: 'SMART-on-FHIR' }] }] };
}
