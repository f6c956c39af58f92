// Reads `launch:` of a site: what it must hold together, and what it is by default.

import type { SignatureAlgorithm } from '../../domain/people/signature-algorithms.ts';
import { present } from '../../domain/present.ts';
import type { LaunchSettings } from '../../domain/site/launch-settings.ts';
import { isUnencryptedRemote } from '../../domain/site/plain-address.ts';
import type { ReadSite } from './site-schema.ts';

type ReadLaunch = NonNullable<ReadSite['launch']>;
type LaunchProblem = { readonly at: keyof ReadLaunch; readonly message: string };

const SCOPES = ['launch', 'openid', 'fhirUser'] as const;
const ALGORITHMS = ['RS256', 'RS384', 'ES256', 'ES384'] as const satisfies readonly SignatureAlgorithm[];

export function* launchProblems({ launch }: ReadSite): Generator<LaunchProblem> {
  if (launch === undefined) return;
  const { clientSecret, privateKey, kid, issuers = [], scopes = SCOPES, idTokenAlgorithms = ALGORITHMS } = launch;
  if ((clientSecret === undefined) === (privateKey === undefined)) {
    yield {
      at: 'clientId',
      message: 'launch needs one of clientSecret and privateKey, as the EHR has registered the engine',
    };
  }
  if (kid !== undefined && privateKey === undefined) {
    yield { at: 'kid', message: 'launch.kid is the name of launch.privateKey, which is not there' };
  }
  if (issuers.some(isUnencryptedRemote)) {
    yield { at: 'issuers', message: 'launch.issuers are https: over plain http anyone on the way could sign in' };
  }
  const lacking = ['openid', 'fhirUser'].filter((scope) => !scopes.some((one) => one === scope));
  if (lacking.length > 0) {
    yield {
      at: 'scopes',
      message: `launch.scopes lacks ${lacking.join(' and ')}: by it the EHR says who the clinician is`,
    };
  }
  if (idTokenAlgorithms.length === 0) {
    yield { at: 'idTokenAlgorithms', message: 'launch.idTokenAlgorithms is empty: no one could ever sign in' };
  }
}

/** `baseUrl`: of the site's EHR, which may launch if the site does not say otherwise. */
export function toLaunch(
  launch: ReadSite['launch'],
  baseUrl: string | undefined,
): { readonly launch?: LaunchSettings } {
  if (launch === undefined) return {};
  const { clientId, issuers = baseUrl === undefined ? [] : [baseUrl], scopes = SCOPES } = launch;
  const { newReviewers = false, frameOrigins = [], idTokenAlgorithms = ALGORITHMS } = launch;
  const client = clientOf(launch);
  return { launch: { clientId, client, issuers, scopes, newReviewers, frameOrigins, idTokenAlgorithms } };
}

function clientOf({ clientSecret = '', privateKey, kid }: ReadLaunch): LaunchSettings['client'] {
  if (privateKey === undefined) return { kind: 'secret', clientSecret };
  return present({ kind: 'key', privateKey, kid } as const);
}
