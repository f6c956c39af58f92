// What the image is made of: read from docker/Dockerfile and .dockerignore, by the rules that whoever checks images in a hospital has.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SECRETS } from '../../docker/secret-variables.ts';
import { environmentSchema } from '../../src/config.ts';
import { commandOf, copiesOf, environmentOf, isInContext, ROOT, readDockerfile, textOf } from './dockerfile.ts';

const { args, stages } = readDockerfile();
const [build, final] = stages;
if (build === undefined || final === undefined) throw new Error('docker/Dockerfile has two stages');
const isThere = (file: string) => existsSync(path.join(ROOT, file));

describe('the image', () => {
  it('stands on Node by its full version, the one that the project itself brings', () => {
    const { devDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    expect(stages.map(({ base }) => base)).toEqual(Array(2).fill(`node:${devDependencies.node}-bookworm-slim`));
  });

  it('runs as a user by number, who is not root', () => {
    expect(textOf(final, 'USER')).toMatch(/^[1-9]\d{3,}:[1-9]\d{3,}$/);
    const afterUser = final.steps.slice(final.steps.findLastIndex(({ name }) => name === 'USER') + 1);
    expect(afterUser.map(({ name }) => name)).not.toContain('RUN');
  });

  it('has no secret among its settings or build arguments, and only settings that the engine knows', () => {
    const names = stages.flatMap((stage) => [
      ...Object.keys(environmentOf(stage)),
      ...stage.steps.filter(({ name }) => name === 'ARG').map(({ text }) => text.split('=')[0] ?? ''),
    ]);
    expect([...names, ...Object.keys(args)].filter((name) => isSecret(name))).toEqual([]);
    const known = [...Object.keys(environmentSchema.shape), 'NODE_ENV', 'NODE_COMPILE_CACHE'];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('takes only files that are there, and that the context has', () => {
    const sources = copiesOf(build).map(({ source }) => source.replace(/\/$/, ''));
    expect(sources).toEqual(expect.arrayContaining(['package.json', 'package-lock.json', '.npmrc', 'src']));
    expect(sources.filter((source) => source !== 'mappings' && !isInContext(source))).toEqual([]);
    expect(copiesOf(final)).toEqual([]);
  });

  it('is told by Docker’s own way when to end, and how it is', () => {
    expect(textOf(final, 'STOPSIGNAL')).toBe('SIGTERM');
    for (const name of ['HEALTHCHECK', 'ENTRYPOINT']) {
      const [program, file = ''] = commandOf(final, name);
      expect([program, copiesOf(build).some(({ source }) => source === file)]).toEqual(['node', true]);
    }
  });

  it('fetches nothing by itself but the packages that the lock file names', () => {
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
  ])('keeps %s out', (file) => {
    expect(isInContext(file)).toBe(false);
  });

  it.each(['src/main.ts', 'src/sandbox/patients/audio/en-chest-pressure.ogg', 'mappings/base/composition.yaml'])(
    'has %s',
    (file) => {
      expect(isInContext(file)).toBe(true);
    },
  );

  it('has the folders of mappings that come with the project, and these alone', () => {
    const named = ['base', 'profiles', 'sandbox'].map((name) => `mappings/${name}`);
    expect(named.filter((folder) => !isThere(folder) || !isInContext(folder))).toEqual([]);
  });
});

function isSecret(name: string): boolean {
  return (SECRETS as readonly string[]).includes(name) || /KEY|SECRET|PASSWORD|TOKEN/.test(name);
}
