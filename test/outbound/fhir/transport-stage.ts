// What the tests of the transport share: the EHR settings of a site, and one call.
import type { EhrSettings } from '../../../src/domain/site/site.ts';
import {
  type EhrRequest,
  type EhrTransport,
  type EhrTransportParts,
  makeEhrTransport,
} from '../../../src/outbound/fhir/transport.ts';
import { TransportFailure } from '../../../src/outbound/fhir/transport-failure.ts';

function anEhr(given: Partial<EhrSettings> & Pick<EhrSettings, 'baseUrl'>): EhrSettings {
  return { auth: { type: 'none' }, maxConcurrentWrites: 2, headers: {}, ...given };
}

export function aTransport(
  ehr: Partial<EhrSettings> & Pick<EhrSettings, 'baseUrl'>,
  parts: Partial<EhrTransportParts> = {},
): EhrTransport {
  return makeEhrTransport({ site: 'mercy', ehr: anEhr(ehr), attachmentOrigins: [], ...parts });
}

export function get(transport: EhrTransport, url: string, more: Partial<EhrRequest> = {}): Promise<Response> {
  return transport.send({ method: 'GET', url, ...more }, new AbortController().signal);
}

/** Returns the failure with which the call must end. */
export async function failureOf(call: Promise<unknown>): Promise<TransportFailure> {
  const thrown = await call.then(
    () => new Error('it did not fail'),
    (error: unknown) => error,
  );
  if (thrown instanceof TransportFailure) return thrown;
  throw thrown;
}
