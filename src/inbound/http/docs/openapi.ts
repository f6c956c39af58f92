// The OpenAPI 3.1 document, made of the very schemas that validate.
import { createDocument } from 'zod-openapi';
import { errorEvent, finalEvent, partialEvent } from '../api/response-schemas.ts';
import { runEvent } from '../ops/ops-run-answers.ts';
import { clientPaths } from './openapi-client.ts';
import { ehrPaths } from './openapi-ehr.ts';
import { operatorPaths } from './openapi-operator.ts';
import { sandboxPaths } from './openapi-sandbox.ts';

type OpenApiParts = {
  /** The address under which clients reach the engine. */
  readonly serverUrl: string;
  readonly version: string;
};

export type OpenApiDocument = ReturnType<typeof createDocument>;

const DESCRIPTION = `Differential diagnosis and medical transcription as a service.

What it answers was drafted by a machine: it supports a clinician's decision and never replaces it.

All endpoints of *Diagnosis* and *Transcription* take an API key in \`x-api-key\`; the operator makes one with
\`npm run cli -- keys create --organization my-clinic\`. A failure outside a stream has the body of the schema *Error*.
In the commands, \`$KEY\` stands for an API key, \`$SECRET\` for that of a site's events, \`$OPERATOR_KEY\` for the operator's and \`$REVIEWER_KEY\` for a reviewer's.`;

export function makeOpenApiDocument({ serverUrl: givenUrl, version }: OpenApiParts): OpenApiDocument {
  const serverUrl = givenUrl.replace(/\/+$/, '');
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Chartwright',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    tags: [
      { name: 'Diagnosis', description: 'From a clinical history to a differential diagnosis with triage.' },
      { name: 'Transcription', description: 'From a recording to a note or a conversation.' },
      { name: 'Sites', description: 'From an event of an EHR, or a recording for an encounter, to its chart.' },
      { name: 'Operation', description: 'How the engine is.' },
      {
        name: 'Administration',
        description: "Keys, plans, usage, sites, runs, the audit trail and the sandbox, with the operator's key.",
      },
    ],
    paths: {
      ...clientPaths(serverUrl),
      ...ehrPaths(serverUrl),
      ...operatorPaths(serverUrl),
      ...sandboxPaths(serverUrl),
    },
    components: {
      schemas: { PartialEvent: partialEvent, FinalEvent: finalEvent, ErrorEvent: errorEvent, RunEvent: runEvent },
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'Given out by the operator.' },
        siteSecret: {
          type: 'http',
          scheme: 'bearer',
          description: 'The secret of events.subscription or events.push of the site; or a signature made with it.',
        },
        operatorKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'OPERATOR_KEY, or what stands in DATA_DIR/operator.key.',
        },
        reviewerKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'Of a clinician who reviews the drafts of one site: POST /ops/reviewers.',
        },
      },
    },
  });
}
