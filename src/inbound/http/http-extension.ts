// What an extension adds to the HTTP interface: routes of the operator, and their descriptions.
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import type { OpsRoutes } from './ops/ops-routes.ts';

export type HttpExtension = {
  /** Paths below /ops, for callers that are identified already. */
  readonly opsRoutes: OpsRoutes;
  readonly openApiPaths: (serverUrl: string) => ZodOpenApiPathsObject;
};
