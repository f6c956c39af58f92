// The engine as a client of an EHR's authorization server, for openid-client: who the server is, how the engine proves itself, and which signatures
// of ID tokens it believes.
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  customFetch,
  enableNonRepudiationChecks,
} from 'openid-client';
import { present } from '../../domain/present.ts';
import type { LaunchSettings } from '../../domain/site/launch-settings.ts';
import { isOnThisMachine } from '../../domain/site/this-machine.ts';
import { makeClientAssertion } from '../fhir/auth/client-assertion.ts';
import { readSigningKey } from '../fhir/auth/signing-key.ts';
import type { SmartCalls } from './smart-calls.ts';
import type { SmartConfiguration } from './smart-configuration.ts';

type ClientParts = {
  readonly launch: LaunchSettings;
  readonly configuration: SmartConfiguration;
  readonly calls: Pick<SmartCalls, 'call'>;
  readonly now: () => Date;
};

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Made anew for each sign-in, so that it uses the keys that the EHR has now. Throws `notConfigured` if the engine's key cannot be used. */
export async function makeSmartClient(parts: ClientParts): Promise<Configuration> {
  const { launch, configuration, calls } = parts;
  const server = {
    ...present(configuration),
    // The site says which signatures count, whatever the EHR offers.
    id_token_signing_alg_values_supported: [...launch.idTokenAlgorithms],
  };
  const client = new Configuration(server, launch.clientId, {}, await authenticationOf(parts));
  client[customFetch] = (url, { method, headers, body }) => {
    return calls.call(url, { method, headers, ...(body != null && { body: String(body) }) });
  };
  // Without it the signature of an ID token from the token endpoint is not looked at.
  enableNonRepudiationChecks(client);
  if (isOnThisMachine(configuration.token_endpoint)) allowInsecureRequests(client);
  return client;
}

async function authenticationOf({ launch, configuration, now }: ClientParts): Promise<ClientAuth> {
  const { client, clientId } = launch;
  const { token_endpoint: tokenUrl, token_endpoint_auth_methods_supported: methods = [] } = configuration;
  if (client.kind === 'secret') {
    const isPostOnly = methods.includes('client_secret_post') && !methods.includes('client_secret_basic');
    return isPostOnly ? ClientSecretPost(client.clientSecret) : ClientSecretBasic(client.clientSecret);
  }
  const signingKey = await readSigningKey(client, 'launch.privateKey');
  const assertion = await makeClientAssertion({ signingKey, clientId, tokenUrl, now: now() });
  return (_server, _client, body) => {
    body.set('client_id', clientId);
    body.set('client_assertion_type', JWT_BEARER);
    body.set('client_assertion', assertion);
  };
}
