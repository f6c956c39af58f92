import { describe, expect, it } from '@jest/globals';
import { ConfigError, environmentSchema, readConfig } from '../src/config.ts';

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.problems;
    throw thrown;
  }
  return [];
}

describe('the configuration', () => {
  it('the configuration needs nothing: every setting has a default or may be absent', () => {
    expect(readConfig({})).toMatchObject({ PORT: 3000, HOST: '127.0.0.1', DATA_DIR: '.data', LOG_LEVEL: 'info' });
  });

  it('the configuration treats an empty value as not set', () => {
    expect(readConfig({ PORT: '', OPENAI_API_KEY: '  ' })).toMatchObject({ PORT: 3000 });
    expect(readConfig({ OPENAI_API_KEY: ' ' }).OPENAI_API_KEY).toBeUndefined();
  });

  it('the configuration reports all invalid settings together by name', () => {
    const problems = problemsOf({ PORT: 'x', DATABASE_URL: 'http://db', LOG_LEVEL: 'loud', MAX_UPLOADS: '0' });
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      'PORT',
      'DATABASE_URL',
      'MAX_UPLOADS',
      'LOG_LEVEL',
    ]);
  });

  it('the configuration refuses a second check that is set by half, and takes one that is off', () => {
    expect(problemsOf({ VERIFIER_MODEL: 'judge' })).toEqual([
      expect.stringMatching(/^VERIFIER_MODEL: needs VERIFIER_/),
    ]);
    expect(problemsOf({ VERIFIER_API_KEY: 'made-up' })).toEqual([
      expect.stringMatching(/^VERIFIER_MODEL: must be set/),
    ]);
    expect(problemsOf({ VERIFIER_MODEL: 'off', VERIFIER_API_KEY: 'made-up' })).toEqual([]);
    expect(problemsOf({ VERIFIER_MODEL: 'judge', OPENAI_API_KEY: 'made-up' })).toEqual([]);
  });

  it('the configuration refuses an identity provider that is set by half, and one without encryption', () => {
    const issuer = { OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'chartwright' };
    expect(problemsOf({ ...issuer, OIDC_CLIENT_SECRET: 'made-up' })).toEqual([]);
    expect(problemsOf({ ...issuer, OIDC_PRIVATE_KEY: 'key.pem', OIDC_ALGORITHM: 'ES256' })).toEqual([]);
    expect(problemsOf(issuer)).toEqual([expect.stringMatching(/^OIDC_CLIENT_SECRET: /)]);
    const both = { OIDC_CLIENT_SECRET: 'made-up', OIDC_PRIVATE_KEY: 'key.pem' };
    expect(problemsOf({ ...issuer, ...both })).toEqual([expect.stringMatching(/one of them$/)]);
    expect(problemsOf({ OIDC_ISSUER: 'https://login.example' })).toEqual([expect.stringMatching(/^OIDC_CLIENT_ID: /)]);
    expect(problemsOf({ OIDC_ROLES: 'roles.yaml' })).toEqual([expect.stringMatching(/^OIDC_ISSUER: /)]);
    for (const wrong of [
      { OIDC_ISSUER: 'http://login.example' },
      { OIDC_ISSUER: 'https://login.example/.well-known/openid-configuration' },
      { OIDC_ALGORITHM: 'HS256' },
      { OIDC_ALGORITHM: 'none' },
    ]) {
      expect(problemsOf({ ...issuer, OIDC_CLIENT_SECRET: 'made-up', ...wrong })).toHaveLength(1);
    }
    expect(problemsOf({ ...issuer, OIDC_CLIENT_SECRET: 'made-up', OIDC_ISSUER: 'http://127.0.0.1:8080' })).toEqual([]);
  });

  it('the configuration reads the settings of OpenTelemetry as its specification has them', () => {
    const settings = readConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20made-up, x-team = ward=3 ,',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    });
    expect(settings).toMatchObject({
      OTEL_EXPORTER_OTLP_HEADERS: { authorization: 'Bearer made-up', 'x-team': 'ward=3' },
      OTEL_SERVICE_NAME: 'chartwright',
      OTEL_RESOURCE_ATTRIBUTES: { 'deployment.environment.name': 'test' },
      OTEL_TRACES_SAMPLER_ARG: 0.25,
    });
  });

  it.each(['canary', 'x-key=%E0%A4%A', '=canary'])(
    'the configuration refuses the headers %j without repeating them',
    (value) => {
      const problems = problemsOf({ OTEL_EXPORTER_OTLP_HEADERS: value });
      expect(problems).toEqual(['OTEL_EXPORTER_OTLP_HEADERS: must be a list like name=value,other=value']);
    },
  );

  it('the configuration never repeats a secret that is wrong', () => {
    const told = problemsOf({ OPERATOR_KEY: 'tooshort-canary', MASTER_KEY: 'not-base64-canary' }).join('\n');
    expect(told).toContain('OPERATOR_KEY');
    expect(told).not.toContain('canary');
  });

  it('the configuration reads a master key of 32 bytes and refuses one of 31', () => {
    const key = Buffer.alloc(32, 7).toString('base64');
    expect(readConfig({ MASTER_KEY: key }).MASTER_KEY).toEqual(new Uint8Array(32).fill(7));
    expect(problemsOf({ MASTER_KEY: Buffer.alloc(31).toString('base64') })).toHaveLength(1);
  });

  it('the configuration documents every setting in one line', () => {
    for (const [name, schema] of Object.entries(environmentSchema.shape)) {
      expect(`${name}: ${schema.meta()?.description ?? ''}`).toMatch(/: .{10,}/);
    }
  });
});
