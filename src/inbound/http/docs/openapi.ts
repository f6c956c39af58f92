// The OpenAPI 3.1 document, generated from the schemas that validate requests.
import { globalRegistry } from 'zod';
import { type CreateDocumentOptions, createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import { clientEndpoints } from './openapi-client.ts';
import { deviceEndpoints } from './openapi-device.ts';
import { ehrEndpoints } from './openapi-ehr.ts';
import { makePaths } from './openapi-endpoints.ts';
import { operatorEndpoints } from './openapi-operator.ts';
import { oversightEndpoints } from './openapi-oversight.ts';
import { peopleEndpoints } from './openapi-people.ts';
import { reviewEndpoints } from './openapi-reviews.ts';
import { runEndpoints } from './openapi-runs.ts';
import { siteEndpoints } from './openapi-sites.ts';

type OpenApiParts = {
  /** The address at which clients reach the engine. */
  readonly serverUrl: string;
  readonly version: string;
  /** Paths of an extension. */
  readonly extraPaths?: (serverUrl: string) => ZodOpenApiPathsObject;
};

export type OpenApiDocument = ReturnType<typeof createDocument>;

const DESCRIPTION = `Differential diagnosis and medical transcription as a service.

Its answers are drafted by a machine. They support a clinician's decision and never replace it.

All endpoints of *Diagnosis* and *Transcription* take an API key in \`x-api-key\`; the operator creates one with
\`npm run cli -- keys create --organization my-clinic\`. A failure outside a stream has the body of the schema *Error*.
In the commands, \`$KEY\` is an API key, \`$SECRET\` the secret of a site's events, \`$OPERATOR_KEY\` the key of the operator and \`$REVIEWER_KEY\` the key of a reviewer.`;

const endpoints = {
  ...clientEndpoints,
  ...ehrEndpoints,
  ...operatorEndpoints,
  ...siteEndpoints,
  ...runEndpoints,
  ...reviewEndpoints,
  ...oversightEndpoints,
  ...peopleEndpoints,
  ...deviceEndpoints,
};

export function makeOpenApiDocument({ serverUrl: givenUrl, version, extraPaths }: OpenApiParts): OpenApiDocument {
  const serverUrl = givenUrl.replace(/\/+$/, '');
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Chartwright',
        version,
        description: DESCRIPTION,
        contact: { name: 'The operator of this engine', url: serverUrl },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: serverUrl }],
      tags: [
        { name: 'Diagnosis', description: 'From a clinical history to a differential diagnosis with triage.' },
        { name: 'Transcription', description: 'From a recording to a note or a conversation.' },
        { name: 'Jobs', description: 'Answers to requests with `Prefer: respond-async`.' },
        { name: 'Sites', description: 'From an event of an EHR, or an uploaded recording, to the chart.' },
        { name: 'Operation', description: 'Health and metrics of the engine.' },
        {
          name: 'Administration',
          description: "Keys, plans, usage, sites, runs, the audit trail and the sandbox, with the operator's key.",
        },
      ],
      paths: {
        ...makePaths(endpoints, serverUrl),
        ...extraPaths?.(serverUrl),
      },
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'Issued by the operator.' },
          siteSecret: {
            type: 'http',
            scheme: 'bearer',
            description: 'The secret of events.subscription or events.push of the site, or a signature made with it.',
          },
          operatorKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'The value of OPERATOR_KEY, or the content of DATA_DIR/operator.key.',
          },
          reviewerKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'The key of a clinician who reviews the drafts of one site; POST /ops/reviewers creates it.',
          },
        },
      },
    },
    { override: openAnswersAndExamples },
  );
}

/**
 * Answers gain fields in later versions, and a client that was generated from this document must take them. Examples of requests are texts as
 * a client sends them: zod leaves them out if the engine transforms the text.
 */
const openAnswersAndExamples: NonNullable<CreateDocumentOptions['override']> = ({ jsonSchema, zodSchema, io }) => {
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  const examples = globalRegistry.get(zodSchema)?.['examples'];
  if (io === 'input' && Array.isArray(examples)) jsonSchema.examples ??= examples;
};
