import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import * as examples from '../../../../src/inbound/http/api/examples.ts';
import * as responses from '../../../../src/inbound/http/api/response-schemas.ts';
import * as requests from '../../../../src/inbound/http/api/schemas.ts';
import { makeOpenApiDocument } from '../../../../src/inbound/http/docs/openapi.ts';
import * as ehr from '../../../../src/inbound/http/ehr/ehr-schemas.ts';
import { sandboxPaths } from '../../../../src/sandbox/http/openapi-sandbox.ts';
import { auditListResponse, verifyBody, verifyResponse } from '../../../../src/wire/audit.ts';
import {
  deviceCodeForm,
  deviceCodeResponse,
  deviceErrorResponse,
  deviceLinkBody,
  deviceTokenForm,
  deviceTokenResponse,
} from '../../../../src/wire/device.ts';
import { diagnosisResponse, exampleDiagnosis } from '../../../../src/wire/diagnosis.ts';
import * as drafts from '../../../../src/wire/drafts.ts';
import { explainBody, explainResponse } from '../../../../src/wire/explain.ts';
import {
  createKeyBody,
  issuedKeyResponse,
  keyCallbacksBody,
  keyCallbacksResponse,
  keyListResponse,
  rotatedKeyResponse,
  rotateKeyBody,
} from '../../../../src/wire/keys.ts';
import {
  endedSessionsResponse,
  meResponse,
  purposeBody,
  purposeResponse,
  sessionListResponse,
} from '../../../../src/wire/me.ts';
import { pauseBody, pauseResponse, resumeBody } from '../../../../src/wire/pauses.ts';
import {
  madePersonResponse,
  newPersonBody,
  peopleResponse,
  personChangeBody,
  personLinkResponse,
  personResponse,
  personRolesResponse,
  roleListResponse,
  rolesBody,
} from '../../../../src/wire/people.ts';
import { planBody, planListResponse, planResponse } from '../../../../src/wire/plans.ts';
import { probeBody, probeResponse } from '../../../../src/wire/probe.ts';
import {
  quarantinedResponse,
  quarantineResponse,
  resendBody,
  resendResponse,
} from '../../../../src/wire/quarantine.ts';
import { readinessResponse } from '../../../../src/wire/readiness.ts';
import { recallBody, recallPreviewResponse, recallResponse } from '../../../../src/wire/recall.ts';
import { reconcileBody, reconcileResponse } from '../../../../src/wire/reconcile.ts';
import { reviewBody } from '../../../../src/wire/review.ts';
import { issuedReviewerResponse, reviewerBody, reviewerListResponse } from '../../../../src/wire/reviewers.ts';
import { runEvent, runListResponse, runResponse } from '../../../../src/wire/run.ts';
import {
  cancelResponse,
  releaseBody,
  replayBody,
  startBody,
  startedResponse,
  startedRunsResponse,
} from '../../../../src/wire/run-orders.ts';
import { runViewResponse } from '../../../../src/wire/run-view.ts';
import {
  chartResponse,
  comeAgainBody,
  drillListResponse,
  drillResponse,
  mergedVisitResponse,
  openChartBody,
  openedChartResponse,
  resetResponse,
  sandboxResponse,
  visitResponse,
} from '../../../../src/wire/sandbox.ts';
import { siteListResponse } from '../../../../src/wire/sites.ts';
import { madeTokenResponse, newTokenBody, tokenListResponse } from '../../../../src/wire/tokens.ts';
import { usageResponse } from '../../../../src/wire/usage.ts';

type Json = { readonly [name: string]: Json } & readonly Json[];
type Operation = {
  readonly operationId: string;
  readonly description?: string;
  readonly security: readonly Record<string, readonly string[]>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly schema: { readonly examples?: readonly unknown[] };
  }[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body & { readonly headers?: Json }>>;
};
type Body = { readonly content?: Readonly<Record<string, Media>> };
type Media = {
  readonly schema: Json;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
};

const SERVER = 'https://charts.example.org';
const document = JSON.parse(
  JSON.stringify(makeOpenApiDocument({ serverUrl: `${SERVER}/`, version: '1.2.3', extraPaths: sandboxPaths })),
);
const operations: readonly (readonly [string, Operation])[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item as Record<string, Operation>).map(
    ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
  ),
);
const operationNamed = new Map(operations);

/** The zod schema of each name in the document. */
const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  DiagnosisForm: requests.diagnoseFields,
  DiagnosisStreamRequest: requests.streamBody,
  StreamPreparationForm: requests.diagnoseFields,
  DifferentialDiagnosisDto: diagnosisResponse,
  PartialEvent: responses.partialEvent,
  FinalEvent: responses.finalEvent,
  ErrorEvent: responses.errorEvent,
  DiagnosisEvent: responses.diagnosisEvent,
  StreamSession: responses.streamSessionResponse,
  Job: responses.jobResponse,
  TranscribedNote: responses.noteResponse,
  Conversation: responses.conversationResponse,
  Error: responses.errorResponse,
  RecordingForm: ehr.uploadFields,
  TakenRecording: ehr.uploadResponse,
  Notification: ehr.notificationBody,
  NotificationOutcome: ehr.notificationResponse,
  RunState: ehr.shownRunResponse,
  NewKey: createKeyBody,
  KeyRotation: rotateKeyBody,
  KeyCallbacks: keyCallbacksBody,
  IssuedKeyCallbacks: keyCallbacksResponse,
  PlanLimits: planBody,
  IssuedKey: issuedKeyResponse,
  RotatedKey: rotatedKeyResponse,
  KeyList: keyListResponse,
  Plan: planResponse,
  PlanList: planListResponse,
  UsageReport: usageResponse,
  Readiness: readinessResponse,
  SiteList: siteListResponse,
  ProbeOrder: probeBody,
  ProbeReport: probeResponse,
  ReconcileOrder: reconcileBody,
  ReconcileReport: reconcileResponse,
  RunOrder: startBody,
  ReplayOrder: replayBody,
  ReleaseOrder: releaseBody,
  ReviewOrder: reviewBody,
  WaitingDraft: drafts.draftListResponse.shape.runs.element,
  DraftList: drafts.draftListResponse,
  NextDraftOrder: drafts.nextDraftBody,
  NextDraft: drafts.nextDraftResponse,
  ClaimOrder: drafts.claimBody,
  DraftClaim: drafts.claimResponse,
  ReleasedDraft: drafts.releasedResponse,
  DelegateOrder: drafts.delegateBody,
  SignedList: drafts.signedResponse,
  ReviewFigures: drafts.reviewFiguresResponse,
  RecallOrder: recallBody,
  ExplainOrder: explainBody,
  Run: runResponse,
  RunList: runListResponse,
  RunView: runViewResponse,
  StartedRun: startedResponse,
  StartedRuns: startedRunsResponse,
  CancelledRun: cancelResponse,
  RecallPreview: recallPreviewResponse,
  Recalled: recallResponse,
  Explanation: explainResponse,
  RunEvent: runEvent,
  PauseOrder: pauseBody,
  ResumeOrder: resumeBody,
  PausedSite: pauseResponse,
  AuditTrail: auditListResponse,
  VerifyOrder: verifyBody,
  AuditVerdict: verifyResponse,
  AsideList: quarantineResponse,
  AsideDelivery: quarantinedResponse,
  ResendOrder: resendBody,
  ResentDelivery: resendResponse,
  NewReviewer: reviewerBody,
  IssuedReviewer: issuedReviewerResponse,
  ReviewerList: reviewerListResponse,
  Me: meResponse,
  PurposeOrder: purposeBody,
  Purpose: purposeResponse,
  SessionList: sessionListResponse,
  EndedSessions: endedSessionsResponse,
  NewPerson: newPersonBody,
  PersonChange: personChangeBody,
  PersonRoles: rolesBody,
  Person: personResponse,
  MadePerson: madePersonResponse,
  PersonWithRoles: personRolesResponse,
  PersonLink: personLinkResponse,
  PersonList: peopleResponse,
  RoleList: roleListResponse,
  NewToken: newTokenBody,
  MadeToken: madeTokenResponse,
  TokenList: tokenListResponse,
  DeviceCodeOrder: deviceCodeForm,
  DeviceCode: deviceCodeResponse,
  DeviceTokenOrder: deviceTokenForm,
  DeviceToken: deviceTokenResponse,
  DeviceError: deviceErrorResponse,
  DeviceLinkOrder: deviceLinkBody,
  Sandbox: sandboxResponse,
  SandboxVisitOrder: comeAgainBody,
  SandboxVisit: visitResponse,
  MergedSandboxVisit: mergedVisitResponse,
  SandboxChartOrder: openChartBody,
  OpenedSandboxChart: openedChartResponse,
  SandboxChart: chartResponse,
  SandboxReset: resetResponse,
  SandboxDrillList: drillListResponse,
  SandboxDrillUnderWay: drillResponse,
};

function schemaNameOf(schema: Json): string {
  return String(schema['$ref'] ?? '').replace('#/components/schemas/', '');
}

const documentedExamples = operations.flatMap(([name, { requestBody, responses: answers }]) =>
  [['request', requestBody] as const, ...Object.entries(answers)].flatMap(([place, body]) =>
    Object.entries(body?.content ?? {}).flatMap(([mediaType, media]) => {
      const values = [
        ...(media.example === undefined ? [] : [media.example]),
        ...Object.values(media.examples ?? {}).map(({ value }) => value),
      ];
      return values.map((value) => ({ where: `${name} ${place} ${mediaType}`, mediaType, media, value }));
    }),
  ),
);

describe('the OpenAPI document', () => {
  it('contains the version and the address of the engine', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' }, servers: [{ url: SERVER }] });
  });

  it('has the header with the check of a note, and the preference that asks for its statements', () => {
    const { parameters, responses: answers } = operationNamed.get('POST /transcribe') as Json & Operation;
    expect(parameters?.map(({ name }) => name)).toEqual(['Idempotency-Key', 'Callback-Url', 'Prefer']);
    const names = ['x-chartwright-check', 'Preference-Applied'];
    expect(Object.keys(answers['200']?.headers ?? {})).toEqual(expect.arrayContaining(names));
    expect(Object.keys(answers['400']?.headers ?? {})).not.toContain('x-chartwright-check');
  });

  it.each([
    ['POST /diagnose', ['200', '202', '400', '401', '422', '429', '431', '500']],
    ['POST /diagnose/stream', ['201', '400', '401', '422', '429', '431', '500']],
    ['POST /diagnose/stream/files', ['201', '400', '401', '422', '429', '431', '500']],
    ['GET /diagnose/stream/{sessionId}', ['200', '400', '401', '404', '429', '431', '500']],
    ['POST /transcribe', ['200', '202', '400', '401', '402', '413', '415', '422', '429', '431', '500', '503']],
    [
      'POST /transcribe/conversation',
      ['200', '202', '400', '401', '402', '413', '415', '422', '429', '431', '500', '503'],
    ],
  ])(
    '%s needs the API key and has exactly the statuses of the service interface, and those of its headers (too large, a key of another request)',
    (name, statuses) => {
      const operation = operationNamed.get(name);
      expect(operation?.security).toEqual(name.startsWith('GET') ? [{ apiKey: [] }, {}] : [{ apiKey: [] }]);
      expect(Object.keys(operation?.responses ?? {})).toEqual(statuses);
      for (const [status, { content }] of Object.entries(operation?.responses ?? {})) {
        if (Number(status) >= 400) expect(schemaNameOf(content?.['application/json']?.schema as Json)).toBe('Error');
      }
    },
  );

  it('requires the operator key for the paths of the operator, and no key for health', () => {
    const others = operations.filter(
      ([name]) => !/ \/(diagnose|transcribe|jobs|ehr\/\{site\}\/(events|encounters|runs))/.test(name),
    );
    expect(others.map(([name]) => name)).toEqual([
      'GET /healthz',
      'GET /readyz',
      'GET /metrics',
      'POST /ops/keys',
      'GET /ops/keys',
      'POST /ops/keys/{id}/rotate',
      'PUT /ops/keys/{id}/callbacks',
      'DELETE /ops/keys/{id}',
      'GET /ops/plans',
      'PUT /ops/plans/{name}',
      'GET /ops/master-key',
      'POST /ops/master-key/rotate',
      'GET /ops/codes',
      'PUT /ops/codes/{system}',
      'GET /ops/usage',
      'GET /ops/sites',
      'POST /ops/sites/{site}/probe',
      'POST /ops/sites/{site}/reconcile',
      'GET /ehr/{site}/jwks.json',
      'GET /ops/runs',
      'POST /ops/runs',
      'POST /ops/runs/recall',
      'GET /ops/runs/{id}',
      'GET /ops/runs/{id}/evidence',
      'POST /ops/runs/{id}/replay',
      'POST /ops/runs/{id}/cancel',
      'POST /ops/runs/{id}/retry',
      'POST /ops/runs/{id}/release',
      'POST /ops/runs/{id}/break-glass',
      'GET /ops/break-glass',
      'GET /ops/events',
      'POST /ops/sites/{site}/explain',
      'GET /ops/reviews',
      'POST /ops/reviews/next',
      'GET /ops/reviews/signed',
      'GET /ops/reviews/figures',
      'POST /ops/runs/{id}/claim',
      'POST /ops/runs/{id}/unclaim',
      'POST /ops/runs/{id}/delegate',
      'POST /ops/runs/{id}/review',
      'POST /ops/sites/{site}/pause',
      'POST /ops/sites/{site}/resume',
      'GET /ops/audit',
      'POST /ops/audit/verify',
      'GET /ops/aside',
      'GET /ops/aside/{id}',
      'POST /ops/aside/{id}/send',
      'POST /ops/reviewers',
      'GET /ops/reviewers',
      'DELETE /ops/reviewers/{id}',
      'GET /ops/me',
      'PUT /ops/me/purpose',
      'DELETE /ops/me/session',
      'GET /ops/me/sessions',
      'DELETE /ops/me/sessions',
      'POST /ops/people',
      'GET /ops/people',
      'GET /ops/people/{id}',
      'PUT /ops/people/{id}',
      'PUT /ops/people/{id}/roles',
      'POST /ops/people/{id}/link',
      'POST /ops/people/{id}/disable',
      'POST /ops/people/{id}/enable',
      'GET /ops/people/{id}/sessions',
      'DELETE /ops/people/{id}/sessions',
      'GET /ops/roles',
      'GET /ops/sessions',
      'DELETE /ops/sessions/{id}',
      'POST /ops/tokens',
      'GET /ops/tokens',
      'DELETE /ops/tokens/{id}',
      'POST /device/code',
      'POST /device/token',
      'POST /device/link',
      'GET /ops/sandbox',
      'POST /ops/sandbox/visits',
      'GET /ops/sandbox/visits/{name}',
      'POST /ops/sandbox/visits/{name}/finish',
      'POST /ops/sandbox/visits/{name}/open',
      'POST /ops/sandbox/visits/{name}/cancel',
      'POST /ops/sandbox/visits/{name}/merge',
      'POST /ops/sandbox/visits/{name}/move',
      'POST /ops/sandbox/visits/{name}/late-recording',
      'GET /ops/sandbox/visits/{name}/chart',
      'POST /ops/sandbox/reset',
      'GET /ops/sandbox/drills',
      'POST /ops/sandbox/drills/{name}',
      'DELETE /ops/sandbox/drill',
    ]);
    const reviewers: Readonly<Record<string, unknown>> = {
      'GET /ops/runs/{id}': [{ operatorKey: [] }, { reviewerKey: [] }],
      'GET /ops/runs/{id}/evidence': [{ operatorKey: [] }, { reviewerKey: [] }],
      'GET /ops/reviews': [{ operatorKey: [] }, { reviewerKey: [] }],
      'POST /ops/reviews/next': [{ operatorKey: [] }, { reviewerKey: [] }],
      'GET /ops/reviews/signed': [{ operatorKey: [] }, { reviewerKey: [] }],
      'POST /ops/runs/{id}/claim': [{ operatorKey: [] }, { reviewerKey: [] }],
      'POST /ops/runs/{id}/unclaim': [{ operatorKey: [] }, { reviewerKey: [] }],
      'POST /ops/runs/{id}/delegate': [{ operatorKey: [] }, { reviewerKey: [] }],
      'POST /ops/runs/{id}/review': [{ reviewerKey: [] }],
      'POST /ops/runs/{id}/break-glass': [{ operatorKey: [] }, { reviewerKey: [] }],
    };
    for (const [name, { security }] of others) {
      expect(security).toEqual(reviewers[name] ?? (name.includes('/ops/') ? [{ operatorKey: [] }] : []));
    }
  });

  it('has the form of /diagnose, whose JSON only its description names, and the parts of each form', () => {
    const content = operationNamed.get('POST /diagnose')?.requestBody?.content ?? {};
    expect(Object.keys(content)).toEqual(['multipart/form-data']);
    expect(operationNamed.get('POST /diagnose')?.description).toContain('sent as JSON');
    const parts = (name: string) => Object.keys(document.components.schemas[name].properties);
    expect(parts('DiagnosisForm')).toEqual(['clinical_history', 'language', 'files']);
    expect(parts('TranscriptionForm')).toEqual(['note_type', 'template', 'custom_template', 'language', 'file']);
    expect(parts('ConversationForm')).toEqual(['language', 'include_timestamps', 'file']);
    expect(document.components.schemas.DiagnosisForm.properties.files.maxItems).toBe(10);
    expect(document.components.schemas.StreamPreparationForm.properties.files.maxItems).toBe(5);
    expect(document.components.schemas.TranscriptionForm.required).toEqual(['file']);
  });

  it('has a unique id for each operation', () => {
    const names = operations.map(([, { operationId }]) => operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  it('refers only to schemas that it contains', () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g);
    const missing = [...references]
      .map(([, name = '']) => name)
      .filter((name) => !(name in document.components.schemas));
    expect(missing).toEqual([]);
  });

  it('shows only made-up keys, in a form that no engine accepts', () => {
    const keys = [...JSON.stringify(document).matchAll(/cw_[0-9a-f]{16}_([\w-]+)/g)].map(([, secret]) => secret);
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.every((secret) => secret?.startsWith('EXAMPLE-') && secret.length !== 43)).toBe(true);
  });

  it('has only examples that fit the schema which validates', () => {
    expect(documentedExamples.length).toBeGreaterThan(50);
    for (const { where, media, value } of documentedExamples) {
      const schema = SCHEMAS[schemaNameOf(media.schema)];
      expect([where, schema?.safeParse(value).error?.issues]).toEqual([where, undefined]);
    }
  });

  it('has only schema examples that fit their schema', () => {
    for (const [name, { examples: values = [] }] of Object.entries<{ examples?: unknown[] }>(
      document.components.schemas,
    )) {
      for (const value of values)
        expect([name, SCHEMAS[name]?.safeParse(value).error?.issues]).toEqual([name, undefined]);
    }
  });

  it('names the schema of the events of each stream, with an example of each kind of event', () => {
    const streams = documentedExamples.filter(({ mediaType }) => mediaType === 'text/event-stream');
    expect(streams.map(({ value }) => (value as { type: string }).type)).toEqual([
      ...['partial', 'final', 'error'],
      ...['partial', 'final', 'error'],
    ]);
    expect(document.components.schemas.DiagnosisEvent).toMatchObject({
      oneOf: [
        { $ref: expect.stringContaining('Partial') },
        { $ref: expect.stringContaining('Final') },
        { $ref: expect.stringContaining('Error') },
      ],
      discriminator: {
        propertyName: 'type',
        mapping: expect.objectContaining({ final: '#/components/schemas/FinalEvent' }),
      },
    });
  });

  it('names the types that a client uses', () => {
    const names = ['Disease', 'Drug', 'StandardCare', 'Triage', 'Language', 'NoteType', 'TemplateName', 'RunStatus'];
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(names));
    expect(document.components.schemas.TranscriptionForm.properties.language.$ref).toBe(
      '#/components/schemas/Language',
    );
  });

  it('is strict for requests of the operator and open for answers, which gain fields', () => {
    const { NewKey, ReviewOrder, DifferentialDiagnosisDto, Disease, Run } = document.components.schemas;
    for (const request of [NewKey, ReviewOrder]) expect(request.additionalProperties).toBe(false);
    for (const answer of [DifferentialDiagnosisDto, Disease, Run])
      expect(answer).not.toHaveProperty('additionalProperties');
  });

  it('has the header with a key of the client for each endpoint that does work, and for no other', () => {
    const keyed = operations.filter(([, { parameters = [] }]) =>
      parameters.some(({ name }) => name === 'Idempotency-Key'),
    );
    expect(keyed.map(([name]) => name)).toEqual([
      'POST /diagnose',
      'POST /diagnose/stream',
      'POST /diagnose/stream/files',
      'POST /transcribe',
      'POST /transcribe/conversation',
    ]);
  });

  it('has an example for each parameter', () => {
    const without = operations.flatMap(([name, { parameters = [] }]) =>
      parameters.filter(({ schema }) => schema.examples === undefined).map((parameter) => `${name} ${parameter.name}`),
    );
    expect(without).toEqual([]);
  });

  it('has only commands for paths that it describes', () => {
    const commands = operations.flatMap(([name, { description = '' }]) =>
      [...description.matchAll(/```sh\n([\s\S]*?)\n```/g)].map(([, command = '']) => [name, command] as const),
    );
    expect(commands.length).toBe(98);
    for (const [name, command] of commands) {
      const [method, path = ''] = name.split(' ');
      const pattern = path.replace(/\{\w+\}/g, '[\\w-]+');
      expect(command).toMatch(new RegExp(`curl .*'?${SERVER}${pattern}('|\\?| |$)`));
      const sent = /-X (\w+)/.exec(command)?.[1] ?? (/ -[dF] /.test(command) ? 'POST' : 'GET');
      expect([name, sent]).toEqual([name, method]);
      for (const [, body = ''] of command.matchAll(/-d '(\{.*\})'/g)) expect(() => JSON.parse(body)).not.toThrow();
    }
  });
});

describe('the schemas of the service interface', () => {
  it('accept a 401 without `error`', () => {
    expect(examples.exampleErrors.unauthorized).not.toHaveProperty('error');
    expect(responses.errorResponse.safeParse(examples.exampleErrors.unauthorized).success).toBe(true);
  });

  it('accept a partial diagnosis at every stage', () => {
    const stages = [
      {},
      { diagnosis: {} },
      { diagnosis: { diseases: [{ name: 'Flu' }] } },
      { diagnosis: { diseases: [{ name: 'Flu', drugs: [{ name: 'x' }], standard_care: [{}] }] }, triage: {} },
      { triage: { triage_level: 'WHITE' } },
      exampleDiagnosis,
    ];
    expect(
      stages.map((stage) => responses.partialEvent.safeParse({ type: 'partial', ...stage }).success),
    ).not.toContain(false);
  });

  it('refuse an incomplete final diagnosis', () => {
    expect(responses.finalEvent.safeParse({ type: 'final', ...examples.examplePartial }).success).toBe(false);
    expect(diagnosisResponse.safeParse(examples.examplePartial).success).toBe(false);
  });
});
