// The routes of a site in the OpenAPI document.
import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES, type ErrorCode } from '../../../../src/domain/errors.ts';
import { makeOpenApiDocument } from '../../../../src/inbound/http/docs/openapi.ts';
import { statusFor } from '../../../../src/inbound/http/server/error-response.ts';

type Operation = {
  readonly security: readonly unknown[];
  readonly responses: Readonly<Record<string, unknown>>;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: unknown }>> };
};

const document = JSON.parse(JSON.stringify(makeOpenApiDocument({ serverUrl: 'https://x.example.org', version: '1' })));
const operationAt = (path: string, method: string): Operation => document.paths[path][method];

describe('the routes of a site in the OpenAPI document', () => {
  const notified = ['200', '400', '401', '404', '413', '415', '422', '429', '500', '503'];
  it.each([
    ['/ehr/{site}/events', 'post', 'siteSecret', notified],
    ['/ehr/{site}/events/{type}/{id}', 'put', 'siteSecret', notified],
    ['/ehr/{site}/events/{type}/{id}', 'delete', 'siteSecret', notified],
    [
      '/ehr/{site}/encounters/{id}/recording',
      'post',
      'apiKey',
      ['202', '400', '401', '402', '404', '409', '413', '415', '429', '500', '503'],
    ],
    ['/ehr/{site}/runs/{id}', 'get', 'apiKey', ['200', '401', '404', '429', '500', '503']],
  ])('have the scheme and the statuses of %s %s', (path, method, scheme, statuses) => {
    const { security, responses } = operationAt(path, method);
    expect(security).toEqual([{ [scheme]: [] }]);
    expect(document.components.securitySchemes).toHaveProperty(scheme);
    // Headers that are too large are refused at every path.
    expect(Object.keys(responses).filter((status) => status !== '431')).toEqual(statuses);
  });

  it('have each status that an error can have below a site', () => {
    const codes = Object.keys(ERROR_CODES) as readonly ErrorCode[];
    // 403 and 405 belong to no route, and no client sees 499; 422 is for notifications and for recordings that are only transcribed.
    const statuses = new Set(codes.map((code) => statusFor('ehr', code)));
    expect([...statuses].toSorted()).toEqual([400, 401, 402, 403, 404, 405, 409, 413, 415, 422, 429, 499, 500, 503]);
  });

  it('describe each field of the form', () => {
    const { properties, required } = document.components.schemas.RecordingForm;
    expect(Object.keys(properties)).toEqual([
      'patient',
      'note_type',
      'template',
      'language',
      'session',
      'recordedAt',
      'practitioner',
      'file',
    ]);
    expect(required).toEqual(['file']);
    expect(properties.language.enum).toEqual(['en', 'es', 'pt', 'detect']);
    for (const property of Object.values<{ readonly description?: string }>(properties)) {
      expect(property.description).toBeDefined();
    }
  });

  it('accept JSON, FHIR and HL7 v2', () => {
    const content = operationAt('/ehr/{site}/events', 'post').requestBody?.content ?? {};
    expect(Object.keys(content)).toEqual(['application/json', 'application/fhir+json', 'application/hl7-v2']);
  });
});

describe('the status of an error below a site', () => {
  it.each<[ErrorCode, number]>([
    ['conflict', 409],
    ['notFound', 404],
    ['quotaExceeded', 402],
    ['overloaded', 503],
    ['ehrUnavailable', 503],
    ['ehrAnswer', 503],
    ['ehrRefused', 503],
    ['unsupportedMedia', 415],
    ['payloadTooLarge', 413],
    ['slowRequest', 400],
  ])('%s is %d', (code, status) => {
    expect(statusFor('ehr', code)).toBe(status);
  });
});
