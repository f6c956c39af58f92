// The OpenAPI document of a real engine, as outsiders use it: two checkers find nothing in it, and the clients that three generators make of
// it compile strictly and call all six endpoints.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makePng } from '../support/file-samples.ts';
import { expectedDiagnosis } from '../support/journey-diagnosis.ts';
import { type Clinic, openClinic, RECORDING } from '../support/journey-upload.ts';
import { installPackages } from '../support/own-packages.ts';
import { type Ended, runTool } from './run-tool.ts';

const INSTALL_TIMEOUT_MS = 300_000;
/** Three generators and a compiler, on a machine that is busy with other tests. */
const GENERATE_TIMEOUT_MS = 180_000;
const TSC = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

let clinic: Clinic;
let folder = '';
let document: string;

beforeAll(async () => {
  await installPackages(import.meta.dirname);
  folder = await mkdtemp(path.join(tmpdir(), 'chartwright-generators-'));
  clinic = await openClinic();
  document = path.join(folder, 'openapi.json');
  await writeFile(document, await (await fetch(`${clinic.engine.url}/openapi.json`)).text());
  await writeFile(path.join(folder, 'visit.wav'), RECORDING);
  await writeFile(path.join(folder, 'x-ray.png'), makePng());
}, INSTALL_TIMEOUT_MS);
afterAll(async () => {
  await clinic?.close();
  if (folder !== '') await rm(folder, { recursive: true, force: true });
});

function tool(command: string, ...args: readonly string[]): Promise<Ended> {
  const variables = {
    OPENAPI_FILE: document,
    CHARTWRIGHT_URL: clinic.engine.url,
    CHARTWRIGHT_KEY: clinic.key,
    RECORDING: path.join(folder, 'visit.wav'),
    PICTURE: path.join(folder, 'x-ray.png'),
  };
  return runTool(command, args, variables);
}

describe('the OpenAPI document of an engine', () => {
  it('redocly finds neither an error nor a warning in the OpenAPI document by its recommended rules', async () => {
    const { code, text } = await tool('redocly', 'lint', '--extends=recommended', '--format=json', document);
    const found = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
    expect({ code, problems: found.problems }).toEqual({ code: 0, problems: [] });
  });

  it('spectral finds nothing in the OpenAPI document by its rules for OpenAPI', async () => {
    const rules = path.join(folder, 'spectral.yaml');
    await writeFile(rules, 'extends: ["spectral:oas"]\n');
    const { code, text } = await tool(
      'spectral',
      'lint',
      '--fail-severity=hint',
      '--format=json',
      '-r',
      rules,
      document,
    );
    expect({ code, problems: JSON.parse(text.slice(text.indexOf('['), text.lastIndexOf(']') + 1)) }).toEqual({
      code: 0,
      problems: [],
    });
  });

  it('a checker finds a fault that is put into the OpenAPI document', async () => {
    const broken = path.join(folder, 'broken.json');
    const { components, ...others } = JSON.parse(await (await fetch(`${clinic.engine.url}/openapi.json`)).text());
    await writeFile(broken, JSON.stringify({ ...others, components: { ...components, schemas: {} } }));
    expect((await tool('redocly', 'lint', '--extends=recommended', broken)).code).not.toBe(0);
  });
});

describe('clients that are generated from the OpenAPI document', () => {
  it(
    'three generators make clients of the document, and programs that call all six endpoints with them compile strictly',
    async () => {
      const made = [
        await tool('openapi-typescript', document, '--output', 'generated/openapi-fetch.ts'),
        await tool('openapi-ts', '--file', 'hey-api.config.js'),
        await tool('orval', '--config', 'orval.config.js'),
      ];
      for (const { code, text } of made) expect([code, text]).toEqual([0, expect.any(String)]);
      expect(await tool(process.execPath, TSC, '-p', 'tsconfig.json')).toEqual({ code: 0, text: '' });
    },
    GENERATE_TIMEOUT_MS,
  );

  it.each(['openapi-fetch', 'hey-api', 'orval'])(
    'the client of %s gets the answers of all six endpoints, streams event by event',
    async (name) => {
      const { code, text } = await tool(process.execPath, '--no-warnings', `clients/${name}.ts`);
      expect([code, text]).toEqual([0, expect.stringContaining('{')]);
      const codes = expectedDiagnosis('en').diagnosis.diseases.map(({ icd10_code }) => icd10_code);
      const stream = [
        expect.stringMatching(/^partial \w+/),
        `final ${codes[0]} ${expectedDiagnosis('en').triage.triage_level}`,
      ];
      expect(JSON.parse(text)).toEqual({
        diagnosis: codes,
        streamed: expect.arrayContaining(stream),
        prepared: expect.arrayContaining(stream),
        note: ['SUBJECTIVE', 'OBJECTIVE', 'ASSESSMENT', 'PLAN'],
        conversation: expect.arrayContaining(['Speaker 1', 'Speaker 2']),
        refused: expect.objectContaining({ statusCode: 400 }),
      });
    },
  );
});
