// The table of endpoints from which the OpenAPI paths are made, and the commands that call them.
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { type FailureName, failures } from './openapi-failures.ts';

/** An endpoint belongs to the administration and takes the operator's key, if it has no tags and no security of its own. */
export type Endpoint = ZodOpenApiOperationObject & {
  /** A command that can be pasted after the description; `{server}` in it is the address of the engine. */
  readonly command?: string;
  readonly failures?: readonly FailureName[];
};

/** Endpoints by method and path: `GET /ops/keys`. */
export type Endpoints = Readonly<Record<string, Endpoint>>;

const ADMINISTRATION = { tags: ['Administration'], security: [{ operatorKey: [] }] };

export function makePaths(endpoints: Endpoints, serverUrl: string): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const [address, endpoint] of Object.entries(endpoints)) {
    const [method = '', path = ''] = address.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: makeOperation(endpoint, serverUrl) };
  }
  return paths;
}

function makeOperation(endpoint: Endpoint, serverUrl: string): ZodOpenApiOperationObject {
  const { command, failures: names = [], ...operation } = endpoint;
  const example = command && `\n\n\`\`\`sh\n${command.replace('{server}', serverUrl)}\n\`\`\``;
  return {
    ...ADMINISTRATION,
    ...operation,
    ...(example && { description: `${operation.description}${example}` }),
    // Refused before any endpoint is chosen.
    responses: { ...operation.responses, ...failures([...names, 'longHeaders']) },
  };
}

/** The command that calls an endpoint with the operator's key and, if there is any, a JSON body. */
export function operatorCall(method: string, path: string, data?: object): string {
  const url = path.includes('?') ? `'{server}${path}'` : `{server}${path}`;
  const call = method === (data ? 'POST' : 'GET') ? 'curl' : `curl -X ${method}`;
  const json = data ? ` -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(data)}'` : '';
  return `${call} ${url} -H "Authorization: Bearer $OPERATOR_KEY"${json}`;
}
