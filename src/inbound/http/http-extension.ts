// What an extension adds to the HTTP interface: routes of the operator, and their descriptions.
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import type { OpsRoutes } from './ops/ops-routes.ts';

export type HttpExtension = {
  /** The site that the extension brings with it, for which a caller of its routes needs a role. */
  readonly site: string;
  /** Paths below /ops, for callers that are identified already. */
  readonly opsRoutes: OpsRoutes;
  readonly openApiPaths: (serverUrl: string) => ZodOpenApiPathsObject;
};
