// Finds the EHR's token endpoint and its requirements in the EHR's own metadata: SMART's page first, then the CapabilityStatement of
// older servers.
import { type FhirAnswer, jsonOf } from '../fhir-answer.ts';
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from '../json.ts';
import { TokenRefusal, TransportFailure } from '../transport-failure.ts';
import type { PlainCall } from './plain-call.ts';

export type TokenMetadata = {
  readonly tokenUrl: string;
  /** Empty: the EHR lists none. */
  readonly authMethods: readonly string[];
  /** SMART's capabilities: `permission-v1`, `permission-v2` … */
  readonly capabilities: readonly string[];
};

type DiscoverParts = { readonly call: PlainCall; readonly baseUrl: string };

const MAX_SMART_BYTES = 65_536;
/** Real statements can have 3 MB. */
const MAX_CAPABILITIES_BYTES = 16_777_216;
const OAUTH_URIS = 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris';

/** Throws a TransportFailure: a passing one if the EHR could not be reached, else one that names the setting. */
export async function discoverTokens(parts: DiscoverParts): Promise<TokenMetadata> {
  const smart = await askSmart(parts);
  const fromSmart = smartMetadata(jsonOf(smart));
  if (fromSmart) return fromSmart;
  const capabilities = await parts.call({
    url: new URL(`${withoutSlash(parts.baseUrl)}/metadata`),
    method: 'GET',
    headers: { accept: 'application/fhir+json, application/json' },
    maxBytes: MAX_CAPABILITIES_BYTES,
    who: 'The EHR',
  });
  const tokenUrl = tokenUrlOfStatement(jsonOf(capabilities));
  if (tokenUrl !== undefined) return { tokenUrl, authMethods: [], capabilities: [] };
  throw nothingFound(smart, capabilities);
}

/** What SMART's page adds to the token URL of the settings: nothing if it names another one or cannot be read. */
export async function discoverMethods(parts: DiscoverParts & { readonly tokenUrl: string }): Promise<TokenMetadata> {
  const unknown = { tokenUrl: parts.tokenUrl, authMethods: [], capabilities: [] };
  try {
    const found = smartMetadata(jsonOf(await askSmart(parts)));
    return found?.tokenUrl === parts.tokenUrl ? found : unknown;
  } catch {
    return unknown;
  }
}

function askSmart({ call, baseUrl }: DiscoverParts): Promise<FhirAnswer> {
  return call({
    url: new URL(`${withoutSlash(baseUrl)}/.well-known/smart-configuration`),
    method: 'GET',
    headers: {},
    maxBytes: MAX_SMART_BYTES,
    who: 'The EHR',
  });
}

function smartMetadata(json: JsonObject | undefined): TokenMetadata | undefined {
  const tokenUrl = textAt(json, 'token_endpoint');
  if (tokenUrl === undefined) return undefined;
  return {
    tokenUrl,
    authMethods: textsAt(json, 'token_endpoint_auth_methods_supported'),
    capabilities: textsAt(json, 'capabilities'),
  };
}

function tokenUrlOfStatement(json: JsonObject | undefined): string | undefined {
  const extensions = objectsAt(json, 'rest')
    .flatMap((rest) => objectsAt(objectAt(rest, 'security'), 'extension'))
    .filter((extension) => extension['url'] === OAUTH_URIS)
    .flatMap((extension) => objectsAt(extension, 'extension'));
  return textAt(
    extensions.find((extension) => extension['url'] === 'token'),
    'valueUri',
  );
}

function nothingFound(smart: FhirAnswer, capabilities: FhirAnswer): TransportFailure {
  const isPassing = [smart, capabilities].some(({ status }) => status >= 500 || status === 429 || status === 408);
  // Some servers show their metadata to clients with a token only.
  const isHidden = capabilities.status === 401 || capabilities.status === 403;
  const isFhir = textAt(jsonOf(capabilities), 'resourceType') === 'CapabilityStatement';
  if (!isPassing && !isFhir && !isHidden) {
    const message = `There is no FHIR server at ehr.baseUrl (its /metadata gives no CapabilityStatement, HTTP ${capabilities.status}): check its path`;
    return new TokenRefusal(message, { kind: 'no-fhir' });
  }
  if (!isPassing) return new TokenRefusal('The EHR does not say where it gives out tokens: set ehr.auth.tokenUrl');
  const message = 'The EHR cannot say at the moment where it gives out tokens';
  return new TransportFailure(message, { kind: 'credentials', wasSent: false, isPassing });
}

function withoutSlash(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
}
