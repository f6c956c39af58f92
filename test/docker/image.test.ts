// Tests docker/Dockerfile and .dockerignore by the rules that a hospital applies to images.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SECRETS } from '../../docker/secret-variables.ts';
import { environmentSchema } from '../../src/config.ts';
import { NODE_FLAGS } from '../support/engine.ts';
import { commandOf, copiesOf, environmentOf, isInContext, ROOT, readDockerfile, textOf } from './dockerfile.ts';

const { args, stages } = readDockerfile();
const [build, final] = stages;
if (build === undefined || final === undefined) throw new Error('docker/Dockerfile has two stages');
const isThere = (file: string) => existsSync(path.join(ROOT, file));

describe('the image', () => {
  it('is based on Node by its full version, the one that the project itself uses', () => {
    const { devDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    expect(stages.map(({ base }) => base)).toEqual(Array(2).fill(`node:${devDependencies.node}-bookworm-slim`));
  });

  it('runs as a numeric user who is not root', () => {
    expect(textOf(final, 'USER')).toMatch(/^[1-9]\d{3,}:[1-9]\d{3,}$/);
    const afterUser = final.steps.slice(final.steps.findLastIndex(({ name }) => name === 'USER') + 1);
    expect(afterUser.map(({ name }) => name)).not.toContain('RUN');
  });

  it('has no secret in its variables or build arguments, and only variables that the engine knows', () => {
    const names = stages.flatMap((stage) => [
      ...Object.keys(environmentOf(stage)),
      ...stage.steps.filter(({ name }) => name === 'ARG').map(({ text }) => text.split('=')[0] ?? ''),
    ]);
    expect([...names, ...Object.keys(args)].filter((name) => isSecret(name))).toEqual([]);
    const known = [...Object.keys(environmentSchema.shape), 'NODE_ENV', 'NODE_COMPILE_CACHE'];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('copies only files that exist and are in the build context', () => {
    const sources = copiesOf(build).map(({ source }) => source.replace(/\/$/, ''));
    expect(sources).toEqual(expect.arrayContaining(['package.json', 'package-lock.json', '.npmrc', 'src']));
    expect(sources.filter((source) => source !== 'mappings' && !isInContext(source))).toEqual([]);
    expect(copiesOf(final)).toEqual([]);
  });

  it('declares its stop signal, health check and entry point, whose files are in the image', () => {
    expect(textOf(final, 'STOPSIGNAL')).toBe('SIGTERM');
    for (const name of ['HEALTHCHECK', 'ENTRYPOINT']) {
      const [program, ...words] = commandOf(final, name);
      const file = words.find((word) => !word.startsWith('--'));
      expect([program, copiesOf(build).some(({ source }) => source === file)]).toEqual(['node', true]);
    }
  });

  it('gives the engine the same flags of Node as npm start and the tests do', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    expect(commandOf(final, 'ENTRYPOINT').filter((word) => word.startsWith('--'))).toEqual(NODE_FLAGS);
    expect(scripts.start.match(/--\S+/g)).toEqual(NODE_FLAGS);
  });

  it('downloads nothing except the packages of the lock file', () => {
    const runs = stages.flatMap(({ steps }) => steps.filter(({ name }) => name === 'RUN').map(({ text }) => text));
    expect(runs.filter((text) => /\b(curl|wget|apt-get|sudo|npm install)\b/.test(text))).toEqual([]);
    expect(runs.join()).toContain('npm ci --omit=dev --omit=optional --ignore-scripts');
    expect(stages.flatMap(({ steps }) => steps).filter(({ name }) => name === 'ADD')).toEqual([]);
  });
});

describe('the build’s context', () => {
  it.each([
    '.git/config',
    '.env',
    '.data/master.key',
    'node_modules/zod/package.json',
    'test/run.ts',
    'docker/secrets/master-key',
    'docker/engine.env',
    'mappings/mercy/site.yaml',
    'operator.key',
  ])('does not contain %s', (file) => {
    expect(isInContext(file)).toBe(false);
  });

  it.each(['src/main.ts', 'src/sandbox/patients/audio/en-chest-pressure.ogg', 'mappings/base/composition.yaml'])(
    'contains %s',
    (file) => {
      expect(isInContext(file)).toBe(true);
    },
  );

  it('contains only the folders of mappings that come with the project', () => {
    const named = ['base', 'profiles', 'sandbox'].map((name) => `mappings/${name}`);
    expect(named.filter((folder) => !isThere(folder) || !isInContext(folder))).toEqual([]);
  });
});

function isSecret(name: string): boolean {
  return (SECRETS as readonly string[]).includes(name) || /KEY|SECRET|PASSWORD|TOKEN/.test(name);
}
