// Tests docker/compose.yaml and compose.engine.yaml against the schema of the Compose specification, and against what the documents promise.
// The schema is the one of the specification's authors (Apache-2.0) as of 2021, so older versions of Compose accept these files, too.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { SECRETS } from '../../docker/secret-variables.ts';
import { environmentSchema } from '../../src/config.ts';
import { environmentOf, ROOT, readDockerfile, textOf } from './dockerfile.ts';

const serviceSchema = z.looseObject({
  image: z.string(),
  user: z.string().optional(),
  read_only: z.boolean().default(false),
  init: z.boolean().default(false),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  tmpfs: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  networks: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.union([z.string(), z.number(), z.null()])).default({}),
  stop_grace_period: z.string().optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
});
const composeSchema = z.looseObject({
  services: z.record(z.string(), serviceSchema),
  networks: z.record(z.string(), z.object({ internal: z.boolean().default(false) })).default({}),
});

const readFile = (name: string) =>
  parse(readFileSync(path.join(ROOT, 'docker', name), 'utf8'), { merge: true }) as unknown;
const together = composeSchema.parse(readFile('compose.yaml'));
const alone = composeSchema.parse(readFile('compose.engine.yaml'));
const service = (name: string) => serviceOf(together, name);
const specification = readSpecification();

describe.each(['compose.yaml', 'compose.engine.yaml'])('%s', (name) => {
  it('is valid by the schema of the Compose specification', () => {
    expect(specification.safeParse(readFile(name)).error?.issues ?? []).toEqual([]);
  });

  it.each([
    ['an unknown key of a service', (engine: Record<string, unknown>) => ({ ...engine, read_onyl: true })],
    ['a time without a unit', (engine: Record<string, unknown>) => ({ ...engine, stop_grace_period: '45' })],
    ['a value of a wrong type', (engine: Record<string, unknown>) => ({ ...engine, init: 'perhaps' })],
  ])('would be invalid with %s', (_what, spoil) => {
    const { services, ...file } = readFile(name) as { services: Record<string, Record<string, unknown>> };
    const spoiled = { ...file, services: { ...services, engine: spoil(services['engine'] ?? {}) } };
    expect(specification.safeParse(spoiled).success).toBe(false);
  });

  it('gives no service more rights than it needs', () => {
    const { services } = composeSchema.parse(readFile(name));
    for (const each of Object.values(services)) {
      expect(each).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], init: true });
      expect(each).not.toHaveProperty('privileged');
    }
  });

  it('publishes ports on this machine only, and names each image by its full version', () => {
    const { services } = composeSchema.parse(readFile(name));
    for (const { ports, image } of Object.values(services)) {
      expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
      expect(image).toMatch(/^chartwright:local$|^[a-z]+:\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
    }
  });

  it('contains no secret, and gives secrets to the engine as files', () => {
    const { environment } = engineOf(composeSchema.parse(readFile(name)));
    const given = SECRETS.filter((secret) => environment[secret] !== undefined && environment[secret] !== null);
    expect(given).toEqual([]);
    for (const secret of ['DATABASE_URL', 'AMQP_URL', 'MASTER_KEY', 'OPERATOR_KEY']) {
      expect(environment[`${secret}_FILE`]).toBe(`/run/secrets/${secret.toLowerCase().replace('_', '-')}`);
    }
  });

  it('runs the engine on a read-only file system, as the image’s user, with time to finish requests', () => {
    const image = readDockerfile().stages.at(-1);
    if (image === undefined) throw new Error('there is no stage');
    const engine = engineOf(composeSchema.parse(readFile(name)));
    expect(engine).toMatchObject({ read_only: true, user: textOf(image, 'USER'), environment: { HOST: '0.0.0.0' } });
    const writable = [...engine.tmpfs, ...engine.volumes].filter((each) => !/:ro(,z)?$/.test(each));
    expect(writable).toEqual([expect.stringMatching(/^\/tmp:/), `engine-data:${environmentOf(image)['DATA_DIR']}`]);
    // Running requests get at most 25 seconds to finish (docs/operations.md).
    expect(Number(/^(\d+)s$/.exec(engine.stop_grace_period ?? '')?.[1])).toBeGreaterThan(25);
  });

  it('sets only variables that the engine knows', () => {
    const known = Object.keys(environmentSchema.shape).flatMap((each) => [each, `${each}_FILE`]);
    const { environment } = engineOf(composeSchema.parse(readFile(name)));
    expect(Object.keys(environment).filter((each) => !known.includes(each))).toEqual([]);
  });

  it('mounts only folders that exist', () => {
    const { services } = composeSchema.parse(readFile(name));
    const folders = Object.values(services).flatMap(({ volumes }) =>
      volumes.filter((volume) => volume.startsWith('.')).map((volume) => volume.split(':')[0] ?? ''),
    );
    expect(folders.filter((folder) => !existsSync(path.join(ROOT, 'docker', folder)))).toEqual([]);
  });
});

describe('docker/compose.yaml', () => {
  it('passes on every setting that an operator may want to change', () => {
    const own = ['MAPPINGS_DIR', 'SANDBOX_PORT', ...SECRETS.slice(0, 4)];
    const given = Object.keys(service('engine').environment);
    expect(Object.keys(environmentSchema.shape).filter((name) => !given.includes(name) && !own.includes(name))).toEqual(
      [],
    );
  });

  it('makes the secrets before the services that need them start, in a container without a network', () => {
    const dependents = Object.keys(together.services).filter((name) => name !== 'secrets');
    for (const name of dependents) {
      expect(service(name).depends_on['secrets']).toEqual({ condition: 'service_completed_successfully' });
    }
    expect(service('secrets')).toMatchObject({ network_mode: 'none', read_only: true });
  });

  it('mounts only its own secrets into each service, and read-only', () => {
    for (const [name, { volumes }] of Object.entries(together.services)) {
      const secrets = volumes.filter((volume) => volume.includes('-secrets:'));
      if (name === 'secrets') expect(secrets).toHaveLength(3);
      else expect(secrets).toEqual([`${name}-secrets:/run/secrets:ro`]);
    }
  });

  it('connects only the engine to the outside network, and publishes no port of database and broker', () => {
    expect(together.networks['inside']).toEqual({ internal: true });
    for (const name of ['database', 'broker']) {
      expect([service(name).networks, service(name).ports]).toEqual([['inside'], []]);
    }
    expect(service('engine').networks).toEqual(['inside', 'outside']);
  });

  it('runs no service as root, and database and broker as the users of their images', () => {
    expect([service('database').user, service('broker').user]).toEqual(['postgres', 'rabbitmq']);
    expect(service('secrets')).toMatchObject({ image: service('engine').image });
    expect(service('secrets').user).toBeUndefined();
  });

  it('keeps the broker’s host name, which is the name of its data folder', () => {
    expect(service('broker')).toHaveProperty('hostname', 'broker');
  });
});

it('both compose files confine the engine in the same way', () => {
  const keys = [
    'cap_drop',
    'security_opt',
    'init',
    'user',
    'read_only',
    'tmpfs',
    'stop_grace_period',
    'image',
  ] as const;
  const confinement = (service: z.infer<typeof serviceSchema>) => keys.map((key) => [key, service[key]]);
  expect(confinement(engineOf(alone))).toEqual(confinement(engineOf(together)));
});

function serviceOf({ services }: z.infer<typeof composeSchema>, name: string): z.infer<typeof serviceSchema> {
  const found = services[name];
  if (found === undefined) throw new Error(`there is no service ${name}`);
  return found;
}

function engineOf(file: z.infer<typeof composeSchema>): z.infer<typeof serviceSchema> {
  return serviceOf(file, 'engine');
}

/** Adapts the schema: it declares a later draft but is written as draft 7, its durations are those of Go, and it lacks the newer key `name`. */
function readSpecification(): z.ZodType {
  const schema = JSON.parse(readFileSync(path.join(import.meta.dirname, 'compose-spec.json'), 'utf8'), (_key, value) =>
    value?.format === 'duration' ? { ...value, format: undefined, pattern: '^(\\d+(us|ms|s|m|h))+$' } : value,
  );
  const properties = { ...schema.properties, name: { type: 'string' } };
  return z.fromJSONSchema({ ...schema, properties, $schema: 'http://json-schema.org/draft-07/schema#' });
}
