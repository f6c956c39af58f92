import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { NOTE_TYPE_TEMPLATES, parseCustomTemplate, TEMPLATE_SECTIONS } from '../../src/domain/note/template.ts';
import { errorResponse, noteResponse } from '../../src/inbound/http/api/response-schemas.ts';
import {
  conversationFields,
  diagnoseFields,
  streamBody,
  transcribeFields,
} from '../../src/inbound/http/api/schemas.ts';
import { validate } from '../../src/inbound/http/body/validate.ts';
import { makeOpenApiDocument } from '../../src/inbound/http/docs/openapi.ts';
import { sandboxPaths } from '../../src/sandbox/http/openapi-sandbox.ts';
import { diagnosisResponse } from '../../src/wire/diagnosis.ts';
import { PROJECT } from '../cli/run-cli.ts';

const page = readFileSync(join(PROJECT, 'docs/rest.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``, 'g'))].map(([, text = '']) => text);

const paths = Object.keys(
  makeOpenApiDocument({ serverUrl: 'http://x', version: '1', extraPaths: sandboxPaths }).paths ?? {},
);
const BODIES = {
  '/diagnose': diagnoseFields,
  '/diagnose/stream': streamBody,
  '/diagnose/stream/files': diagnoseFields,
  '/transcribe': transcribeFields,
  '/transcribe/conversation': conversationFields,
} as const;

/** Splits a command into words with a shell: these are the arguments of curl. */
async function words(command: string): Promise<readonly string[]> {
  const script = command.replace(/^curl/, "printf '%s\\0'");
  const environment = { PATH: process.env['PATH'] ?? '', URL: 'http://engine', KEY: 'cw_key' };
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { env: environment });
  return stdout.split('\0').slice(0, -1);
}

function optionValues(given: readonly string[], option: string): readonly string[] {
  return given.flatMap((word, index) => (word === option ? [given[index + 1] ?? ''] : []));
}

const commands = blocks('sh').filter((command) => command.startsWith('curl'));

describe('docs/rest.md', () => {
  it('has a command for each of the six endpoints', () => {
    for (const path of paths.filter((name) => /^\/(diagnose|transcribe)/.test(name))) {
      expect(commands.some((command) => command.includes(`"$URL${path.replace('{sessionId}', '')}`))).toBe(true);
    }
  });

  it.each(commands.map((command, index) => [index + 1, command.split('\n', 1)[0], command] as const))(
    'command %d can be pasted, and its request is valid: %s',
    async (_index, _firstLine, command) => {
      const given = await words(command);
      const url = given.find((word) => word.startsWith('http://engine/')) ?? '';
      expect(optionValues(given, '-H')).toContain('x-api-key: cw_key');
      const schema = Object.entries(BODIES).find(([path]) => url === `http://engine${path}`)?.[1];
      if (schema === undefined) {
        expect(url).toMatch(/\/(diagnose\/stream|jobs)\/[0-9a-f-]{36}$/);
        return;
      }
      const form = optionValues(given, '-F').map((field) => [
        field.slice(0, field.indexOf('=')),
        field.slice(field.indexOf('=') + 1),
      ]);
      const json = optionValues(given, '-d').map((body) => Object.entries<unknown>(JSON.parse(body)));
      const fields = [...form, ...json.flat()].filter(([name]) => name !== 'file' && name !== 'files');
      const fieldNames: readonly string[] = Object.keys(schema.shape);
      expect(fields.map(([name]) => String(name)).filter((name) => !fieldNames.includes(name))).toEqual([]);
      const read = validate<z.ZodType<object>>(schema, Object.fromEntries(fields));
      if ('custom_template' in read) {
        expect(parseCustomTemplate(String(read.custom_template)).dynamicFields).toHaveLength(1);
      }
      // curl reads a semicolon in a form value as the start of an option.
      expect(form.flat().filter((text) => text.includes(';'))).toEqual([]);
    },
  );

  it('shows only answers that fit their schemas', () => {
    const schemas = [diagnosisResponse, noteResponse, noteResponse, errorResponse];
    const answers = blocks('json').map((text) => JSON.parse(text));
    expect(answers).toHaveLength(schemas.length);
    for (const [index, answer] of answers.entries())
      expect(schemas[index]?.safeParse(answer).error?.issues).toBeUndefined();
  });

  it('names every template with its sections, and every note type with its template', () => {
    for (const [name, sections] of Object.entries(TEMPLATE_SECTIONS))
      expect(page).toContain(`\`${name}\` | ${sections.join(', ')} |`);
    for (const [name, template] of Object.entries(NOTE_TYPE_TEMPLATES))
      expect(page).toContain(`| \`${name}\` | \`${template}\` |`);
  });
});
