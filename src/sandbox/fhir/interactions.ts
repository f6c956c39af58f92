// One interaction, alone or as an entry of a Bundle. It is checked here and executed by @medplum/fhir-router.
import type { IncomingHttpHeaders } from 'node:http';
import { badRequest, isOk, OperationOutcomeError } from '@medplum/core';
import { FhirRouter } from '@medplum/fhir-router';
import type { OperationOutcome, Resource } from '@medplum/fhirtypes';
import { outcome } from './outcomes.ts';
import { RESOURCE_TYPES } from './resource-types.ts';
import { unknownParameters } from './search-query.ts';
import type { StoreRepository } from './store-repository.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;
type Method = (typeof METHODS)[number];

export type Interaction = {
  readonly method: string;
  /** The path below the base: `Condition?identifier=…`. */
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: IncomingHttpHeaders;
  /** True if the server has chosen the id in the body. */
  readonly hasAssignedId?: boolean;
};

export type Interact = (
  interaction: Interaction,
  repository: StoreRepository,
) => Promise<{ readonly outcome: OperationOutcome; readonly resource?: Resource }>;

export function makeInteract(): Interact {
  const router = new FhirRouter();
  return async ({ method, url, body, headers = {}, hasAssignedId = false }, repository) => {
    const [path = '', query = ''] = splitUrl(url);
    const refusal = refusalOf({ method, path, query, body, headers });
    if (refusal) return { outcome: refusal };
    const route = router.find(method as Method, url);
    if (!route) return { outcome: outcome('not-found', 'Not found') };
    const request = {
      method: method as Method,
      url: path,
      pathname: '',
      params: route.params,
      query: route.query ?? {},
      body,
      headers,
    };
    try {
      const options = { assignedId: hasAssignedId };
      const [said, resource] = await route.handler(request, repository, router, options);
      return { outcome: said, ...(resource && { resource }) };
    } catch (error) {
      if (error instanceof OperationOutcomeError) return { outcome: error.outcome };
      throw error;
    }
  };
}

export function isTaken(method: string): method is Method {
  return (METHODS as readonly string[]).includes(method);
}

export function splitUrl(url: string): readonly [string, string] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

type RequestParts = {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
};

/** Returns the reason to refuse the interaction. */
function refusalOf({ method, path, query, headers }: RequestParts): OperationOutcome | undefined {
  const [type = '', id] = path.split('/');
  if (!RESOURCE_TYPES[type]) return { ...outcome('not-supported', 'Resource type is not supported'), id: 'not-found' };
  if (!isTaken(method)) return { ...outcome('not-supported', 'Interaction is not supported'), id: 'not-allowed' };
  const ifNoneExist = headers['if-none-exist'];
  const conditions = [id === undefined ? query : '', typeof ifNoneExist === 'string' ? ifNoneExist : ''];
  const unknown = conditions.flatMap((one) => unknownParameters(type, one));
  if (unknown.length > 0) return badRequest(`Unknown search parameter: ${unknown.join(', ')}`);
  // @medplum/fhir-router ignores a condition that it cannot read and would update any resource.
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined && !/^(W\/)?"[^"]+"$/.test(ifMatch)) return badRequest('If-Match is no ETag');
  return undefined;
}

export function succeeded(said: OperationOutcome): boolean {
  return isOk(said);
}
