import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';

const CHECKER = path.join(import.meta.dirname, '../../.ci/import-rules.ts');
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** What the checker says about a tree with these files. */
function complaints(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'chartwright-testbed-'));
  folders.push(folder);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  const { status, stderr } = spawnSync(process.execPath, [CHECKER, folder], { encoding: 'utf8' });
  expect(status).toBe(stderr === '' ? 0 : 1);
  return stderr;
}

describe('the import rules', () => {
  it.each([
    ['domain reaching for a flow', 'src/domain/a.ts', "import { b } from '../flows/b.ts';"],
    ['a flow reaching for an outlet', 'src/flows/a.ts', "import { b } from '../outbound/openai/b.ts';"],
    [
      'a door reaching for an outlet',
      'src/inbound/http/a.ts',
      "import type { B } from '../../outbound/postgres/b.ts';",
    ],
    ['an outlet reaching for another', 'src/outbound/openai/a.ts', "import { b } from '../postgres/b.ts';"],
    ['platform reaching for anything of src', 'src/platform/a.ts', "import { b } from '../domain/b.ts';"],
    ['a door reading the configuration', 'src/inbound/http/a.ts', "import { readConfig } from '../../config.ts';"],
    ['a port taken as a value', 'src/flows/a.ts', "import { b } from '../ports/b.ts';"],
    ['openai outside its outlet', 'src/flows/a.ts', "import OpenAI from 'openai';"],
    ['main reaching past the composition', 'src/main.ts', "import { a } from './outbound/openai/a.ts';"],
    ['the composition reaching for the command line', 'src/composition/a.ts', "import { b } from '../cli/b.ts';"],
    ['a flow reaching for the composition', 'src/flows/a.ts', "import { b } from '../composition/b.ts';"],
    ['the sandbox reaching for an outlet', 'src/sandbox/fhir/a.ts', "import { b } from '../../outbound/fhir/b.ts';"],
    ['jose outside its outlet', 'src/platform/a.ts', "import { SignJWT } from 'jose';"],
    [
      'the sandbox’s router in an outlet',
      'src/outbound/fhir/a.ts',
      "import { FhirRouter } from '@medplum/fhir-router';",
    ],
    ['pg in a door', 'src/inbound/http/a.ts', "import pg from 'pg';"],
    ['an inner file of a room with a face', 'src/flows/a.ts', "import { b } from '../mapping/language/b.ts';"],
    [
      'an inner file of the rules in the composition',
      'src/composition/a.ts',
      "import type { B } from '../rules/answers/b.ts';",
    ],
    ['a clock in a flow', 'src/flows/a.ts', 'export const now = () => Date.now();'],
    ['chance in the mapping language', 'src/mapping/a.ts', "import { randomBytes } from 'node:crypto';"],
    ['the environment in the domain', 'src/domain/a.ts', "export const home = process.env['HOME'];"],
    ['an import over several lines', 'src/domain/a.ts', "import {\n  b,\n} from '../flows/b.ts';"],
    ['an import at run time', 'src/domain/a.ts', "export const later = () => import('../flows/b.ts');"],
    ['an export from elsewhere', 'src/domain/a.ts', "export { b } from '../flows/b.ts';"],
  ])('refuse %s', (_, file, text) => {
    expect(complaints({ [file]: text })).toContain(`${file}:1: `);
  });

  it('refuse a circle', () => {
    const files = {
      'src/domain/a.ts': "import { b } from './b.ts';",
      'src/domain/b.ts': "import { c } from './c.ts';",
      'src/domain/c.ts': "import { a } from './a.ts';",
    };
    expect(complaints(files)).toContain('a circle of imports');
  });

  it('refuse a circle of types', () => {
    const files = {
      'src/domain/a.ts': "import type { B } from './b.ts';",
      'src/domain/b.ts': "import type { A } from './a.ts';",
    };
    expect(complaints(files)).toContain('a circle of imports');
  });

  it('accept imports along the allowed arrows', () => {
    const files = {
      'src/main.ts': "import { c } from './composition/c.ts';\nimport { d } from './config.ts';",
      'src/composition/c.ts':
        "import type { Config } from '../config.ts';\nimport { a } from '../outbound/openai/a.ts';",
      'src/outbound/openai/a.ts': "import OpenAI from 'openai';\nimport type { P } from '../../ports/p.ts';",
      'src/domain/a.ts': "import type { B } from './b.ts';",
      'src/flows/f.ts': "import type { P } from '../ports/p.ts';\nimport { a } from '../domain/a.ts';",
    };
    expect(complaints(files)).toBe('');
  });
});
