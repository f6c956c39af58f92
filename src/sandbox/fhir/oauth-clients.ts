// The clients that may request tokens from the sandbox's EHR, and its description in smart-configuration and in the CapabilityStatement.
import type { JsonWebKey } from 'node:crypto';
import type { CapabilityStatementRestSecurity, Extension } from '@medplum/fhirtypes';
import { SUPPORTED_SCOPES } from '../smart/smart-scopes.ts';

type Registration = {
  readonly clientId: string;
  /** Where an app is sent after a launch. Absent: the client is a system, which gets tokens for itself. */
  readonly redirectUris?: readonly string[];
};

export type SandboxClient = Registration &
  (
    | { readonly secret: string }
    /** SMART Backend Services, or an app with a key: the client signs an assertion. */
    | { readonly publicJwk: JsonWebKey }
    | { readonly jwksUrl: string }
    /** An app that can keep no secret. */
    | { readonly isPublic: true }
  );

export const SIGNING_ALGORITHMS = ['RS384', 'ES384'] as const;
/** Each token of a system has this scope, whatever was requested. */
export const GRANTED_SCOPE = 'system/*.cruds';

export function tokenUrlOf(baseUrl: string): string {
  return `${baseUrl}/oauth2/token`;
}

/** The issuer of ID tokens. It differs from the address of the FHIR server, as in many EHRs. */
export function issuerOf(baseUrl: string): string {
  return `${baseUrl}/oauth2`;
}

export function smartConfigurationOf(baseUrl: string): Readonly<Record<string, unknown>> {
  const issuer = issuerOf(baseUrl);
  return {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: tokenUrlOf(baseUrl),
    introspection_endpoint: `${issuer}/introspect`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    token_endpoint_auth_signing_alg_values_supported: SIGNING_ALGORITHMS,
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: [GRANTED_SCOPE, ...SUPPORTED_SCOPES],
    capabilities: [
      'launch-ehr',
      'launch-standalone',
      'client-public',
      'client-confidential-symmetric',
      'client-confidential-asymmetric',
      'sso-openid-connect',
      'context-banner',
      'context-ehr-patient',
      'context-ehr-encounter',
      'context-standalone-patient',
      'context-standalone-encounter',
      'permission-offline',
      'permission-online',
      'permission-patient',
      'permission-user',
      'permission-v2',
    ],
  };
}

/** The metadata of the issuer, for clients of OpenID Connect. */
export function openIdConfigurationOf(baseUrl: string): Readonly<Record<string, unknown>> {
  const { capabilities: _, ...metadata } = smartConfigurationOf(baseUrl);
  return {
    ...metadata,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    claims_supported: ['iss', 'sub', 'aud', 'exp', 'iat', 'nonce', 'fhirUser', 'name'],
  };
}

export function securityOf(baseUrl: string): CapabilityStatementRestSecurity {
  const uris: Extension = {
    url: 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris',
    extension: [
      { url: 'authorize', valueUri: `${issuerOf(baseUrl)}/authorize` },
      { url: 'token', valueUri: tokenUrlOf(baseUrl) },
      { url: 'introspect', valueUri: `${issuerOf(baseUrl)}/introspect` },
    ],
  };
  const system = 'http://terminology.hl7.org/CodeSystem/restful-security-service';
  return { extension: [uris], service: [{ coding: [{ system, code: 'SMART-on-FHIR' }] }] };
}
